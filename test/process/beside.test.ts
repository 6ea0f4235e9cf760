/** Exit codes of the built program with --jq, completion in the background, connections, and folders that cannot be created. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executable, sharedHome, svc, until } from '../support/process.ts';
import { serve } from '../support/service.ts';

const home = await sharedHome();

const completion = ['__complete', '--', 'branches', 'get', '-p', '1', ''];

const license = ['--sandbox', 'license', 'get', '2', '--jq'];

test.each([
  ['.id, .id.x', 1, '2\n'],
  ['.id | halt_error(7)', 1, ''],
  ['.[', 2, ''],
])("jq's engine leaves the exit code to svc: %s", async (program, code, out) => {
  const ended = await svc(home, [...license, program]);
  expect([ended.code, ended.out.trimEnd()]).toEqual([code, out.trimEnd()]);
});

test('completion does not wait for a slow service, and offers its values a moment later', async () => {
  const methods: (string | undefined)[] = [];
  const url = await serve(({ method }, response) => {
    methods.push(method);
    setTimeout(() => response.end('[{"name":"main"}]'), 1_000);
  });
  const env = { SVC_BASE_URL: url, SVC_TOKEN: 'x'.repeat(20) };
  const first = await svc(home, completion, { env });
  expect([first.code, first.out, first.err]).toEqual([0, '', '']);
  const offered = async () => (await svc(home, completion, { env })).out;
  await until('the rows are cached', async () => (await offered()) === 'values\t\nmain\n');
  const before = methods.length;
  await offered();
  expect([methods.length, new Set(methods)]).toEqual([before, new Set(['GET'])]);
});

describe.runIf(process.platform === 'linux')('if no folder can be created', () => {
  test.each(['HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'])(
    '%s under /proc: commands do not hang, and those without files work',
    async (name) => {
      const asHome = { XDG_STATE_HOME: undefined, XDG_CACHE_HOME: undefined, XDG_CONFIG_HOME: undefined };
      const env = { ...(name === 'HOME' ? asHome : {}), [name]: '/proc/svc' };
      const line = ['--sandbox', 'jobs', 'list', '-p', 'acme/rocket', '--limit', '1', '--jq', '.[].id'];
      const state = name === 'HOME' || name === 'XDG_STATE_HOME';
      const ended = await svc(home, line, { env });
      expect([ended.code, ended.out]).toEqual(state ? [1, ''] : [0, '5280\n']);
      const reason = 'no such file or directory: /proc/svc\nhint: set HOME';
      if (state) expect(ended.err).toContain(`error: cannot use the sandbox folder: ${reason}`);
      const install = ['completion', 'install', 'bash', '--yes'];
      const installed = await svc(home, install, { env: { ...env, XDG_DATA_HOME: '/proc/x' } });
      expect([installed.code > 0, installed.err]).toEqual([true, expect.stringMatching(/^hint: /m)]);
      expect(installed.err).not.toMatch(/\bE[A-Z]{4,}\b/);
      expect((await svc(home, ['__complete', '--', 'jobs', 'list', '--profile', ''], { env })).code).toBe(0);
    },
  );
});

/** Records the address of every connection that a process opens. */
const recorder = `
const { Socket } = require('node:net');
const { appendFileSync } = require('node:fs');
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const [{ host, port, path }] = args.flat();
  appendFileSync(process.env.CONNECTIONS, (path ?? host + ':' + port) + '\\n');
  return connect.apply(this, args);
};
`;

test.skipIf(executable).each([
  ['version', false],
  ['help', false],
  ['doctor', true],
  ['jobs list -p 1', true],
  ['jobs get 5 -p 1', true],
])('svc %s connects to the service only, if at all', async (line, connects) => {
  const url = await serve((_, response) => response.end('[]'));
  const [hook, log] = [join(home.path, 'recorder.cjs'), join(home.path, 'connections.txt')];
  await writeFile(hook, recorder);
  await writeFile(log, '');
  const env = {
    SVC_BASE_URL: url,
    SVC_TOKEN: 'x'.repeat(20),
    NODE_OPTIONS: `--require=${hook}`,
    CONNECTIONS: log,
  };
  await svc(home, line.split(' '), { env });
  const addresses = new Set((await readFile(log, 'utf8')).split('\n').filter(Boolean));
  expect([...addresses]).toEqual(connects ? [new URL(url).host] : []);
  await rm(log);
});
