/** `svc sandbox` in the background, and for the command of another program. */

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../src/support/process.ts';
import { command, copyProgram, type Home, node, svc, testHome, until } from '../support/process.ts';
import { serve } from '../support/service.ts';
import { words } from '../support/svc.ts';
import { hasTerminals, onTerminal, quoted } from '../support/terminal.ts';

let home: Home;
let folder: string;
beforeEach(async () => {
  home = await testHome();
  folder = join(home.path, 'state', 'svc', 'sandbox');
});
afterEach(() => run('sandbox stop'));

const run = (line: string) => svc(home, words(line));
/** Run a command that must fail with a message. */
const fails = async (line: string, code: number, message: string) => {
  const ended = await run(line);
  expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(message)]);
  return ended.err;
};
/** Start a sandbox in the background. */
const startDetached = async (flags = '') => {
  const { code, out, err } = await run(`sandbox start --detach --json ${flags}`);
  expect(code, err).toBe(0);
  return JSON.parse(out) as { base_url: string; api_url: string; pid: number; tokens: { owner: string } };
};
const status = async () => JSON.parse((await run('sandbox status --json')).out) as Record<string, unknown>;

describe('svc sandbox start', () => {
  test('starts, reports its status, serves commands, stops and keeps its state', async () => {
    expect(await status()).toMatchObject({ running: false });
    const { base_url: base, tokens } = await startDetached();
    expect(await status()).toMatchObject({
      running: true,
      base_url: base,
      ids: { project: 100, group: 10, pipeline: 1012, merge_request: 7 },
    });
    const headers = { 'private-token': tokens.owner };
    const list = await fetch(`${base}/api/v4/projects/100/jobs`, { headers });
    expect([list.status, list.headers.get('x-total')]).toEqual([200, '280']);
    expect((await run('--sandbox variables set KEPT yes -p acme/rocket')).code).toBe(0);
    await fails('sandbox start --detach', 2, base);
    expect((await run('sandbox stop')).code).toBe(0);
    expect(await status()).toMatchObject({ running: false });
    expect((await run('sandbox stop')).code).toBe(5);
    expect((await run('--sandbox variables get KEPT -p acme/rocket --jq .value -r')).out.trim()).toBe('yes');
    expect((await run('sandbox reset')).code).toBe(2);
    expect((await run('sandbox reset --yes')).code).toBe(0);
    expect((await run('--sandbox variables get KEPT -p acme/rocket')).code).toBe(5);
  });

  test('with --data, each command that it suggests is for that folder', async () => {
    const data = join(home.path, 'my data');
    const start = ['sandbox', 'start', '--detach', '--data', data];
    const { out } = await svc(home, start);
    expect(out).toContain(
      `Next step:   eval "$(svc sandbox env --data '${data}')" && svc jobs list --project acme/rocket`,
    );
    expect((await svc(home, start)).err).toContain(`hint: to stop it: svc sandbox stop --data '${data}'`);
    expect((await svc(home, ['sandbox', 'stop', '--data', data])).code).toBe(0);
    expect(await svc(home, [...start.slice(0, -1), ''])).toMatchObject({ code: 2, out: '' });
  });

  test('a killed sandbox does not block the next one', async () => {
    const { pid } = await startDetached();
    process.kill(pid, 'SIGKILL');
    await until('its end', async () => (await status())['running'] === false);
    expect((await run('--sandbox jobs list -p acme/rocket --limit 1')).code).toBe(0);
    expect((await run('sandbox start --detach')).code).toBe(0);
  });

  test.each([
    ['a process that is another program', `{"pid":${process.pid},"url":"http://127.0.0.1:1","tokens":{}}`],
    ['every process there is', '{"pid":-1,"url":"http://127.0.0.1:1"}'],
    ['half a file', '{"pid":1'],
  ])('an old file that names %s is nothing that runs', async (_, text) => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'server.json'), text);
    expect(await status()).toMatchObject({ running: false });
    expect((await run('sandbox stop')).code).toBe(5);
    expect((await run('--sandbox jobs list -p acme/rocket --limit 1')).code).toBe(0);
  });

  test('a file of another container does not end a process with the same id', async () => {
    const url = await serve(() => {});
    const other = execa('sleep', ['60'], { reject: false });
    onTestFinished(async () => {
      other.kill();
      await other;
    });
    await mkdir(folder, { recursive: true });
    const text = JSON.stringify({ pid: other.pid, url, tokens: {}, namespace: 'boot/pid:[1]' });
    await writeFile(join(folder, 'server.json'), text, { mode: 0o600 });
    expect(await status()).toMatchObject({ running: false });
    expect((await run('sandbox stop')).code).toBe(5);
    expect(isAlive(other.pid as number)).toBe(true);
  });

  test('keeps running while svc is upgraded', async () => {
    const old = join(home.path, 'old');
    const [file = '', ...before] = await copyProgram(old);
    const argv = [...before, ...words('sandbox start --detach --json')];
    const { stdout } = await execa(file, argv, { env: home.env, extendEnv: false });
    const { api_url: api } = JSON.parse(stdout) as { api_url: string };
    await rm(old, { recursive: true });
    for (const path of ['blame', 'raw']) {
      const answer = await fetch(`${api}/projects/100/repository/files/README.md/${path}?ref=main`);
      expect(answer.status).toBe(200);
    }
    const branch = `${api}/projects/100/repository/branches?branch=new&ref=main`;
    const headers = { 'private-token': 'sandbox-admin' };
    expect((await fetch(branch, { method: 'POST', headers })).status).toBe(201);
    expect((await run('sandbox stop')).code).toBe(0);
  });

  test('generates rows for --scale, also in the background', async () => {
    const { api_url: api } = await startDetached('--memory --scale projects=40,variables=30');
    const projects = await fetch(`${api}/projects`, { headers: { 'private-token': 'sandbox-admin' } });
    expect(projects.headers.get('x-total')).toBe('40');
    expect((await run('--sandbox variables list -p acme/rocket --all --jq length')).out).toBe('30\n');
    const inner = [...command, ...words('api groups/acme%2Fscale/projects --all --jq length')];
    const inside = await svc(home, [...words('sandbox exec --scale projects=25 --'), ...inner]);
    expect([inside.code, inside.out]).toEqual([0, '22\n']);
  });

  test('turns feature flags off, also in the background', async () => {
    await run('sandbox start --memory --detach --without-feature approval_group_rules');
    expect((await run('--sandbox approval-rules list -g acme')).code).toBe(5);
  });

  test.each(['', ' --detach'])('reports why it did not start: svc sandbox start%s', async (how) => {
    const { port } = new URL(await serve(() => {}));
    const reasons: readonly (readonly [flags: string, code: number, message: string])[] = [
      [`--memory --data ${home.path}`, 2, 'error: --memory and --data cannot be used together\n'],
      ['--memory --seed-file absent.json', 2, 'absent.json: no such file'],
      ['--memory --scale jobs=5,jobs=6', 2, '--scale must be a list of kind=number, not "jobs=6"'],
      ['--port 65536', 2, '--port must be a whole number from 0 to 65535'],
      [`--memory --port ${port}`, 1, `cannot listen on port ${port}: the port is already in use`],
    ];
    for (const [flags, code, message] of reasons)
      expect(await fails(`sandbox start ${flags}${how}`, code, message)).not.toContain('ENOENT');
  });

  test('warns of a damaged state, keeps the file and starts with what is readable', async () => {
    await run('--sandbox variables set KEPT yes -p acme/rocket');
    const path = join(folder, 'state.jsonl');
    const bytes = await readFile(path);
    bytes[Math.floor(bytes.length / 2)] = 0;
    await writeFile(path, bytes);
    const started = await run('sandbox start --detach');
    expect([started.code, started.err]).toEqual([0, expect.stringContaining('warning: 1 of ')]);
    expect(await readFile(`${path}.damaged-1`)).toEqual(bytes);
    expect((await run('--sandbox variables get KEPT -p acme/rocket --jq .value -r')).out.trim()).toBe('yes');
  });

  test('runs several sandboxes in memory, and stop ends all of them', async () => {
    const started = await Promise.all(['--memory', '--memory', '--memory', ''].map(startDetached));
    expect(await status()).toMatchObject({ base_url: started[3]?.base_url });
    expect((await run('sandbox stop')).code).toBe(0);
    // The system may give a free port to another test at once.
    for (const { pid } of started) await expect.poll(() => isAlive(pid)).toBe(false);
    expect((await readdir(folder)).filter((name) => name.startsWith('server-'))).toEqual([]);
  });

  test('reports its own failure, although others start at the same time', async () => {
    const { port } = new URL(await serve(() => {}));
    // The port is used after the data are generated, and the other sandbox has started by then.
    const late = fails(`sandbox start --detach --memory --scale jobs=100000 --port ${port}`, 1, String(port));
    await Promise.all([startDetached('--memory'), late]);
  });

  test('checks the flags before it looks for a running sandbox', async () => {
    expect((await run('sandbox start --detach')).code).toBe(0);
    for (const flags of ['--port 70000', '--json --csv', '--seed-file none.yaml']) {
      const { code, err } = await run(`sandbox start ${flags}`);
      expect([code, err.includes('already running')], err).toEqual([2, false]);
    }
    expect((await run('sandbox start')).err).toContain('already running');
  });

  test('rejects a folder that another sandbox uses', async () => {
    const [first, second] = await Promise.all([run('sandbox start --detach'), run('sandbox start --detach')]);
    expect([first.code, second.code].sort()).not.toEqual([0, 0]);
    expect([first.code, second.code]).toContain(0);
  });

  test('loses no acknowledged write when it is killed under load', async () => {
    const acknowledged: string[] = [];
    const control = (url: string, path: string, method: string, value: object) =>
      fetch(`${url}/-/sandbox${path}`, { method, body: JSON.stringify(value) });
    for (let round = 0; round < 10; round++) {
      const { base_url: url, pid } = await startDetached();
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
          const body = JSON.stringify({ key, value: 'v'.repeat(500) });
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
    expect(JSON.parse((await run('sandbox clock --json')).out).offset_seconds).toBe(10 * 86_400);
    expect(JSON.parse((await run('sandbox faults list --json')).out)).toHaveLength(2);
    const listed = await run('--sandbox variables list -p acme/rocket --all --jq .[].key -r');
    expect(listed.err).not.toContain('warning');
    const kept = new Set(listed.out.split('\n'));
    expect(acknowledged.filter((key) => !kept.has(key))).toEqual([]);
  });

  test('reset removes the files of killed processes and nothing else', async () => {
    const left = ['state.jsonl.new', 'state.jsonl.damaged-1', 'files'];
    await mkdir(folder, { recursive: true });
    for (const name of [...left, 'notes.txt']) await writeFile(join(folder, name), 'x');
    expect((await run('sandbox reset --yes')).code).toBe(0);
    expect(await readdir(folder)).toEqual(['notes.txt']);
  });
});

describe('svc sandbox exec and --sandbox', () => {
  test('ends with the command, also after an invalid setting', async () => {
    for (const wrong of ['--timeout x', '--json --csv', '--retries -1']) {
      const { code, err } = await run(`--sandbox jobs list -p acme/rocket ${wrong}`);
      expect([code, err.trim().split('\n').length]).toEqual([2, 1]);
    }
    expect((await run('--sandbox jobs list -p acme/rocket --limit 1')).code).toBe(0);
  });

  const exec = (...command: string[]) => svc(home, ['sandbox', 'exec', '--', ...command]);

  test('is fresh and exits with the exit code of the command', async () => {
    const inner = `const { env } = process; fetch(env.SVC_BASE_URL + '/api/v4/job', { headers: { 'job-token': env.SVC_JOB_TOKEN } })
      .then((answer) => answer.json()).then(({ id }) => { console.log(id); process.exitCode = 7; });`;
    expect(await exec(node, '-e', inner)).toMatchObject({ code: 7, out: '5280\n' });
    expect((await exec(...command, ...words('variables set NEW 1 -p acme/rocket'))).code).toBe(0);
    expect((await exec(...command, ...words('variables get NEW -p acme/rocket'))).code).toBe(5);
    const status = JSON.parse((await exec(...command, ...words('sandbox status --json'))).out);
    expect(status).toMatchObject({ running: true, tokens: { admin: 'sandbox-admin' }, ids: { job: 5280 } });
    const env = await exec(...command, ...words('sandbox env'));
    expect(env.out).toMatch(/^export SVC_BASE_URL=http:/);
    await fails('sandbox exec -- no-such-command-here', 2, 'command not found');
    expect((await exec()).code).toBe(2);
  });

  test.skipIf(process.platform === 'win32')('exits with 128 plus the number of a signal', async () => {
    expect((await exec('sh', '-c', 'kill -9 $$')).code).toBe(137);
    expect((await exec('sh', '-c', 'kill -TERM $$')).code).toBe(143);
  });
});

test('two commands of one sandbox work in a pipe: ids of one are arguments of the other', async () => {
  const list = 'jobs list -p acme/rocket --scope failed --limit 1 --fields id -o tsv --no-header';
  const [program, ...more] = command.map((word) => `'${word}'`);
  const own = [program, ...more, '--sandbox'].join(' ');
  const line = `${own} ${list} | ${own} jobs retry - -p acme/rocket`;
  const running = { env: home.env, cwd: home.path, reject: false };
  const { exitCode, stderr } = await execa('sh', ['-c', line], running);
  expect(stderr).toMatch(/Retried job as \d+/);
  expect(exitCode).toBe(0);
});

test.skipIf(!hasTerminals)(
  'exec says on a terminal that a shell is in a sandbox, and what its end does',
  async () => {
    const line = quoted(['sandbox', 'exec', '--', 'true']);
    const { code, seen } = await onTerminal(home, line, {}, [200, 24]).end();
    expect(code).toBe(0);
    expect(seen).toMatch(
      /In a sandbox at http:\/\/127\.0\.0\.1:\d+: try svc jobs list --project acme\/rocket/,
    );
    expect(seen).toContain('When true ends, its state is lost.');
  },
);
