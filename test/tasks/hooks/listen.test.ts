import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Failure } from '../../../src/errors.ts';
import { folderWith } from '../../support/folders.ts';
import { until } from '../../support/process.ts';
import { svc } from '../../support/svc.ts';

let folder: string;
let stop: AbortController;

beforeEach(async () => {
  folder = await folderWith();
  stop = new AbortController();
});
afterEach(() => stop.abort());

/** Start to listen. @returns the URL, the standard error so far, and the end */
async function listen(flags = '') {
  let err = '';
  const onError = (text: string) => {
    err += text;
  };
  const ended = svc(`hooks listen ${flags}`, { cwd: folder, signal: stop.signal, onError });
  await until('the URL', () => err.includes('\n'));
  return { url: err.split('\n')[0] ?? '', err: () => err, ended };
}

const push = { object_kind: 'push', ref: 'refs/heads/main', project: { path_with_namespace: 'acme/rocket' } };

function post(url: string, body: string = JSON.stringify(push), headers: Record<string, string> = {}) {
  const named = { 'content-type': 'application/json', 'x-service-event': 'Push Hook', ...headers };
  return fetch(url, { method: 'POST', headers: named, body });
}

test('rejects other tokens with 401 and a warning, and masks the right one', async () => {
  await writeFile(join(folder, 'token'), 'hook-secret\n');
  const { url, ended: end } = await listen('--token @token --count 1 -o ndjson');
  expect((await post(url)).status).toBe(401);
  expect((await post(url, '{}', { 'x-service-token': 'hook-secre' })).status).toBe(401);
  expect((await post(url, '{}', { 'x-service-other': 'hook-secret' })).status).toBe(401);
  expect((await post(url, undefined, { 'x-vendor-token': 'hook-secret' })).status).toBe(200);
  const ended = await end;
  expect(ended.err.match(/^warning: .*token.*401/gm)).toHaveLength(3);
  const lines = ended.out.trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  const line = JSON.parse(lines[0] ?? '');
  expect(Object.keys(line)).toEqual(['at', 'event', 'project', 'headers', 'payload']);
  expect(line).toMatchObject({ event: 'push', project: 'acme/rocket', payload: push });
  expect(line.headers['x-service-event']).toBe('Push Hook');
  expect(line.headers['x-vendor-token']).toBe('***');
  expect(ended.out + ended.err).not.toContain('hook-secret');
});

test('saves deliveries in files that only the user can read, with safe names', async () => {
  const { url, ended: end } = await listen('--save in --count 3');
  await post(url);
  await post(url, '{}', { 'x-service-event': '../../../up' });
  await post(url, 'no json');
  expect((await end).code).toBe(0);
  expect(await readdir(folder)).toEqual(['in']);
  const names = (await readdir(join(folder, 'in'))).sort();
  const kinds = names.map((name) => name.replace(/^\d{8}T\d{6}Z-/, ''));
  expect(kinds).toEqual(['0001-push.json', '0002-_up.json', '0003-push.json']);
  const file = join(folder, 'in', names[2] ?? '');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'in'))).mode & 0o777).toBe(0o700);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ event: 'push', payload: 'no json' });
});

test('keeps the digits of numbers, on one line and in files', async () => {
  const { url, ended: end } = await listen('--save in --count 1 -o ndjson');
  const body = '{"id":9007199254740993,\r\n "share": 1.0, "tiny":1E-400, "list":[-0, 10]}';
  await post(url, body);
  const { out } = await end;
  const exact = '{"id":9007199254740993,"share":1.0,"tiny":1E-400,"list":[-0,10]}';
  expect(out.endsWith(`,"payload":${exact}}\n`), out).toBe(true);
  const [name = ''] = await readdir(join(folder, 'in'));
  const saved = await readFile(join(folder, 'in', name), 'utf8');
  for (const line of ['    "id": 9007199254740993,', '    "share": 1.0,', '    "tiny": 1E-400,', '      -0,'])
    expect(saved.split('\n')).toContain(line);
  expect(JSON.parse(saved)).toEqual(JSON.parse(out));
});

test('counts commits exactly, and removes control characters of payloads', async () => {
  const { url, ended: end } = await listen('--count 2');
  await post(url, JSON.stringify({ ...push, total_commits_count: 0 }).replace(':0', ':9007199254740993'));
  await post(url, JSON.stringify({ ...push, ref: 'refs/heads/\u001b[2Jx\u009b31my\nz' }));
  const [counted, plain] = (await end).out.split('\n');
  expect(counted).toContain('  9007199254740993 commits  200  ');
  expect(plain).toMatch(/^\d\d:\d\d:\d\d {2}push {2}acme\/rocket {2}xy z {2}200 {2}\d+ ms$/);
});

test('rejects other methods, web pages and bodies that are too large', async () => {
  const { url, err, ended: end } = await listen();
  expect((await fetch(url)).status).toBe(405);
  expect((await post(url, '{}', { origin: 'https://evil.example' })).status).toBe(403);
  const status = await new Promise((resolve, reject) => {
    const large = request(url, { method: 'POST', headers: { 'content-length': 26 * 1024 * 1024 } });
    large.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    large.flushHeaders();
  });
  expect(status).toBe(413);
  await until('the warnings', () => err().match(/^warning: rejected request/gm)?.length === 3);
  for (const [status, reason] of [
    [405, 'the method is not POST'],
    [403, 'it comes from a web page'],
    [413, 'the body is larger than 25 MiB'],
  ])
    expect(err()).toContain(`: ${reason} (${status})\n`);
  stop.abort();
  expect((await end).out).toBe('');
});

test('rejects a body that is nested too deeply, and continues', async () => {
  const { url, ended: end } = await listen('--count 1 -o ndjson --save in');
  for (const body of ['['.repeat(200_000) + ']'.repeat(200_000), '{"a":'.repeat(1001), '['.repeat(1001)])
    expect((await post(url, body)).status).toBe(400);
  const allowed = '['.repeat(1000) + ']'.repeat(1000);
  expect((await post(url, allowed)).status).toBe(200);
  const ended = await end;
  expect(ended.code).toBe(0);
  const warning = /^warning: rejected request \d: the body is nested too deeply \(400\)$/gm;
  expect(ended.err.match(warning)).toHaveLength(3);
  expect(ended.out).toContain(`,"payload":${allowed}}\n`);
});

test('ends if it was interrupted before it could listen', async () => {
  stop.abort(new Failure('interrupted', 'interrupted'));
  const { code, err } = await svc('hooks listen', { cwd: folder, signal: stop.signal });
  expect([code, err]).toEqual([130, expect.stringContaining('Stopped. 0 deliveries.')]);
});

test('prints its URL first, a line per delivery, and ends after --count', async () => {
  const { url, ended: end } = await listen('--count 2 --status 204');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  for (const path of ['', '/any/path']) expect((await post(`${url}${path}`)).status).toBe(204);
  const { code, out, err } = await end;
  expect([code, err]).toEqual([0, `${url}\n`]);
  expect(out).toMatch(/^(\d\d:\d\d:\d\d {2}push {2}acme\/rocket {2}main {2}204 {2}\d+ ms\n){2}$/);
});

test('completes a delivery when it is interrupted', async () => {
  const { url, ended: end } = await listen();
  const sent = request(url, { method: 'POST', headers: { 'content-length': 2 } });
  const response = new Promise((resolve) =>
    sent.on('response', (one) => resolve(one.resume().statusCode)).on('error', resolve),
  );
  sent.write('{');
  await new Promise((resolve) => setTimeout(resolve, 100));
  stop.abort(new Failure('interrupted', 'interrupted'));
  sent.end('}');
  expect(await response).toBe(200);
  const { code, err } = await end;
  expect([code, err]).toEqual([130, expect.stringContaining('Stopped. 1 delivery.')]);
  await expect(post(url)).rejects.toThrow();
});

test('reports a port that is in use', async () => {
  const { port } = new URL((await listen()).url);
  const { code, err } = await svc(`hooks listen --port ${port}`);
  expect([code, err]).toEqual([1, expect.stringMatching(/^error: cannot use port \d+: .*in use/)]);
});
