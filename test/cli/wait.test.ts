import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { Failure } from '../../src/errors.ts';
import type { Request } from '../../src/http/transport.ts';
import { ask, folderWith, refused } from '../interface/service.ts';
import { openFastWorld, transportTo } from '../support/sandbox.ts';
import type { Canned } from '../support/svc.ts';

/** A service that returns the next state with each request; the last state repeats. Its migrations have one entity. */
function stages(...states: readonly object[]) {
  const entities = [{ id: 1, status: 'finished' }];
  return ({ url }: Request, number: number): Canned => ({
    body: JSON.stringify(url.includes('/entities') ? entities : states[Math.min(number, states.length - 1)]),
  });
}
const migration = (status: string, more: object = {}) => ({ id: 5, status, has_failures: false, ...more });

test('migrations get --wait polls until the end, reports each status and prints the last response once', async () => {
  const { code, out, err, requests } = await ask(
    'migrations get 5 --wait --json',
    stages(migration('created'), migration('started'), migration('finished')),
  );
  expect([code, JSON.parse(out).status]).toEqual([0, 'finished']);
  expect(err).toBe(
    'waiting for migration 5: created\nwaiting for migration 5: started\nFinished migration 5\n',
  );
  const get = 'GET https://host.example/api/v4/bulk_imports/5';
  const sent = requests.map(({ method, url }) => `${method} ${url.replace(/\?.*/, '')}`);
  expect(sent).toEqual([get, get, get, `${get}/entities`]);
});

test.each([
  ...['failed', 'canceled', 'timeout'].map((status) => [status, {}, `migration 5 is ${status}`] as const),
  ['finished', { has_failures: true }, 'migration 5 has failures'] as const,
])('prints the response and exits with 9 if the migration ends as %s with %j', async (status, more, says) => {
  const { code, out, err } = await ask('migrations get 5 --wait --json', stages(migration(status, more)));
  expect([code, JSON.parse(out).status]).toEqual([9, status]);
  expect(JSON.parse(err).error).toMatchObject({ kind: 'unsuccessful', message: says });
});

test('exits with 9 after --wait-timeout, prints the last response and names the command that continues', async () => {
  const line = 'migrations get 5 --wait --wait-timeout 0.2';
  const { code, out, err } = await ask(line, stages(migration('started')));
  expect(code).toBe(9);
  expect(out).toMatch(/Status: +started/);
  expect(err).toMatch(/migration 5 did not end within 0\.2 s: started/);
  expect(err).toMatch(/svc migrations get 5 --wait/);
});

test('stops at once on a signal', async () => {
  const ending = new AbortController();
  const answer = () => {
    setTimeout(() => ending.abort(new Failure('interrupted', 'interrupted')), 20);
    return { body: JSON.stringify(migration('started')) };
  };
  const { code } = await ask('migrations get 5 --wait', answer, { signal: ending.signal });
  expect(code).toBe(130);
});

test.each([
  ['migrations get 5 --wait-timeout 5', /--wait-timeout requires --wait/],
  ['migrations get 5 --wait --wait-timeout soon', /number of seconds/],
  ['dependency-exports create 1 --download x', /--download requires --wait/],
  ['dependency-exports create 1 --wait --download -', /--download requires a path/],
  ['migrations get 5 --wait --watch', /cannot be used together/],
])('rejects %s', (line, says) => refused(line, [says]));

test('prints the first request in a dry run and sends nothing', async () => {
  const { code, out, requests } = await ask('dependency-exports create 7 --wait --dry-run', stages({}));
  expect([code, requests.length]).toEqual([0, 0]);
  expect(JSON.parse(out)).toMatchObject({ method: 'POST', body: { export_type: 'sbom' } });
});

test('dependency-exports create --wait --download saves the document', async () => {
  const world = await openFastWorld();
  const cwd = await folderWith();
  const line = 'dependency-exports create 1010 --wait --download sbom.json';
  const { code, out, err } = await world.run(`${line} --json`, { cwd });
  expect([code, JSON.parse(out).has_finished]).toEqual([0, true]);
  expect(err).toMatch(/bytes written to .*sbom\.json/);
  expect(JSON.parse(await readFile(join(cwd, 'sbom.json'), 'utf8')).bomFormat).toBe('CycloneDX');
  const again = await world.run(line, { cwd });
  expect([again.code, again.requests]).toEqual([1, []]);
  expect((await world.run(`${line} --force`, { cwd })).code).toBe(0);
});

test('a document that cannot be saved can be downloaded again', async () => {
  const world = await openFastWorld();
  const cwd = await folderWith();
  const transport: NonNullable<Context['transport']> = (origin, options) => {
    const inner = transportTo(world.sandbox)(origin, options);
    return {
      send: async (request) => {
        const reply = await inner.send(request);
        return request.url.endsWith('/download') ? { ...reply, status: 500 } : reply;
      },
      close: () => inner.close(),
    };
  };
  const line = 'dependency-exports create 1010 --wait --download a.json --retries 0';
  const { code, err } = await world.run(line, { cwd, transport });
  expect(code).toBe(8);
  expect(err).toMatch(/hint: the export is ready: svc dependency-exports download \d+\n/);
});

test.each([
  ['ops', 0, ''],
  ['missing/ops', 9, /1 of 2 entities of migration 24 failed.*svc migrations report 24/],
])('migrations create --wait with a finished entity and %s exits with %i', async (path, expected, says) => {
  const entities = ['tools', path].flatMap((from, at) => [
    '--entity',
    `source_type=group_entity,source_full_path=${from},destination_slug=s${at},destination_namespace=acme`,
  ]);
  const line = 'migrations create --wait --json --configuration url=https://old.example.com';
  const env = { SVC_SOURCE_TOKEN: 'source-token' };
  const { code, out, err } = await (await openFastWorld()).run([...line.split(' '), ...entities], { env });
  expect([code, JSON.parse(out).status]).toEqual([expected, 'finished']);
  expect(err).toMatch(says);
});

test('license refresh --wait ends when the numbers change, with 9 if the count was not started', async () => {
  const users = (active_users: number) => ({ id: 2, active_users });
  const { code, out, requests } = await ask(
    'license refresh 2 --wait --json',
    stages(users(5), { success: true }, users(5), users(6)),
  );
  expect([code, JSON.parse(out)]).toEqual([0, users(6)]);
  expect(requests.map(({ method }) => method)).toEqual(['GET', 'PUT', 'GET', 'GET']);
  expect((await ask('license refresh 2 --wait', stages({ id: 2 }, { success: false }))).code).toBe(9);
});

test('--notify rings the bell of a terminal at the end, with the outcome, and needs --wait', async () => {
  const line = 'migrations get 5 --wait --notify --quiet --fields id';
  const notified = async (status: string, terminal?: number) =>
    (await ask(line, stages(migration(status)), { terminal })).err;
  expect(await notified('finished', 80)).toBe('\u0007\u001b]9;svc migrations get finished\u001b\\');
  expect(await notified('failed', 80)).toContain('\u0007\u001b]9;svc migrations get failed');
  expect(await notified('finished')).toBe('');
  expect((await ask('migrations get 5 --notify', stages({}))).code).toBe(2);
});
