import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderWith } from '../support/folders.ts';
import { type Started, sharedHome, start, svc, until } from '../support/process.ts';

const home = await sharedHome();
let folder: string;
const running: Started[] = [];

beforeEach(async () => {
  folder = await folderWith();
});
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
});

async function listen(...flags: string[]): Promise<{ started: Started; url: string }> {
  const started = start(home, ['hooks', 'listen', ...flags], { cwd: folder });
  running.push(started);
  await until('the URL', () => started.err().includes('\n'));
  return { started, url: started.err().split('\n')[0] ?? '' };
}

const push = { object_kind: 'push', ref: 'refs/heads/main', project: { path_with_namespace: 'acme/rocket' } };

function post(url: string, body: string = JSON.stringify(push), headers: Record<string, string> = {}) {
  const named = { 'content-type': 'application/json', 'x-service-event': 'Push Hook', ...headers };
  return fetch(url, { method: 'POST', headers: named, body });
}

test('prints its URL first, a line per delivery, and ends after --count', async () => {
  const { started, url } = await listen('--count', '2', '--status', '204');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await post(url)).status).toBe(204);
  expect((await post(`${url}/any/path`)).status).toBe(204);
  const ended = await started.ended;
  expect(ended.code).toBe(0);
  expect(ended.out).toMatch(/^(\d\d:\d\d:\d\d {2}push {2}acme\/rocket {2}main {2}204 {2}\d+ ms\n){2}$/);
  expect(ended.err).toBe(`${url}\n`);
});

test('completes a delivery and ends with 130 on SIGINT', async () => {
  const { started, url } = await listen();
  const sent = request(url, { method: 'POST', headers: { 'content-length': 2 } });
  const response = new Promise((resolve) =>
    sent.on('response', (one) => resolve(one.resume().statusCode)).on('error', resolve),
  );
  sent.write('{');
  await new Promise((resolve) => setTimeout(resolve, 100));
  started.child.kill('SIGINT');
  sent.end('}');
  expect(await response).toBe(200);
  const ended = await started.ended;
  expect(ended.code).toBe(130);
  expect(ended.err).not.toMatch(/error:.*bug/);
  expect(ended.err).toContain('Stopped. 1 delivery.');
  await expect(post(url)).rejects.toThrow();
});

test('reports a port that is in use', async () => {
  const { url } = await listen();
  const ran = await svc(home, ['hooks', 'listen', '--port', new URL(url).port]);
  expect(ran.code).toBe(1);
  expect(ran.err).toMatch(/^error: cannot use port \d+: .*in use/);
});
