import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventHeader, eventName, hookFlags } from '../../../src/webhooks/events.ts';
import { folderWith } from '../../support/folders.ts';
import { openReceiver } from '../../support/receiver.ts';
import { svc } from '../../support/svc.ts';
import { exited } from '../engine/world.ts';

/** An API token and a base URL: neither may reach the receiver. */
const env = { SVC_TOKEN: 'api-secret', SVC_BASE_URL: 'https://api.example' };
const now = () => Date.parse('2026-04-01T12:00:00Z');

test.each(hookFlags)('sends a sample of %s with its headers', async (flag) => {
  const { url, calls } = await openReceiver();
  const name = eventName(flag).replaceAll('_', '-');
  const ran = await exited(0, svc(['hooks', 'trigger', name, '--to', `${url}/hook?x=1`], { env, now }));
  expect(ran.err).toBe(`Sent event ${eventName(flag)} to ${url}/hook (response status 200)\n`);
  expect(ran.out).toBe('');
  const [{ method, url: path, headers, body } = calls[0] as never] = calls;
  expect(calls).toHaveLength(1);
  expect([method, path]).toEqual(['POST', '/hook?x=1']);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-event': eventHeader(flag),
    'x-service-instance': 'https://host.example',
    'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-service-webhook-uuid': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-service-event-uuid': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(headers).not.toHaveProperty('x-service-token');
  expect(JSON.stringify(headers) + body).not.toContain('api-secret');
  expect(JSON.parse(body)).toBeTypeOf('object');
});

test('a dry run prints the request with its secrets masked, and sends nothing', async () => {
  const { url, calls } = await openReceiver();
  const line = `hooks trigger push --to ${url}/hook?key=x --token hook-secret --set ref=refs/heads/x --dry-run`;
  const ran = await exited(0, svc(line, { env, now }));
  expect(JSON.parse(ran.out)).toMatchObject({
    method: 'POST',
    url: `${url}/hook?key=***`,
    headers: { 'content-type': 'application/json', 'x-service-token': '***' },
    body: { object_kind: 'push', ref: 'refs/heads/x' },
  });
  expect([ran.err, calls]).toEqual(['', []]);
});

test('sends the token of a file, and names headers after the vendor', async () => {
  const { url, calls } = await openReceiver();
  const cwd = await folderWith();
  await writeFile(join(cwd, 'token'), 'hook-secret\n');
  const setting = { cwd, env: { ...env, SVC_VENDOR: 'Acme' } };
  const ran = await exited(0, svc(`hooks trigger push --to ${url} --token @token --trace`, setting));
  expect(calls[0]?.headers).toMatchObject({ 'x-acme-token': 'hook-secret', 'x-acme-event': 'Push Hook' });
  expect(ran.err).not.toContain('hook-secret');
});

test.each(['1.0', '9007199254740993', '-0', '1E400', '[1.50,{"a":1e2}]'])(
  'sets %s unchanged',
  async (number) => {
    const { url, calls } = await openReceiver();
    const argv = ['hooks', 'trigger', 'push', '--to', url, '--set', `project.id=${number}`];
    await exited(0, svc(argv, { env }));
    expect(calls[0]?.body).toContain(`"project":{"id":${number},`);
    const planned = await exited(0, svc([...argv, '--dry-run'], { env }));
    expect(planned.out).toContain(`"project":{"id":${number},`);
  },
);

test('sets values of the payload', async () => {
  const { url, calls } = await openReceiver();
  const values = `project.name=Ship commits.0.title=One total_commits_count=7 user_name="9" extra={"a":[1]}`;
  const flags = values.split(' ').flatMap((value) => ['--set', value]);
  await exited(0, svc(['hooks', 'trigger', 'push', '--to', url, ...flags], { env }));
  expect(JSON.parse(calls[0]?.body ?? '')).toMatchObject({
    project: { name: 'Ship', id: 100 },
    commits: [{ title: 'One' }, {}, {}],
    total_commits_count: 7,
    user_name: '9',
    extra: { a: [1] },
  });
});

test.each([
  ['hooks trigger pussh --to http://127.0.0.1:9', 'unknown event "pussh"'],
  ['hooks trigger push', '--to is missing'],
  ['hooks trigger push --to ftp://127.0.0.1', '--to must be a URL with http:// or https://'],
  ['hooks trigger push --to http://a:b@127.0.0.1', '--to must not contain a user name or password'],
  ['hooks trigger push --to http://127.0.0.1:9 --set x', '--set requires path=value'],
  ['hooks trigger push --to http://127.0.0.1:9 --set ref.x=1', '--set ref.x: the payload has no ref.x'],
  ['hooks trigger push --to http://127.0.0.1:9 --set __proto__.x=1', 'the payload has no __proto__.x'],
  ['hooks trigger push --to http://127.0.0.1:9 --set commits.x=1', 'the payload has no commits.x'],
  ['hooks trigger push --to http://127.0.0.1:9 --set commits.99=1', 'the payload has no commits.99'],
])('rejects %s', async (line, message) => {
  const ran = await exited(2, svc(line, { env }));
  expect(ran.err).toContain(message);
  expect(Reflect.get({}, 'x')).toBeUndefined();
});

test('reports a status other than 2xx, redirects included, with exit code 9', async () => {
  for (const status of [302, 404, 500]) {
    const location = { location: '/elsewhere' };
    const { url, calls } = await openReceiver(() => ({ status, headers: location, body: 'no \x1b[31mdisk' }));
    const ran = await exited(9, svc(['hooks', 'trigger', 'push', '--to', `${url}/in?key=secret`], { env }));
    expect(ran.err).toContain(`${url}/in responded to the event push with status ${status}`);
    expect(ran.err).toMatch(/no disk/);
    expect(ran.err).not.toMatch(/key=secret|\x1b/);
    expect(calls).toHaveLength(1);
  }
});

test('reports a receiver that does not run as a network error', async () => {
  const ran = await svc(['hooks', 'trigger', 'push', '--to', 'http://127.0.0.1:1/in?key=secret'], { env });
  expect(ran.code).toBe(3);
  expect(ran.err).not.toContain('key=secret');
});

test.each([
  ['the tokens of the API', `api-secret ${btoa('job-secret')}`, '*** ***'],
  ['the token of the webhook', 'no hook-secret', 'no ***'],
])('masks %s that the receiver repeats', async (_, body, masked) => {
  const tokens = { SVC_TOKEN: 'api-secret', SVC_JOB_TOKEN: 'job-secret' };
  const { url } = await openReceiver(() => ({ status: 400, body }));
  const argv = ['hooks', 'trigger', 'push', '--to', url, '--token', 'hook-secret'];
  const ran = await exited(9, svc(argv, { env: { ...env, ...tokens } }));
  expect(ran.err).toContain(masked);
});
