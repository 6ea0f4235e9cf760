import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
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
