/** `svc sandbox faults|clock|snapshot|requests|emit|env`, with a running sandbox and with a saved state. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { command, type Home, makeHome, svc, until } from '../support/process.ts';
import { words } from '../support/svc.ts';

let home: Home;
beforeEach(async () => {
  home = await makeHome();
});
afterEach(async () => {
  await run('sandbox stop');
  await home.remove();
});

const run = (line: string, env: Record<string, string> = {}) => svc(home, words(line), { env });
const ok = async (line: string) => {
  const ran = await run(line);
  expect(ran.code, `${line}\n${ran.err}`).toBe(0);
  return ran;
};
const json = async (line: string) => JSON.parse((await ok(`${line} --json`)).out);

describe('a saved state', () => {
  test('what is created is printed in the format that a flag selects', async () => {
    const fault = { match: 'GET /license', status: 503 };
    expect(await json("sandbox faults add 'GET /license' --status 503")).toEqual(fault);
    expect(await json('sandbox faults list')).toEqual([fault]);
    expect(await json('sandbox snapshot save two')).toEqual({ name: 'two', created_at: expect.any(String) });
    expect((await ok('sandbox snapshot save three')).out).toBe('');
  });

  test('what is created is printed in the format that a variable or the profile selects', async () => {
    const created = async (name: string, env: Record<string, string> = {}) =>
      JSON.parse((await run(`sandbox snapshot save ${name}`, env)).out);
    const one = { name: 'one', created_at: expect.any(String) };
    expect(await created('one', { SVC_OUTPUT: 'json' })).toEqual(one);
    await ok('profiles set output json');
    expect(await created('two')).toEqual({ ...one, name: 'two' });
    expect(JSON.parse((await ok('sandbox faults list')).out)).toEqual([]);
  });

  test('is controlled between commands, and the next command sees it', async () => {
    expect((await ok('sandbox clock set 2031-02-03T04:05:06Z --jq .now -r')).out).toMatch(
      /^2031-02-03T04:05:0/,
    );
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
  }, 60_000);

  test('is not created by commands that show something', async () => {
    for (const line of ['sandbox clock', 'sandbox faults list', 'sandbox snapshot list']) await ok(line);
    await ok('sandbox start --detach --tier free');
    expect((await run('--sandbox epics list -g acme')).code).toBe(4);
  });

  test('has no request log, and no connection', async () => {
    for (const line of ['sandbox requests', 'sandbox env', 'sandbox emit push -p acme/rocket']) {
      const { code, err } = await run(line);
      expect([code, err]).toEqual([5, expect.stringContaining('no sandbox is running')]);
    }
  });

  test.each([
    ['sandbox faults', '<action> is missing\nhint: values: add, list, clear\n'],
    ['sandbox faults remove', '"remove" is not an action of svc sandbox faults'],
    ['sandbox faults add', 'wrong number of arguments'],
    [
      "sandbox faults add '/**'",
      "a fault requires status, latency or cut\nhint: for example: svc sandbox faults add 'GET /projects/*/jobs' --status 503\n",
    ],
    ["sandbox faults add 'GET /x' --retry-after 5", 'a fault requires status, latency or cut'],
    [
      "sandbox faults add 'POST projects/*/variables' --status 429",
      'the path of match must start with /, as in "POST /projects/*/variables"',
    ],
    [
      "sandbox faults add 'FETCH /x' --status 429",
      'unknown method "FETCH" in match; methods: GET, HEAD, POST,',
    ],
    ["sandbox faults add '/x' --status 500 --times 0", 'times must be 1 or more'],
    ['sandbox clock set 2030-02-30x', 'the time must be in ISO 8601, such as 2030-01-31T12:00:00Z'],
    ['sandbox clock set 1960-01-01', 'the time must be from 1970 to 9999'],
    ['sandbox clock advance -1d', 'unknown flag -1\nhint: put -- before a value that starts with -\n'],
    ['sandbox clock advance -- -1d', 'to go back, set the time'],
    ['sandbox clock advance 99999999d', 'the time must be from 1970 to 9999'],
    ['sandbox emit pipeline', '--project is missing\nhint: for example: svc sandbox emit pipeline --project'],
    ["sandbox faults add '/**' --status five", '--status must be a whole number, not "five"'],
    ['sandbox faults list --status 500', 'svc sandbox faults list takes no fault'],
    ['sandbox clock set', 'wrong number of arguments'],
    ['sandbox clock advance soon', 'the duration must be a number with a unit'],
    ['sandbox snapshot save ""', 'the argument is empty'],
    ['sandbox snapshot save a/b', 'a snapshot name has at most 64'],
    ['sandbox requests --limit many', '--limit must be a whole number'],
    ['sandbox exec -- /', 'cannot run /: permission denied'],
  ])('%s is rejected', async (line, message) => {
    const { code, err } = await run(line);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

test('an unknown snapshot is not found, and the error lists the known ones', async () => {
  const load = () => run('sandbox snapshot load claen');
  expect(await load()).toMatchObject({
    code: 5,
    err: 'error: no snapshot has the name claen; there are none\nhint: list them with: svc sandbox snapshot list\n',
  });
  await ok('sandbox snapshot save clean');
  expect((await load()).err).toMatch(/^error: no snapshot has the name claen; snapshots: clean\n/);
});

test('the clock can be set back', async () => {
  await ok('sandbox clock advance 30d');
  await ok('sandbox clock set 2020-01-01');
  expect((await ok('sandbox clock --jq .now -r')).out).toMatch(/^2020-01-01T00:00/);
  await ok('--sandbox variables set SET_BACK yes -p acme/rocket');
  expect((await ok('--sandbox jobs list -p acme/rocket --limit 1 --json')).code).toBe(0);
});

describe('a running sandbox', () => {
  test('prints four lines when it starts in the background', async () => {
    const { out, err } = await ok('sandbox start --memory --detach');
    const [url, ...others] = out.split('\n');
    expect(url).toMatch(/^URL: +http:\/\/127\.0\.0\.1:\d+$/);
    expect(others).toEqual([
      'Admin token: sandbox-admin',
      'Project:     acme/rocket',
      'Next step:   svc --sandbox jobs list --project acme/rocket',
      '',
    ]);
    expect(err).toBe('');
  });

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
    const line = '$SVC sandbox clock advance 8d --jq .offset_seconds';
    const inside = await svc(home, ['sandbox', 'exec', '--', 'sh', '-c', line], {
      env: { SVC: command.join(' ') },
    });
    expect([inside.code, inside.out.trim()], inside.err).toEqual([0, '691200']);
    expect((await json('sandbox clock')).offset_seconds).toBe(0);
  }, 60_000);

  test('prints new requests with --follow until it is interrupted', async () => {
    const { base_url: url } = await json('sandbox start --memory --detach');
    const { start } = await import('../support/process.ts');
    const following = start(home, words('sandbox requests --follow -o ndjson'));
    const ask = () => fetch(`${url}/api/v4/version?mark=1`);
    await until('the first lines', async () => {
      await ask();
      return following.out().split('\n').length > 3;
    });
    following.child.kill('SIGINT');
    await following.ended;
    const ids = following
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id as number);
    expect(ids).toEqual(ids.map((_, index) => (ids[0] as number) + index));
  }, 60_000);

  test('sends samples of webhook events to the hooks of a project', async () => {
    await ok('sandbox start --memory --detach');
    const { err } = await ok('sandbox emit pipeline -p acme/rocket');
    expect(err).toBe('Sent event pipeline of acme/rocket (1 hook)\n');
    // The only hook that subscribes to pushes is disabled after a few failures.
    const push = () => ok('sandbox emit push -p acme/rocket');
    expect((await push()).err).toBe('Sent event push of acme/rocket (1 hook)\n');
    const ended = 'Sent event push of acme/rocket (no enabled hook subscribes to it)\n';
    await until('the hook is disabled', async () => (await push()).err === ended);
    const absent = await run('sandbox emit pipeline -p acme/unknown');
    expect([absent.code, absent.err]).toEqual([5, expect.stringContaining('no project "acme/unknown"')]);
    const unknown = await run('sandbox emit pipelines -p acme/rocket');
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining('unknown event "pipelines"; events: push, '),
    ]);
  });

  test('loses no acknowledged write when it is killed under load with faults and another time', async () => {
    const acknowledged: string[] = [];
    const control = (url: string, path: string, method: string, value: object) =>
      fetch(`${url}/-/sandbox${path}`, { method, body: JSON.stringify(value) });
    for (let round = 0; round < 10; round++) {
      const { base_url: url, pid } = await json('sandbox start --detach');
      if (round === 0)
        await control(url, '/faults', 'POST', [
          { match: 'POST /**', status: 503, probability: 0.3, seed: 7 },
          { match: 'POST /**', cut: 'headers', probability: 0.1, seed: 8 },
        ]);
      await control(url, '/clock', 'PUT', { advance: '1d' });
      let alive = true;
      const write = async (worker: number) => {
        for (let number = 0; alive; number++) {
          const key = `K_${round}_${worker}_${number}`;
          const headers = { 'private-token': 'sandbox-admin', 'content-type': 'application/json' };
          const body = JSON.stringify({ key, value: 'v'.repeat(200) });
          const path = '/api/v4/projects/100/variables';
          // A fault may close the connection, and the process ends.
          const response = await fetch(`${url}${path}`, { method: 'POST', headers, body }).catch(
            () => undefined,
          );
          if (response?.status === 201) acknowledged.push(key);
        }
      };
      const workers = [0, 1, 2, 3].map(write);
      const { length } = acknowledged;
      await until('some writes', () => acknowledged.length > length + 20);
      process.kill(pid, 'SIGKILL');
      alive = false;
      await Promise.all(workers);
    }
    expect((await json('sandbox clock')).offset_seconds).toBe(10 * 86_400);
    expect((await json('sandbox faults list')).length).toBe(2);
    const listed = await ok('--sandbox variables list -p acme/rocket --all --jq .[].key -r');
    expect(listed.err).not.toContain('warning');
    const kept = new Set(listed.out.split('\n'));
    expect(acknowledged.filter((key) => !kept.has(key))).toEqual([]);
  }, 120_000);
});
