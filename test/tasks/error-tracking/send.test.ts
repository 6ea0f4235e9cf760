import { beforeEach, expect, test } from 'vitest';
import { openReceiver } from '../../support/receiver.ts';
import { openWorld, type World } from '../../support/sandbox.ts';
import { jsonLines, svc } from '../../support/svc.ts';
import { exited } from '../engine/world.ts';

let world: World;

beforeEach(async () => {
  world = await openWorld();
});
test('sends a message to the client key of a project, as the service shows it then', async () => {
  const line = 'errors send --project acme/rocket --message "Fuel is low" --level warning --tag stage=2';
  const planned = await exited(0, world.run(`${line} --dry-run`));
  expect(planned.requests.map(({ method }) => method)).toEqual(['GET']);
  const { headers, body } = JSON.parse(planned.out);
  expect([headers['x-sentry-auth'], jsonLines(body)[2].message]).toEqual(['***', 'Fuel is low']);
  const ran = await exited(0, world.run(line));
  expect(ran.out).toBe('');
  expect(ran.err).toMatch(/^Sent event [0-9a-f]{32} to project 100\n$/);
  const [sent] = ran.requests.filter(({ method }) => method === 'POST');
  expect(sent?.url).toBe('http://sandbox.localhost/api/v4/error_tracking/collector/api/100/envelope/');
  expect(sent?.headers.map(([name]) => name)).not.toContain('private-token');
  const errors = await world.json('error-tracking errors --project acme/rocket');
  const event = { name: 'Fuel is low', level: 'warning', event_count: 1 };
  expect(errors).toContainEqual(expect.objectContaining(event));
});

test('sends a stack trace from standard input', async () => {
  const stdin = 'TypeError: no fuel\n    at open (/app/main.js:3:9)\n    at /app/run.js:1:2\n';
  const ran = await world.run('error-tracking send --project acme/rocket --stack-trace - --json', { stdin });
  expect(ran.code, ran.err).toBe(0);
  expect(JSON.parse(ran.out)).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/) });
  const errors = await world.json('error-tracking errors --project acme/rocket');
  const stack_trace = [
    { filename: '/app/run.js', function: '<anonymous>', lineno: 1 },
    { filename: '/app/main.js', function: 'open', lineno: 3 },
  ];
  const event = { name: 'TypeError', description: 'no fuel', stack_trace };
  expect(errors).toContainEqual(expect.objectContaining(event));
});

test('sends an envelope to the DSN of SVC_DSN, without the token of the API', async () => {
  const { url, calls } = await openReceiver();
  const SVC_DSN = `${url.replace('//', '//abc123@')}/prefix/7`;
  const env = { SVC_DSN, SVC_TOKEN: 'api-secret', SVC_BASE_URL: url };
  const ran = await exited(0, svc('errors send --message x --trace', { env }));
  expect(ran.err).not.toContain('abc123');
  const [{ url: path, headers, body } = calls[0] as never] = calls;
  expect(path).toBe('/prefix/api/7/envelope/');
  expect(headers['x-sentry-auth']).toContain('sentry_key=abc123');
  expect(JSON.stringify(headers)).not.toContain('api-secret');
  const [header, item, event] = jsonLines(body);
  expect(item.type).toBe('event');
  expect(event).toMatchObject({ event_id: header.event_id, message: 'x', level: 'error' });
});

test.each([
  [400, 6],
  [401, 4],
  [403, 4],
  [404, 5],
  [413, 6],
  [429, 7],
  [302, 6],
  [503, 8],
])('reports status %i with exit code %i, and never the DSN', async (status, code) => {
  const { url } = await openReceiver(() => ({ status, body: '{"detail":"bad key abc123"}' }));
  const env = { SVC_DSN: `${url.replace('//', '//abc123@')}/7` };
  const ran = await exited(code, svc('errors send --message x', { env }));
  expect(ran.err).toContain(`the service did not accept the event (status ${status})`);
  expect(ran.err).not.toContain('abc123');
});

test.each([
  ['errors send', '--message or --stack-trace is required'],
  ['errors send --message x', 'no DSN is given'],
  ['errors send --message x --dsn https://abc123@host.example/1', '--dsn must be @<file> or -'],
  ['errors send --message x --tag a', '--tag requires key=value'],
  ['errors send --message x --level loud', 'unknown value "loud"'],
])('rejects %s', async (line, message) => {
  const ran = await exited(2, svc(line, { env: { SVC_BASE_URL: 'https://host.example' } }));
  expect(ran.err).toContain(message);
  expect(ran.err).not.toContain('abc123');
});

const invalid = [
  'abc123',
  'https://host.example/1',
  'ftp://abc123@host.example/1',
  'https://abc123@host.example',
];
test.each(invalid)('rejects the DSN %s without printing it', async (dsn) => {
  const ran = await exited(2, svc('errors send --message x --dsn -', { stdin: `${dsn}\n` }));
  expect(ran.err).toContain('--dsn is not a valid DSN');
  expect(ran.err).not.toContain('abc123');
});
