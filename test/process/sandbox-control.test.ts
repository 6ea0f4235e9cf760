/** `svc sandbox faults|clock|snapshot|requests|emit|env`, with a running sandbox and with a saved state. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { command, type Home, start, svc, testHome, until } from '../support/process.ts';
import { jsonLines, words } from '../support/svc.ts';

let home: Home;
beforeEach(async () => {
  home = await testHome();
});
afterEach(() => run('sandbox stop'));

const run = (line: string, env: Record<string, string> = {}) => svc(home, words(line), { env });
const ok = async (line: string) => {
  const ran = await run(line);
  expect(ran.code, `${line}\n${ran.err}`).toBe(0);
  return ran;
};
/** Run a command that must fail with a message. */
const fails = async (line: string, code: number, message: string) => {
  const ended = await run(line);
  expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(message)]);
};
const json = async (line: string) => JSON.parse((await ok(`${line} --json`)).out);

describe('a saved state', () => {
  test('is controlled between commands, and the next command sees it', async () => {
    const set = await ok('sandbox clock set 2031-02-03T04:05:06Z --jq .now -r');
    expect(set.out).toMatch(/^2031-02-03T04:05:0/);
    const added = await ok("sandbox faults add 'GET /projects/*/jobs' --status 404 --times 1");
    expect(added.err).toBe('Added a fault: GET /projects/*/jobs, status 404, times 1\n');
    expect(await json('sandbox faults list')).toEqual([
      { match: 'GET /projects/*/jobs', status: 404, times: 1 },
    ]);
    expect((await ok('sandbox snapshot save one')).err).toBe('Saved snapshot one\n');
    expect((await run('--sandbox jobs list -p acme/rocket')).code).toBe(5);
    expect(await json('sandbox faults list')).toEqual([]);
    await ok('sandbox snapshot load one');
    expect((await json('sandbox faults list')).length).toBe(1);
    expect((await ok('sandbox faults clear')).err).toBe('Removed all faults\n');
    expect((await json('sandbox snapshot list')).map(({ name }: { name: string }) => name)).toEqual(['one']);
    expect((await ok('sandbox snapshot delete one')).err).toBe('Deleted snapshot one\n');
    expect((await run('sandbox snapshot load one')).code).toBe(5);
    expect((await ok('sandbox clock advance 8d --jq .now -r')).out).toMatch(/^2031-02-11T/);
    await ok('sandbox snapshot save two');
    expect((await ok('sandbox reset --yes')).err).toBe('Deleted the state of the sandbox\n');
    expect(await json('sandbox snapshot list')).toHaveLength(1);
  });

  test('is not created by commands that show something', async () => {
    for (const line of ['sandbox clock', 'sandbox faults list', 'sandbox snapshot list']) await ok(line);
    await ok('sandbox start --detach --tier free');
    expect((await run('--sandbox epics list -g acme')).code).toBe(4);
  });
});

describe('a running sandbox', () => {
  test('is selected by the lines of env, and lists its requests', async () => {
    await ok('sandbox start --memory --detach');
    const { out } = await ok('sandbox env');
    const env = Object.fromEntries(
      [...out.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    ) as Record<string, string>;
    expect(Object.keys(env)).toEqual(['SVC_BASE_URL', 'SVC_TOKEN', 'SVC_JOB_TOKEN']);
    const set = await run('variables set REGION north-secret -p acme/rocket', env);
    expect(set.code, set.err).toBe(0);
    const log = await json('sandbox requests --limit 1');
    expect(log).toMatchObject([
      {
        method: 'POST',
        path: '/api/v4/projects/acme%2Frocket/variables',
        status: 201,
        caller: 'root',
        body: { key: 'REGION', value: '***' },
      },
    ]);
    const chosen = await run('sandbox requests --limit 1', { SVC_OUTPUT: 'json' });
    expect(JSON.parse(chosen.out)).toEqual(log);
    const table = await ok('sandbox requests');
    expect(table.out).toMatch(/^AT +METHOD +STATUS +MS +CALLER +PATH +FAULT$/m);
    expect(table.out).not.toContain('north-secret');
    await ok('sandbox requests --clear');
    expect(await json('sandbox requests')).toEqual([]);
    // A command of exec controls its own sandbox, not the running one.
    const line = '$SVC sandbox reset --yes -q && $SVC sandbox clock advance 8d --jq .offset_seconds';
    const inside = await svc(home, ['sandbox', 'exec', '--', 'sh', '-c', line], {
      env: { SVC: command.join(' ') },
    });
    expect([inside.code, inside.out.trim()], inside.err).toEqual([0, '691200']);
    expect((await json('sandbox clock')).offset_seconds).toBe(0);
  });

  test('prints new requests with --follow until it is interrupted', async () => {
    const { base_url: url } = await json('sandbox start --memory --detach');
    const following = start(home, words('sandbox requests --follow -o ndjson'));
    const ask = () => fetch(`${url}/api/v4/version?mark=1`);
    await until('the first lines', async () => {
      await ask();
      return following.out().split('\n').length > 3;
    });
    following.child.kill('SIGINT');
    expect(await following.ended).toMatchObject({ code: 130, err: '' });
    const ids = jsonLines(following.out()).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, index) => ids[0] + index));
  });

  test('Ctrl-C stops a sandbox in the foreground, and is not an error', async () => {
    const started = start(home, words('sandbox start --memory --quiet'));
    await until('the URL', () => started.out().includes('Base URL'));
    started.child.kill('SIGINT');
    expect(await started.ended).toMatchObject({ code: 130, err: '' });
  });

  test('sends samples of webhook events to the hooks of a project', async () => {
    await ok('sandbox start --memory --detach');
    const { err } = await ok('sandbox emit pipeline -p /acme%2Frocket/');
    expect(err).toBe('Sent event pipeline of acme/rocket (1 hook)\n');
    // The only hook that subscribes to pushes is disabled after a few failures.
    const push = () => ok('sandbox emit push -p acme/rocket');
    expect((await push()).err).toBe('Sent event push of acme/rocket (1 hook)\n');
    const ended = 'Sent event push of acme/rocket (no enabled hook subscribes to it)\n';
    await until('the hook is disabled', async () => (await push()).err === ended);
    await fails('sandbox emit pipeline -p acme/unknown', 5, 'no project "acme/unknown"');
    await fails('sandbox emit pipelines -p acme/rocket', 2, 'unknown event "pipelines"; events: push, ');
  });
});
