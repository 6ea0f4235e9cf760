import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Failure } from '../../../src/errors.ts';
import { createDirectTransport } from '../../../src/http/node/transport.ts';
import type { Header } from '../../../src/http/transport.ts';
import { changeRow } from '../../sandbox/ask.ts';
import { folderWith } from '../../support/folders.ts';
import { until } from '../../support/process.ts';
import { openReceiver } from '../../support/receiver.ts';
import { openWorld, transportTo, type World } from '../../support/sandbox.ts';
import { jsonLines } from '../../support/svc.ts';
import { exited } from '../engine/world.ts';

let home: string;
let world: World;

beforeEach(async () => {
  home = await folderWith();
  world = await openWorld();
});
/** Requests to the sandbox stay in this process; others are sent. */
const run = (flags: string, signal?: AbortSignal) =>
  world.run(`hooks forward 301 ${flags}`, {
    ...(signal ? { signal } : {}),
    env: { HOME: home, XDG_STATE_HOME: join(home, 'state') },
    transport: (origin, options) =>
      origin === 'http://sandbox.localhost'
        ? transportTo(world.sandbox)(origin, options)
        : createDirectTransport(origin, options),
  });
/** The folder of the records, and the first one. */
const records = () => join(home, 'state', 'svc', 'journals');
const firstRecord = async () => join(records(), (await readdir(records()))[0] ?? '');

const ids = (calls: readonly { headers: Record<string, unknown> }[]) =>
  calls.map(({ headers }) => String(headers['idempotency-key']).slice(-3));

test('sends the events of the log in order, once, without the token of the API', async () => {
  const { url, calls } = await openReceiver();
  const line = `--group acme --to ${url}/hook --since 7d --once`;
  const first = await exited(0, run(line));
  expect(ids(calls)).toEqual(['401', '402', '403']);
  const shown = first.out.replace(/\d\d:\d\d:\d\d/g, 'TIME').replace(/ {2}\d+ ms$/gm, '');
  const lineOf = (id: string) => `TIME  push  ${id}  acme/rocket  main  1 commit  200\n`;
  expect(shown).toBe(['401', '402', '403'].map(lineOf).join(''));
  expect(first.err).toContain('payloads in the log may be redacted or shortened');
  const [{ headers, body, method, url: path } = calls[0] as never] = calls;
  expect([method, path]).toEqual(['POST', '/hook']);
  expect(headers).toMatchObject({
    'x-service-event': 'Push Hook',
    'x-service-webhook-uuid': expect.any(String),
    'content-type': 'application/json',
  });
  expect(headers).not.toHaveProperty('x-service-token');
  const names: readonly Header[] = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  expect(names.flat().join('\n')).not.toMatch(/sandbox-admin|private-token|redacted/i);
  expect(JSON.parse(body)).toMatchObject({ object_kind: 'push', ref: 'refs/heads/main' });
  const again = await exited(0, run(line));
  expect(again.out).toBe('');
  expect(calls).toHaveLength(3);
});

test('begins with new events without --since', async () => {
  const { url, calls } = await openReceiver();
  const line = `--group acme --to ${url} --token hush-hush --once`;
  expect((await run(line)).code).toBe(0);
  expect(calls).toEqual([]);
  await world.run('hooks resend 301 402 --group acme');
  expect((await run(line)).code).toBe(0);
  expect(ids(calls)).toEqual(['402']);
  expect(calls[0]?.headers['x-service-token']).toBe('hush-hush');
});

test('--dry-run prints the events to send, and sends and records nothing', async () => {
  const { url, calls } = await openReceiver();
  const line = `--group acme --to ${url}/hook?key=secret --token hush-hush --since 7d`;
  const planned = await exited(0, run(`${line} --dry-run`));
  expect([calls, await readdir(records())]).toEqual([[], []]);
  expect(planned.out).not.toMatch(/secret|hush/);
  await exited(0, run(`${line} --once`));
  expect(jsonLines(planned.out).map(({ method, body }) => [method, body])).toEqual(
    calls.map(({ body }) => ['POST', JSON.parse(body)]),
  );
  expect((await exited(0, run(`${line} --dry-run`))).out).toBe('');
});

test('stops at a response that is not 2xx, and sends that event again in the next run', async () => {
  const statuses = [200, 500, 302, 204, 200];
  const body = 'the disk is full';
  const { url, calls } = await openReceiver(() => ({ status: statuses.shift() ?? 200, body }));
  const line = `--group acme --to ${url}/in?key=secret --since 7d --once`;
  const failed = await exited(9, run(line));
  expect(failed.err).toContain(`${url}/in responded to event 402 with status 500\n`);
  expect(failed.err).toContain('the disk is full');
  expect(failed.err).not.toContain('key=secret');
  expect((await run(line)).code).toBe(9);
  const last = await exited(0, run(line));
  expect(last.err).not.toContain('warning');
  expect(ids(calls)).toEqual(['401', '402', '402', '402', '403']);
});

test('has a record for each URL and webhook, in a file that only the user can read', async () => {
  const { url, calls } = await openReceiver();
  for (const to of ['a', 'b', 'a']) await run(`--group acme --to ${url}/${to} --since 7d --once`);
  expect(calls.map((call) => call.url)).toEqual(['/a', '/a', '/a', '/b', '/b', '/b']);
  await run(`--group 10 --to ${url}/a --since 7d --once`);
  expect(calls).toHaveLength(6);
  const files = await readdir(records());
  expect(files).toHaveLength(2);
  for (const file of files) {
    expect((await stat(join(records(), file))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(records(), file), 'utf8')).not.toContain(url);
  }
});

test('warns about an event that an earlier run may have sent', async () => {
  const { url, calls } = await openReceiver();
  const line = `--group acme --to ${url} --since 7d --once`;
  await run(line);
  await writeFile(await firstRecord(), '{"sent":402,"sending":403}', { mode: 0o600 });
  const ran = await run(line);
  expect(ran.err).toContain('warning: an earlier run ended while it sent event 403');
  expect(ids(calls)).toEqual(['401', '402', '403', '403']);
  expect((await run(line)).err).not.toContain('warning');
  // The log of a sandbox that started again has smaller ids.
  await writeFile(await firstRecord(), '{"sent":900}', { mode: 0o600 });
  expect((await run(line)).err).toContain('warning: the log starts again with smaller ids');
  expect(ids(calls).slice(4)).toEqual(['401', '402', '403']);
});

test('sends nothing again if a response lacks the last events, with a warning', async () => {
  const { url, calls } = await openReceiver();
  const line = `--group acme --to ${url} --since 7d --once`;
  await run(line);
  // The log shows the time of an event only in the response of its receiver.
  const date = new Date(Date.now() - 60_000).toUTCString();
  changeRow(world.sandbox, 'hook_events', 403, { response_headers: { date } });
  await writeFile(await firstRecord(), `{"sent":900,"time":${Date.now()}}`, { mode: 0o600 });
  const { err } = await exited(0, run(line));
  expect(err).toContain('warning: the log lacks the last event that was sent; nothing is sent until ');
  expect([calls.length, err.includes('starts again')]).toEqual([3, false]);
});

test('reports a damaged record', async () => {
  const { url } = await openReceiver();
  const line = `--group acme --to ${url} --once`;
  await run(line);
  await writeFile(await firstRecord(), '{"sent":', { mode: 0o600 });
  expect((await exited(1, run(line))).err).toContain('invalid JSON');
});

test('follows the log until it is interrupted, and refuses to run twice', async () => {
  const { url, calls } = await openReceiver();
  const line = `--group acme --to ${url} --interval 1`;
  const ending = new AbortController();
  const following = run(line, ending.signal);
  await until('the record', async () =>
    (await readdir(records()).catch(() => [])).some((name) => name.endsWith('.json')),
  );
  const second = await exited(2, run(line));
  expect(second.err).toContain('error: the same command is running already (process ');
  await world.run('hooks resend 301 403 --group acme');
  await until('the call', () => calls.length > 0);
  expect(ids(calls)).toEqual(['403']);
  ending.abort(new Failure('interrupted', 'interrupted'));
  expect((await following).code).toBe(130);
});

test.each([
  ['', '--to is missing'],
  ['--to http://127.0.0.1:9 --since soon', '--since must be a duration such as 2h, or a time'],
  ['--to http://127.0.0.1:9 --interval 0', '--interval must be a number of seconds from 1 to 86400'],
  ['--to http://127.0.0.1:9 --token @missing', '--token: cannot read'],
])('rejects %s', async (flags, message) => {
  const ran = await exited(2, run(`--group acme ${flags}`));
  expect(ran.err).toContain(message);
});
