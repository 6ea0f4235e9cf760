/** python-gitlab, a third-party client, while the sandbox has faults and another time. Skipped if it is not installed. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../gitbeaker/world.ts';
import type { Role } from '../support/sandbox.ts';

/** The Python of the system has the packages of the distribution, which another Python on the path may lack. */
const python = ['python3', '/usr/bin/python3'].find(
  (one) => spawnSync(one, ['-c', 'import gitlab']).status === 0,
);
if (!python) console.warn('test/clients/python-gitlab.test.ts is skipped: python-gitlab is not installed');

const script = join(import.meta.dirname, 'python-gitlab.py');
const day = 86_400_000;

let world: ServedSandbox;
beforeEach(async () => {
  world = await serveSandbox();
});

async function call(
  name: string,
  { as = 'owner', ...options }: { as?: Exclude<Role, 'none'>; retry_transient_errors?: boolean } = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read any property
): Promise<any> {
  const { host, token } = world.as(as);
  const ran = await execa(python as string, [script, name, JSON.stringify(options)], {
    env: { PATH: process.env['PATH'], URL: host, TOKEN: token, NO_PROXY: '127.0.0.1' },
    extendEnv: false,
    reject: false,
    all: true,
  });
  expect(ran.exitCode, ran.all).toBe(0);
  return JSON.parse(ran.stdout);
}

const statuses = () => world.sandbox.control.requests.list().map(({ status }) => status);

describe.runIf(python)('python-gitlab', () => {
  test('reads projects, lists with all pages, and filters', async () => {
    expect(await call('reads', { as: 'admin' })).toEqual({
      project: 100,
      jobs: Array.from({ length: 280 }, (_, at) => 5280 - at),
      failed: true,
      branches: expect.arrayContaining(['main', 'feature/search']),
      users: ['mia'],
    });
  });

  test('creates, changes, downloads and deletes, slowly with a delay', async () => {
    world.sandbox.control.faults.add({ match: '* /**', latency: 20 });
    expect(await call('writes')).toEqual({
      variable: 'south',
      file: 'one\n',
      snippet: 'echo hello\n',
      badge: 'project',
      upload: 'a.txt',
      wiki: 'Python',
      deleted: 404,
    });
  });

  test('obeys Retry-After of a throttled list', async () => {
    const throttled = { match: 'GET /projects/*/jobs', status: 429, retry_after: 0, times: 2 };
    world.sandbox.control.faults.add(throttled);
    expect(await call('jobs')).toBe(280);
    expect(statuses()).toEqual([429, 429, 200, 200, 200]);
  });

  test('repeats a write after a server error, and a read after a broken connection', async () => {
    const { faults } = world.sandbox.control;
    faults.add({ match: 'POST /projects/*/variables', status: 503, times: 1 });
    expect(await call('create', { retry_transient_errors: true })).toBe('REGION');
    expect(statuses()).toEqual([503, 201]);
    faults.add({ match: 'GET /projects/*/jobs', cut: 'headers', times: 1 });
    expect(await call('jobs', { retry_transient_errors: true })).toBe(280);
  });

  test('reports the status of each error', async () => {
    world.sandbox.control.faults.add({ match: 'GET /projects/*/jobs', status: 429 });
    expect(await call('errors')).toEqual({ unknown: 404, taken: 400, 'wrong token': 401, throttled: 429 });
  });

  test('works at another time, also while it is throttled, and after a snapshot was loaded', async () => {
    const { clock, faults, snapshots } = world.sandbox.control;
    await snapshots.save('before');
    clock.advance('30d');
    faults.add({ match: 'POST /**', status: 429, retry_after: 1, times: 1 });
    const { starts_at, active } = await call('message', { as: 'admin' });
    expect(active).toBe(true);
    expect(Date.parse(starts_at)).toBeGreaterThan(Date.now() + 29 * day);
    expect(await call('create')).toBe('REGION');
    expect(await call('show')).toBe(200);
    await snapshots.load('before');
    expect(await call('show')).toBe(404);
  });
});
