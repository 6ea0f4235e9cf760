import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkInstallation, Findings } from '../../src/cli/builtin/doctor/program.ts';
import { folderWith } from '../support/folders.ts';
import { openWorld } from '../support/sandbox.ts';
import { startService, testService } from '../support/service.ts';
import { type Canned, canned, type Setting, svc } from '../support/svc.ts';

const address = 'http://127.0.0.1:4010';
const token = 'svcpat-Zq81LmPw';
const env = { SVC_BASE_URL: address, SVC_TOKEN: token };
const now = () => Date.parse('2026-03-01T00:00:00Z');

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly remedy: string | null;
  readonly facts: Readonly<Record<string, string | null>> | null;
}

const world = await openWorld();

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
  const home = await folderWith();
  const { code, out, err } = await world.run('doctor', {
    env: { SVC_BASE_URL: address, HOME: home, SVC_CONFIG_DIR: join(home, 'svc') },
  });
  expect([code, err]).toEqual([0, '']);
  const lines = out.trimEnd().split('\n');
  for (const line of lines) expect(line).toMatch(/^ok {4}\S/);
  const installed = ['svc', 'installation', 'runtime', 'platform', 'folders', 'profile file', 'profile'];
  for (const check of [...installed, 'base URL', 'proxy', 'DNS', 'connection', 'token', 'scopes', 'API'])
    expect(out).toMatch(new RegExp(`^ok {4}${check} `, 'm'));
  expect(out).toMatch(/belongs to root \(user 1\)/);
  expect(out).not.toContain('sandbox-admin');
});

test('exits with 2 and a remedy without a base URL', async () => {
  const { code, of } = await doctor({ env: {} });
  expect(code).toBe(2);
  expect(of('base URL')).toMatchObject({ status: 'fail', remedy: expect.stringMatching(/svc login/) });
});

test('reports a broken profile file once and exits with 2', async () => {
  const folder = await folderWith();
  await writeFile(join(folder, 'profiles.json'), '{"profiles":');
  const { code, rows } = await doctor({ env: { ...env, SVC_CONFIG_DIR: folder } });
  expect(code).toBe(2);
  expect(rows.filter(({ status }) => status === 'fail').map(({ check }) => check)).toEqual(['profile file']);
});

test('warns about a profile file that other users can read', async () => {
  const folder = await folderWith();
  const file = join(folder, 'profiles.json');
  await writeFile(file, '{"profiles":{}}');
  await chmod(file, 0o644);
  const given = { ...env, SVC_CONFIG_DIR: folder };
  const { code, of, err } = await doctor({ env: given, transport: service(healthy) });
  expect([code, err]).toEqual([0, '']);
  expect(of('profile file')).toMatchObject({ status: 'warn', remedy: expect.stringMatching(/^chmod 600 /) });
});

test('exits with 3 if the connection is refused', async () => {
  const closed = await startService(() => {});
  await closed.close();
  const { code, of, rows } = await doctor({ env: { ...env, SVC_BASE_URL: closed.origin } });
  expect(code).toBe(3);
  expect(of('connection')).toMatchObject({ status: 'fail', message: expect.stringMatching(/refused/) });
  expect(rows.some(({ check }) => check === 'API')).toBe(false);
});

test('exits with 3 after the timeout if the service does not respond', async () => {
  const { origin } = await testService(() => {});
  const { code, of } = await doctor({ env: { ...env, SVC_BASE_URL: origin } }, '--timeout 0.3');
  expect([code, of('connection').status]).toEqual([3, 'fail']);
});

test('exits with 4 without a token and with a rejected token', async () => {
  const none = await doctor({ env: { SVC_BASE_URL: address }, transport: service(healthy) });
  expect([none.code, none.of('token').status]).toEqual([4, 'fail']);
  const unauthorized = { status: 401, body: '{"message":"401 Unauthorized"}' };
  const refused = await doctor({ env, transport: service({ ...healthy, '/api/v4/user': unauthorized }) });
  expect(refused.code).toBe(4);
  expect(refused.of('token')).toMatchObject({
    message: 'the service rejects the access token from SVC_TOKEN',
    remedy: 'it may have expired or been revoked; replace it, or remove it and use svc login',
  });
  expect(refused.out).not.toContain(token);
});

test('a 403 is no rejected token, and comes from an API', async () => {
  const forbidden = { status: 403, body: '{"message":"403 Forbidden"}' };
  const answers = { '/api/v4/user': forbidden, '/api/v4/version': forbidden };
  const { code, of } = await doctor({ env, now, transport: service(answers) });
  expect([code, of('token').status, of('API').status]).toEqual([0, 'warn', 'ok']);
  expect(of('token').message).toContain('403 for the owner of the access token from SVC_TOKEN');
});

test('wraps findings on a terminal', async () => {
  const { out } = await world.run('doctor --color never', { env: { SVC_BASE_URL: address }, terminal: 50 });
  const lines = out.trimEnd().split('\n');
  expect(lines.some((line) => /^ {10,}\S/.test(line))).toBe(true);
  // A path is kept in one piece.
  for (const line of lines) if (!line.includes('/')) expect(line.length).toBeLessThanOrEqual(50);
});

test('reports the scopes and the expiration of a token', async () => {
  const self = async (scopes: readonly string[], expires_at: string | null) => {
    const body = JSON.stringify({ scopes, expires_at });
    const transport = service({ ...healthy, '/api/v4/personal_access_tokens/self': { body } });
    return (await doctor({ env, now, transport })).of('scopes');
  };
  expect(await self(['api'], null)).toMatchObject({ status: 'ok', message: 'api' });
  expect(await self(['api'], '2026-03-05')).toMatchObject({
    status: 'warn',
    message: 'api; expires in 4 days',
  });
  expect((await self(['read_api'], '2026-12-31')).status).toBe('warn');
});

test('finds no API in responses without a version', async () => {
  const transport = service({ '/api/v4/version': { body: '{}' }, '/api/v4/metadata': { body: '{}' } });
  expect((await doctor({ env, now, transport })).of('API')).toMatchObject({ status: 'fail' });
});

test('warns about a clock that differs by more than a minute', async () => {
  const at = (date: string) => {
    const version: Canned = { body: '{"version":"1"}', headers: [['date', date]] };
    return doctor({ env, now, transport: service({ ...healthy, '/api/v4/version': version }) });
  };
  expect((await at('Sun, 01 Mar 2026 00:00:59 GMT')).of('clock').status).toBe('ok');
  const late = await at('Sun, 01 Mar 2026 00:02:00 GMT');
  expect(late.code).toBe(0);
  expect(late.of('clock')).toMatchObject({
    status: 'warn',
    message: '120 s behind the clock of the service',
  });
});

test('checks a job token as a job token', async () => {
  const { code, of } = await doctor({
    env: { SVC_BASE_URL: address, SVC_JOB_TOKEN: 'jt-1234567' },
    transport: service({ ...healthy, '/api/v4/job': { body: '{"id":9,"name":"build"}' } }),
  });
  expect(code).toBe(0);
  expect(of('token').message).toBe('the job token from SVC_JOB_TOKEN belongs to job 9 (build)');
});

test('reports a login page in place of the API', async () => {
  const page = { body: '<html>Sign in</html>' };
  const { code, of } = await doctor({ env, transport: canned(() => page) });
  expect(code).toBe(8);
  expect(of('token')).toMatchObject({ status: 'fail', message: expect.stringContaining('not JSON') });
});

test('reports only the origin of a redirect', async () => {
  const headers = [['location', 'https://new.example/api/v4/version?sig=hush']] as const;
  const { of, out } = await doctor({ env, transport: canned(() => ({ status: 301, headers })) });
  const message = expect.stringMatching(/redirects to https:\/\/new\.example$/);
  expect(of('connection')).toMatchObject({ status: 'warn', message });
  expect(out).not.toContain('hush');
});

test('reports the proxy without its password', async () => {
  const proxy = { SVC_BASE_URL: 'https://host.example', HTTPS_PROXY: 'http://user:hush@proxy.example:3128' };
  const { of, out } = await doctor({ env: { ...env, ...proxy }, transport: service(healthy) });
  expect(of('proxy').message).toBe('http://proxy.example:3128');
  expect(out).not.toContain('hush');
});

describe('the program', () => {
  /** A home, and a folder of shared data. */
  async function machine() {
    const home = await folderWith();
    const share = join(home, 'usr/share');
    const own = { ...env, HOME: home, SHELL: '/bin/zsh', XDG_DATA_DIRS: share, PATH: home };
    const look = (more = {}) => doctor({ env: { ...own, ...more }, transport: service(healthy) });
    const run = (line: string) => svc(line, { env: own });
    return { home, share, look, run };
  }

  test('prints the version, the runtime, the platform and the folders, in text and for programs', async () => {
    const { home, look } = await machine();
    const { of } = await look();
    expect(of('svc').facts).toEqual({ version: of('svc').message });
    expect(of('runtime')).toMatchObject({
      message: `Node.js ${process.versions.node}`,
      facts: { name: 'Node.js', version: process.versions.node },
    });
    expect(of('platform').facts).toEqual({ platform: process.platform, arch: process.arch });
    expect(of('installation').facts?.['kind']).toBe('checkout');
    const { facts } = of('folders');
    expect(Object.keys(facts ?? {})).toEqual(['config', 'state', 'cache']);
    for (const folder of ['state', 'cache']) expect(facts?.[folder]).toContain(home);
  });

  test('every row has the same columns, so that csv and --fields work', async () => {
    const { look } = await machine();
    for (const row of (await look()).rows)
      expect(Object.keys(row)).toEqual(['check', 'status', 'message', 'remedy', 'facts']);
  });

  test.each([
    ['-o json', {}],
    ['', { SVC_OUTPUT: 'json' }],
  ])('exits with 2 and prints JSON with invalid settings, with "%s" and %j', async (flags, more) => {
    const { code, out } = await svc(`doctor ${flags}`, { env: { ...env, SVC_TIMEOUT: 'soon', ...more } });
    expect(code).toBe(2);
    const finding = { check: 'settings', status: 'fail', message: expect.stringContaining('SVC_TIMEOUT') };
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining(finding));
  });

  test.each([
    ['executable', '/usr/bin/svc', 'executable /usr/bin/svc'],
    ['package', '/usr/lib/node_modules/svc-cli', 'npm package in /usr/lib/node_modules/svc-cli'],
    ['checkout', '/home/mia/svc', 'checkout in /home/mia/svc'],
  ] as const)('names the kind of installation: %s', (kind, path, message) => {
    const found = new Findings();
    checkInstallation(found, { kind, path, runtime: 'Bun 1.4.5' });
    expect(found.rows[0]).toMatchObject({ status: 'ok', message, facts: { kind, path } });
  });

  test.skipIf(process.platform === 'win32')('warns if svc cannot cache compiled code', async () => {
    const { home, look } = await machine();
    expect((await look()).of('code cache')).toBeUndefined();
    await mkdir(join(home, '.git'));
    const { code, of } = await look();
    expect([code, of('code cache')]).toMatchObject([0, { status: 'warn' }]);
    expect(of('code cache').message).toContain(`${home} is a checkout of a repository`);
  });

  describe('warns about folders', () => {
    test('that cannot be created, with each folder and the cause', async () => {
      const { home, look } = await machine();
      await writeFile(join(home, 'file'), '');
      const { code, of } = await look({ HOME: join(home, 'file'), SVC_CONFIG_DIR: join(home, 'file/svc') });
      expect(code).toBe(0);
      const { status, message, facts } = of('folders');
      expect(status).toBe('warn');
      for (const folder of Object.values(facts ?? {})) expect(message).toContain(folder);
      expect(message).toContain(': a part of the path is not a directory');
    });

    test.skipIf(process.getuid?.() === 0)('in a home that is read-only', async () => {
      const { home, look } = await machine();
      await chmod(home, 0o500);
      const { of } = await look();
      await chmod(home, 0o700);
      expect(of('folders')).toMatchObject({ status: 'warn' });
      expect(of('folders').message).toContain(': permission denied');
    });

    test.skipIf(process.platform === 'win32')('that other users can change', async () => {
      const { home, look } = await machine();
      await mkdir(join(home, '.cache'));
      await chmod(join(home, '.cache'), 0o777);
      const { of } = await look({ SVC_CONFIG_DIR: join(home, 'svc') });
      expect(of('folders')).toMatchObject({
        status: 'warn',
        message: `cannot use cache ${home}/.cache/svc: other users can change ${home}/.cache`,
      });
    });
  });

  test('reports a relative SVC_CONFIG_DIR as one failure', async () => {
    const { look } = await machine();
    const { code, rows } = await look({ SVC_CONFIG_DIR: 'here' });
    expect(code).toBe(2);
    expect(rows.filter(({ status }) => status === 'fail')).toHaveLength(1);
  });

  test('prints no secret', async () => {
    const { look } = await machine();
    const { out } = await look({ SVC_JOB_TOKEN: 'jt-hush-1234', SVC_DSN: 'https://hush@host.example/1' });
    expect(out).not.toMatch(/hush|svcpat-Zq81LmPw/);
  });
});
