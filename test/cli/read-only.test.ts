/** Read-only mode: nothing but GET and HEAD reaches the transport. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../src/cli/catalogue.ts';
import type { Context } from '../../src/cli/context.ts';
import { openTransport } from '../../src/cli/session/connection.ts';
import { loadSettings } from '../../src/cli/session/settings.ts';
import { effectOf } from '../../src/spec/command.ts';
import { ask, folderWith, refusal, refused, workProfile } from '../interface/service.ts';
import { calls } from '../support/catalogue.ts';
import { exampleFiles, openWorld } from '../support/sandbox.ts';
import { canned, svc, words } from '../support/svc.ts';

const catalogue = await loadCatalogue();
const isRead = ({ method }: { readonly method: string }) => method === 'GET' || method === 'HEAD';

/** Commands of the program that send no request to the service. */
const local = new Set(['sandbox', 'completion', 'profiles', 'config', 'help', 'version', 'schema']);
/** Every command that can send a write: the writes of the API, and all tasks and commands of the program. */
const commands = [...catalogue.areas, ...catalogue.builtins.filter(({ name }) => !local.has(name))]
  .flatMap((group) => group.commands)
  .filter((command) => command.endpoints.length === 0 || effectOf(command) !== 'read');

const world = await openWorld();

describe.each([
  ['the variable', { SVC_READ_ONLY: '1' }, []],
  ['the flag', {}, ['--read-only']],
] as const)('with %s', (_, env, flags) => {
  test.each(commands.map((command) => [`${command.area} ${command.name}`, command] as const))(
    '%s sends only GET and HEAD',
    async (_name, command) => {
      if (flags.length > 0 && !command.flags.some(({ name }) => name === 'read-only')) return;
      const folder = await folderWith(exampleFiles);
      for (const { run } of command.examples) {
        // A program that svc starts is not part of svc.
        // A server that listens until it is stopped sends nothing.
        if (command.name === 'listen') continue;
        const argv = words(run).map((word) => (word === '--sandbox' ? '--quiet' : word));
        const at = argv.indexOf('--');
        const line = at < 0 ? [...argv, ...flags] : [...argv.slice(0, at), ...flags, '--', '/bin/true'];
        const ran = await world.run(line, { cwd: folder, env: { EDITOR: '/bin/true', ...env } });
        expect(ran.requests.filter((request) => !isRead(request))).toEqual([]);
        const writes = command.endpoints.length > 0 && effectOf(command) !== 'read';
        if (writes && command.endpoints.every((one) => !isRead(one)) && !argv.includes('--dry-run')) {
          expect(ran.code, run).toBe(2);
          expect(ran.err).toMatch(/read-only mode: a (POST|PUT|PATCH|DELETE) request is not allowed/);
        }
      }
    },
  );
});

test('svc api refuses every write of the API', async () => {
  for (const { endpoint, route } of calls.filter((one) => !isRead(one.endpoint))) {
    const path = endpoint.path.replaceAll(/:\w+/g, '1');
    const ran = await world.run(['api', endpoint.method, path], { env: { SVC_READ_ONLY: '1' } });
    expect([ran.code, ran.requests], route).toEqual([2, []]);
  }
});

test('the transport itself refuses a write, before it opens the body', async () => {
  const sent: string[] = [];
  const context = {
    env: { SVC_READ_ONLY: '1', SVC_CONFIG_DIR: '/dev/null/svc' },
    cwd: '/',
    transport: canned(({ method }) => {
      sent.push(method);
      return {};
    }),
  } as unknown as Context;
  const root = 'https://host.example/api/v4';
  const transport = await openTransport(root, loadSettings({}, context), context);
  const open = () => {
    throw new Error('opened');
  };
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'get'])
    await expect(
      transport.send({ method, url: `${root}/x`, headers: [], body: { open } }),
    ).rejects.toMatchObject({ kind: 'usage' });
  for (const method of ['GET', 'HEAD']) await transport.send({ method, url: `${root}/x`, headers: [] });
  expect(sent).toEqual(['GET', 'HEAD']);
});

describe('a read that a server can take for a write', () => {
  const asWrite = [
    ['the header x-http-method-override', "x -H 'X-HTTP-Method-Override: DELETE'"],
    ['the header x-http-method', "x -H 'X-HTTP-Method: PUT'"],
    ['the header x-method-override', "x -H 'x-method-override: POST'"],
    ['the header x_http_method_override', "x -H 'X_HTTP_Method_Override: DELETE'"],
    ['the query parameter _method', 'x -f _method=DELETE'],
    ['the query parameter _method', 'x?a=1&%5Fmethod=delete'],
    ['the query parameter _method', 'x?a=1;_method=PUT'],
    ['the query parameter _method', 'x?_METHOD=PUT'],
    ['the query parameter _method', 'x?_method[]=PUT'],
    ['the header x-original-method', "x -H 'X-Original-Method: DELETE'"],
  ] as const;

  test.each(asWrite)('is refused in read-only mode: %s: %s', async (what, request) => {
    for (const method of ['GET', 'HEAD']) {
      const says = `error: read-only mode: ${what} is not allowed\n`;
      await refused(`api ${method} ${request}`, [says], { env: { SVC_READ_ONLY: '1' } });
    }
  });

  test.each(asWrite)('is a write for the audit log, and not repeated: %s: %s', async (_, request) => {
    const log = join(await folderWith(), 'log');
    const ran = await ask(`api GET ${request}`, { status: 502 }, { env: { SVC_AUDIT_LOG: log } });
    expect([ran.code, ran.requests.length]).toEqual([8, 1]);
    expect((await readFile(log, 'utf8')).match(/"phase":"(intent|result)"/g)).toHaveLength(2);
  });

  test('is not every request with similar words', async () => {
    for (const request of ["x -H 'X-Method-Name: a'", 'x -f method=DELETE', 'x -f q=_method', '_method']) {
      const ran = await ask(`api GET ${request}`, undefined, { env: { SVC_READ_ONLY: '1' } });
      expect([ran.code, ran.requests.length], ran.err).toEqual([0, 1]);
    }
  });
});

const write = 'variables create KEY value -p 1';
const base = { SVC_BASE_URL: 'https://host.example', SVC_TOKEN: 'token-1' };
const created = canned(() => ({ status: 201, body: '{"key":"KEY"}' }));

async function withProfile(readOnly: boolean): Promise<Record<string, string>> {
  return { ...base, ...(await workProfile({ base_url: base.SVC_BASE_URL, read_only: readOnly })) };
}

describe('one source is enough, and none turns off another', () => {
  test.each([
    ['SVC_READ_ONLY=1', { SVC_READ_ONLY: '1' }, undefined, '', 2],
    ['SVC_READ_ONLY=true', { SVC_READ_ONLY: 'true' }, undefined, '', 2],
    ['SVC_READ_ONLY=no, which is not 0', { SVC_READ_ONLY: 'no' }, undefined, '', 2],
    ['SVC_READ_ONLY=0', { SVC_READ_ONLY: '0' }, undefined, '', 0],
    ['an empty SVC_READ_ONLY', { SVC_READ_ONLY: '' }, undefined, '', 0],
    ['--read-only', {}, undefined, '--read-only', 2],
    ['--read-only=true', {}, undefined, '--read-only=true', 2],
    ['--read-only and SVC_READ_ONLY=0', { SVC_READ_ONLY: '0' }, undefined, '--read-only', 2],
    ['a profile', {}, true, '', 2],
    ['a profile and SVC_READ_ONLY=0', { SVC_READ_ONLY: '0' }, true, '', 2],
    ['a profile and an empty SVC_READ_ONLY', { SVC_READ_ONLY: '' }, true, '', 2],
    ['SVC_READ_ONLY=1 and a profile that is not read-only', { SVC_READ_ONLY: '1' }, false, '', 2],
    ['a profile that is not read-only', {}, false, '', 0],
  ])('%s', async (_, env, profile, flags, code) => {
    const common = profile === undefined ? base : await withProfile(profile);
    const ran = await svc(`${write} ${flags}`, { env: { ...common, ...env }, transport: created });
    expect([ran.code, ran.requests.length], ran.err).toEqual([code, code === 0 ? 1 : 0]);
  });

  test.each(['--read-only=false', '--no-read-only', '--yes'])('no flag turns it off: %s', async (flag) => {
    await refused(`${write} ${flag}`, [], { env: { SVC_READ_ONLY: '1' } });
  });
});

test('the sandbox of --sandbox is no way round the setting of a profile', async () => {
  const env = { ...(await withProfile(true)), SVC_BASE_URL: '', SVC_TOKEN: '' };
  const line = '--sandbox variables create KEY value -p acme/rocket';
  const ran = await svc(line, { env: { ...env, HOME: await folderWith() } });
  expect(ran.code, ran.err).toBe(2);
  expect(ran.err).toContain('profile "work" selects read-only mode');
});

test('a dry run prints the request in read-only mode', async () => {
  const ran = await svc(`${write} --dry-run --read-only`, { env: base, transport: created });
  expect([ran.code, ran.requests]).toEqual([0, []]);
  expect(JSON.parse(ran.out)).toMatchObject({ method: 'POST' });
});

test('a destructive command fails before it asks for confirmation or reads a token', async () => {
  const err = await refusal('variables delete KEY -p 1 --read-only', [], { env: { SVC_TOKEN: '' } });
  const hints = 'hint: --read-only selects read-only mode\nhint: request not sent\n';
  expect(err).toBe(`error: read-only mode: a DELETE request is not allowed\n${hints}`);
});

test('apply shows the plan, then fails before its first write', async () => {
  const file = 'svc: 1\nproject: acme/rocket\nvariables: [{ key: NEW_KEY, value: abc }]\n';
  const ran = await world.run('apply -f - --yes --read-only', { stdin: file });
  expect(ran.requests.filter((request) => !isRead(request))).toEqual([]);
  expect(ran.code, ran.err).toBe(2);
});

test.each([
  'each --projects - --yes --read-only -- variables create NEW_KEY abc',
  'each --projects - --yes -- variables create NEW_KEY abc --read-only',
])('svc %s refuses each write', async (line) => {
  const ran = await world.run(line, { stdin: 'acme/rocket\nacme/website\n' });
  expect(ran.requests.filter((request) => !isRead(request))).toEqual([]);
  expect(ran.code, ran.err).toBe(2);
});

test('profiles set, config explain and doctor know the setting', async () => {
  const env = await withProfile(false);
  expect((await svc('profiles set read_only true', { env })).code).toBe(0);
  expect((await svc(write, { env, transport: created })).code).toBe(2);
  const ran = await svc('config explain --json', { env });
  const row = { setting: 'read_only', value: 'true', source: 'profile', from: 'profile "work"' };
  expect(JSON.parse(ran.out)).toContainEqual(row);
  const checked = await world.run('doctor --json', { env: { SVC_READ_ONLY: '1' } });
  const message = 'only GET and HEAD are sent (SVC_READ_ONLY)';
  const finding = { check: 'read-only', status: 'ok', message, remedy: null };
  expect(JSON.parse(checked.out)).toContainEqual(expect.objectContaining(finding));
});
