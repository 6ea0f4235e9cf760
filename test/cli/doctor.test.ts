/** `svc doctor` (issue 5, item 9). */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openWorld, type World } from '../support/sandbox.ts';
import { type Canned, canned, type Setting, svc } from '../support/svc.ts';

const address = 'http://127.0.0.1:4010';
const token = 'svcpat-Zq81LmPw';
const env = { SVC_BASE_URL: address, SVC_TOKEN: token };

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly remedy: string | null;
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});

async function doctor(setting: Setting, flags = '') {
  const ran = await svc(`doctor --json ${flags}`, setting);
  const rows = JSON.parse(ran.out) as Finding[];
  return { ...ran, rows, of: (check: string) => rows.find((row) => row.check === check) as Finding };
}

/** A service with a response for each path. */
const service = (answers: Readonly<Record<string, Canned>>) =>
  canned(({ url }) => answers[new URL(url).pathname] ?? { status: 404, body: '{"message":"404 Not Found"}' });

const healthy = {
  '/api/v4/version': { body: '{"version":"18.6.0"}' },
  '/api/v4/user': { body: '{"id":1,"username":"mia"}' },
};

test('prints a line for each check with the owner of the token, and exits with 0', async () => {
  const { code, out, err } = await world.run('doctor', { env: { SVC_BASE_URL: address } });
  expect([code, err]).toEqual([0, '']);
  const lines = out.trimEnd().split('\n');
  expect(lines.every((line) => /^ok {4}\S/.test(line))).toBe(true);
  for (const check of [
    'node',
    'svc',
    'profile file',
    'profile',
    'base URL',
    'proxy',
    'DNS',
    'connection',
    'token',
    'scopes',
    'API',
    'sandbox',
  ])
    expect(out).toMatch(new RegExp(`^ok {4}${check} `, 'm'));
  expect(out).toMatch(/belongs to root \(user 1\)/);
  expect(out).not.toContain('sandbox-admin');
});

test('exits with 2 and a remedy without a base URL', async () => {
  const { code, of } = await doctor({ env: {} });
  expect(code).toBe(2);
  expect(of('base URL')).toMatchObject({ status: 'fail', remedy: expect.stringMatching(/svc login/) });
});

test('exits with 2 for an invalid setting', async () => {
  const { code, of } = await doctor({ env: { ...env, SVC_TIMEOUT: 'soon' } });
  expect(code).toBe(2);
  expect(of('settings')?.message).toMatch(/SVC_TIMEOUT/);
});

test('reports a broken profile file once and exits with 2', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'profiles.json'), '{"profiles":');
  const { code, rows } = await doctor({ env: { ...env, SVC_CONFIG_DIR: folder } });
  expect(code).toBe(2);
  expect(rows.filter(({ status }) => status === 'fail').map(({ check }) => check)).toEqual(['profile file']);
});

test('warns about a profile file that other users can read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'profiles.json');
  await writeFile(file, '{"profiles":{}}');
  await chmod(file, 0o644);
  const { code, of, err } = await doctor({
    env: { ...env, SVC_CONFIG_DIR: folder },
    transport: service(healthy),
  });
  expect([code, err]).toEqual([0, '']);
  expect(of('profile file')).toMatchObject({ status: 'warn', remedy: expect.stringMatching(/^chmod 600 /) });
});

test('exits with 3 if the connection is refused', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  const { code, of, rows } = await doctor({ env: { ...env, SVC_BASE_URL: `http://127.0.0.1:${port}` } });
  expect(code).toBe(3);
  expect(of('connection')).toMatchObject({ status: 'fail', message: expect.stringMatching(/refused/) });
  expect(rows.some(({ check }) => check === 'API')).toBe(false);
});

test('exits with 3 after the timeout if the service does not respond', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { code, of } = await doctor(
    { env: { ...env, SVC_BASE_URL: `http://127.0.0.1:${port}` } },
    '--timeout 0.3',
  );
  expect([code, of('connection').status]).toEqual([3, 'fail']);
});

test('exits with 4 without a token and with a rejected token', async () => {
  const none = await doctor({ env: { SVC_BASE_URL: address }, transport: service(healthy) });
  expect([none.code, none.of('token').status]).toEqual([4, 'fail']);
  const refused = await doctor({
    env,
    transport: service({
      ...healthy,
      '/api/v4/user': { status: 401, body: '{"message":"401 Unauthorized"}' },
    }),
  });
  expect([refused.code, refused.of('token').message]).toEqual([
    4,
    'the service rejects the access token from SVC_TOKEN',
  ]);
  expect(refused.out).not.toContain(token);
});

test('wraps findings on a terminal', async () => {
  const { out } = await world.run('doctor --color never', { env: { SVC_BASE_URL: address }, terminal: 50 });
  const lines = out.trimEnd().split('\n');
  expect(lines.some((line) => /^ {10,}\S/.test(line))).toBe(true);
  // A path is kept in one piece.
  for (const line of lines) if (!line.includes('/')) expect(line.length).toBeLessThanOrEqual(50);
});

test('reports the scopes and the expiration of a token', async () => {
  const now = Date.parse('2026-03-01T00:00:00Z');
  const self = (scopes: readonly string[], expires_at: string | null) =>
    doctor({
      env,
      now: () => now,
      transport: service({
        ...healthy,
        '/api/v4/personal_access_tokens/self': { body: JSON.stringify({ scopes, expires_at }) },
      }),
    });
  expect((await self(['api'], null)).of('scopes')).toMatchObject({ status: 'ok', message: 'api' });
  expect((await self(['api'], '2026-03-05')).of('scopes')).toMatchObject({
    status: 'warn',
    message: 'api; expires in 4 days',
  });
  expect((await self(['read_api'], '2026-12-31')).of('scopes').status).toBe('warn');
});

test('warns about a clock that differs by more than a minute', async () => {
  const now = Date.parse('2026-03-01T00:00:00Z');
  const at = (date: string) =>
    doctor({
      env,
      now: () => now,
      transport: service({
        ...healthy,
        '/api/v4/version': { body: '{"version":"1"}', headers: [['date', date]] },
      }),
    });
  expect((await at('Sun, 01 Mar 2026 00:00:59 GMT')).of('clock').status).toBe('ok');
  const late = await at('Sun, 01 Mar 2026 00:02:00 GMT');
  expect([late.code, late.of('clock')]).toMatchObject([
    0,
    { status: 'warn', message: '120 s behind the clock of the service' },
  ]);
});

test('checks a job token as a job token', async () => {
  const { code, of } = await doctor({
    env: { SVC_BASE_URL: address, SVC_JOB_TOKEN: 'jt-1234567' },
    transport: service({ ...healthy, '/api/v4/job': { body: '{"id":9,"name":"build"}' } }),
  });
  expect([code, of('token').message]).toEqual([
    0,
    'the job token from SVC_JOB_TOKEN belongs to job 9 (build)',
  ]);
});

test('reports a login page in place of the API', async () => {
  const page = { body: '<html>Sign in</html>' };
  const { code, of } = await doctor({ env, transport: canned(() => page) });
  expect(code).toBe(8);
  expect(of('token')).toMatchObject({ status: 'fail', message: expect.stringContaining('not JSON') });
});

test('reports only the origin of a redirect', async () => {
  const moved = {
    status: 301,
    headers: [['location', 'https://new.example/api/v4/version?sig=hush']] as const,
  };
  const { of, out } = await doctor({ env, transport: canned(() => moved) });
  expect(of('connection')).toMatchObject({
    status: 'warn',
    message: expect.stringMatching(/redirects to https:\/\/new\.example$/),
  });
  expect(out).not.toContain('hush');
});

test('reports the proxy without its password', async () => {
  const { of, out } = await doctor({
    env: {
      SVC_BASE_URL: 'https://host.example',
      SVC_TOKEN: token,
      HTTPS_PROXY: 'http://user:hush@proxy.example:3128',
    },
    transport: service(healthy),
  });
  expect(of('proxy').message).toBe('http://proxy.example:3128');
  expect(out).not.toContain('hush');
});
