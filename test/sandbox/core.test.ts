import { describe, expect, test } from 'vitest';
import { areas } from '../../src/api/index.ts';
import * as areaHandlers from '../../src/sandbox/areas/index.ts';
import { isOrdinary } from '../../src/sandbox/core/collection.ts';
import type { AreaHandlers } from '../../src/sandbox/core/context.ts';
import { commandName } from '../../src/spec/command.ts';
import type { Endpoint } from '../../src/spec/endpoint.ts';
import { linkOf, openTestSandbox, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const declared: readonly AreaHandlers[] = Object.values(areaHandlers);

test('handlers match commands of the catalogue, one entry per area', async () => {
  const names = declared.map(({ area }) => area);
  expect(new Set(names).size).toBe(names.length);
  for (const { area, handlers = {} } of declared) {
    const entry = areas.find(({ name }) => name === area);
    expect(entry, area).toBeDefined();
    const known = (await entry?.load())?.default.endpoints.map(commandName);
    for (const command of Object.keys(handlers)) expect(known, `${area} ${command}`).toContain(command);
  }
});

test('an endpoint without a handler belongs to the collection of its area', async () => {
  for (const { area, handlers = {}, collection } of declared) {
    const { endpoints = [] } = (await areas.find(({ name }) => name === area)?.load())?.default ?? {};
    const isServed = (call: Endpoint) =>
      collection ? call.method !== 'HEAD' && call.returns.kind !== 'raw' : isOrdinary(call);
    const left = endpoints.filter((call) => !(commandName(call) in handlers) && !isServed(call));
    expect(left.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  }
});

describe('the seeded world', () => {
  test('is listed by info, and each token has its role; a token that is added for a user is not listed', async () => {
    const { sandbox, ask } = await openTestSandbox();
    const { tokens, job_token, ids } = sandbox.info();
    const roles = 'admin developer guest maintainer outsider owner readonly reporter';
    expect(Object.keys(tokens).sort().join(' ')).toBe(roles);
    expect(ids).toMatchObject({
      project: 100,
      project_path: 'acme/rocket',
      group: 10,
      pipeline: 1012,
      job: 5280,
    });
    for (const [role, token] of Object.entries(tokens)) {
      expect(token).toBe(`sandbox-${role}`);
      expect((await ask('GET /user', { as: role })).status).toBe(200);
    }
    expect(job_token).toBe('sandbox-job');
    const token = sandbox.addToken('devon');
    const { body } = await ask('GET /user', { as: 'none', headers: { 'private-token': token } });
    expect(body.username).toBe('devon');
    expect(JSON.stringify(sandbox.info())).not.toContain(token);
    expect(() => sandbox.addToken('unknown')).toThrow(/no user/);
  });
});

test('discovery requests of clients: return the version, token scopes, project and group', async () => {
  expect((await ask('GET /version')).body).toEqual({ version: '18.6.0', revision: 'sandbox' });
  expect((await ask('GET /version', { as: 'none' })).status).toBe(401);
  const token = (await ask('GET /personal_access_tokens/self', { as: 'readonly' })).body;
  expect(token.scopes).toEqual(['read_api']);
  const project = (await ask('GET /projects/acme%2Frocket', { as: 'none' })).body;
  expect(project).toMatchObject({ id: 100, visibility: 'public' });
  expect((await ask('GET /groups/acme%2Flabs')).body).toMatchObject({ id: 11, full_path: 'acme/labs' });
});

describe('routes', () => {
  test('return 405 with Allow for unsupported methods; prefer a literal segment to a parameter', async () => {
    const { status, headers } = await ask('DELETE /projects/100/variables');
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, POST, HEAD');
    expect((await ask('GET /license/usage_export.csv')).headers.get('content-type')).toMatch(/^text\/csv/);
    expect((await ask('GET /license/2')).body.id).toBe(2);
  });

  test('redirect a renamed project with the rest of the URL', async () => {
    const { status, headers } = await ask('GET /projects/acme%2Frocket-old/jobs?scope%5B%5D=failed');
    expect(status).toBe(301);
    const target = '/api/v4/projects/acme%2Frocket/jobs?scope%5B%5D=failed';
    expect(headers.get('location')).toBe(`http://sandbox.localhost${target}`);
  });
});

describe('access (section 5)', () => {
  test.each([
    ['private-token', 'sandbox-owner'],
    ['authorization', 'Bearer sandbox-owner'],
  ])('accepts a token in the header %s', async (name, value) => {
    const { body } = await ask('GET /user', { as: 'none', headers: { [name]: value } });
    expect(body.username).toBe('olivia');
  });

  test('accepts a token in the query, and omits it from links', async () => {
    const path = '/projects/100/jobs?private_token=sandbox-owner';
    const { status, headers } = await ask(`GET ${path}`, { as: 'none' });
    expect(status).toBe(200);
    expect(headers.get('link')).not.toContain('sandbox-owner');
  });

  test('returns 401 without a token or with an unknown token', async () => {
    for (const as of ['none', 'unknown']) {
      const { status, body } = await ask('GET /projects/100/jobs', { as });
      expect([status, body]).toEqual([401, { message: '401 Unauthorized' }]);
    }
    // An unknown token fails even if no token is required.
    expect((await ask('GET /projects/100', { as: 'unknown' })).status).toBe(401);
  });

  test('blocks users, hides internal projects from external users, and inherits roles in subgroups', async () => {
    const { sandbox, ask } = await openTestSandbox();
    const token = sandbox.addToken('bella');
    expect((await ask('GET /user', { as: 'none', headers: { 'private-token': token } })).status).toBe(403);
    const external = sandbox.addToken('ellen');
    const { status } = await ask('GET /projects/102', { as: 'none', headers: { 'private-token': external } });
    expect(status).toBe(404);
    const create = { json: { key: 'A', value: 'b' } };
    expect((await ask('POST /projects/102/variables', { as: 'maintainer', ...create })).status).toBe(201);
    expect((await ask('POST /projects/102/variables', { as: 'developer', ...create })).status).toBe(403);
  });

  test('rejects a write with a read-only token', async () => {
    expect((await ask('GET /projects/100/variables', { as: 'readonly' })).status).toBe(200);
    const { status, body } = await ask('DELETE /projects/100/variables/DEPLOY_USER', { as: 'readonly' });
    expect(status).toBe(403);
    expect(body).toMatchObject({ error: 'insufficient_scope', scope: 'api' });
    expect(body.error_description).toEqual(expect.any(String));
  });
});

describe('offset pages (section 8)', () => {
  test('have page headers and links on the first and the last page', async () => {
    const first = await ask('GET /projects/acme%2Frocket/jobs?per_page=100&scope[]=success&scope[]=failed');
    const total = Number(first.headers.get('x-total'));
    expect(total).toBeGreaterThan(200);
    const pages = Math.ceil(total / 100);
    expect(first.body).toHaveLength(100);
    const facts = ({ headers }: { headers: Headers }) =>
      ['x-page', 'x-per-page', 'x-next-page', 'x-prev-page', 'x-total-pages'].map((name) =>
        headers.get(name),
      );
    expect(facts(first)).toEqual(['1', '100', '2', '', String(pages)]);
    expect(linkOf(first.headers, 'prev')).toBeUndefined();
    const next = linkOf(first.headers, 'next') as URL;
    expect(next.pathname).toBe('/api/v4/projects/acme%2Frocket/jobs');
    expect(next.searchParams.getAll('scope[]')).toEqual(['success', 'failed']);
    expect([next.searchParams.get('page'), next.searchParams.get('per_page')]).toEqual(['2', '100']);

    const scopes = 'scope[]=success&scope[]=failed';
    const last = await ask(`GET /projects/100/jobs?per_page=100&page=${pages}&${scopes}`);
    expect(facts(last)).toEqual([String(pages), '100', '', String(pages - 1), String(pages)]);
    expect(last.body).toHaveLength(total - 100 * (pages - 1));
    expect(linkOf(last.headers, 'next')).toBeUndefined();
    expect(linkOf(last.headers, 'prev')?.searchParams.get('page')).toBe(String(pages - 1));
    expect(linkOf(last.headers, 'first')?.searchParams.get('page')).toBe('1');
    expect(linkOf(last.headers, 'last')?.searchParams.get('page')).toBe(String(pages));
  });

  test('have 20 rows by default and at most 100, and none after the last page', async () => {
    expect((await ask('GET /projects/100/jobs')).body).toHaveLength(20);
    const { body, headers } = await ask('GET /projects/100/jobs?per_page=1000');
    expect([body.length, headers.get('x-per-page')]).toEqual([100, '100']);
    const after = await ask('GET /projects/100/jobs?page=99');
    expect([after.status, after.body, after.headers.get('x-next-page')]).toEqual([200, [], '']);
  });

  test('have no totals above 10,000 records', async () => {
    const { sandbox, ask } = await openTestSandbox();
    const table = sandbox.world.table('jobs');
    const row = table.get(5001) as { id: number };
    // The list omits the three bridges.
    const missing = 10_000 + 3 - table.all().length;
    for (let id = 6001; id <= 6000 + missing; id++) table.insert({ ...row, id });
    const counted = await ask('GET /projects/100/jobs');
    expect(counted.headers.get('x-total')).toBe('10000');
    table.insert({ ...row, id: 90_001 });
    const { headers } = await ask('GET /projects/100/jobs?page=3');
    expect(headers.has('x-total') || headers.has('x-total-pages')).toBe(false);
    expect(linkOf(headers, 'last')).toBeUndefined();
    expect(linkOf(headers, 'next')?.searchParams.get('page')).toBe('4');
    expect(linkOf(headers, 'first')).toBeDefined();
  });
});
