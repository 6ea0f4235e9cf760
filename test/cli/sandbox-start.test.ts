import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { refused } from '../interface/service.ts';
import { folderWith } from '../support/folders.ts';
import { until } from '../support/process.ts';
import { svc } from '../support/svc.ts';

test('sandbox start in the foreground is found by other commands until it is interrupted', async () => {
  const folder = await folderWith();
  const stop = new AbortController();
  let started = '';
  const ended = svc(`sandbox start --data ${folder} --json`, {
    signal: stop.signal,
    onError: (text) => {
      started += text;
    },
  });
  await until('the sandbox', () => started.includes('To stop it: Ctrl-C'));
  const [, url] = /Started a sandbox at (\S+)/.exec(started) ?? [];
  const status = async () => JSON.parse((await svc(`sandbox status --data ${folder} --json`)).out);
  expect(await status()).toMatchObject({ running: true, base_url: url });
  stop.abort(new Failure('interrupted', 'interrupted'));
  expect((await ended).code).toBe(130);
  expect(await status()).toMatchObject({ running: false });
  expect(await readdir(folder)).toEqual(['state.jsonl']);
});

test.each([
  ['sandbox faults', 'values: add, list, clear'],
  ['sandbox faults remove', '"remove" is not an action of svc sandbox faults'],
  ['sandbox faults add', 'svc sandbox faults add requires an argument'],
  ["sandbox faults add '/**'", 'a fault requires status, latency or cut'],
  ["sandbox faults add '/**' --status five", '--status must be a whole number'],
  ['sandbox faults list --status 500', 'svc sandbox faults list takes no fault'],
  ['sandbox clock advance -- -1d', 'the duration must be'],
  ['sandbox emit pipeline', '--project is missing'],
  ['sandbox snapshot save a/b', 'a snapshot name has at most 64'],
  ['sandbox exec -- /', 'cannot run /: permission denied'],
  [
    'sandbox exec --without-feature x -- true',
    'values: approval_group_rules, epic_color, web_hook_event_resend',
  ],
])('svc %s is rejected', async (line, message) =>
  refused(line, [message], { env: { XDG_STATE_HOME: await folderWith() } }),
);

test('svc sandbox emit uses the saved state if no sandbox is running', async () => {
  const ran = await svc('sandbox emit push -p acme/rocket', { env: { XDG_STATE_HOME: await folderWith() } });
  expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(/^Sent event \w+ of acme\/rocket/)]);
});

test.each(['requests', 'env'])('svc sandbox %s requires a running sandbox', async (words) => {
  const { code, err } = await svc(`sandbox ${words}`, { env: { XDG_STATE_HOME: await folderWith() } });
  expect([code, err]).toEqual([5, expect.stringContaining('no sandbox is running')]);
});
