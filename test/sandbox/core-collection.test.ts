/** Collections with and without a declaration, tested with a fictitious area. */
import { beforeEach, describe, expect, test } from 'vitest';
import { project } from '../../src/api/scopes.ts';
import { type Collection, collection, undeclared } from '../../src/sandbox/core/collection.ts';
import { HttpError } from '../../src/sandbox/core/http-error.ts';
import { type Route, Router } from '../../src/sandbox/core/router.ts';
import type { Row } from '../../src/sandbox/core/rows.ts';
import type { World } from '../../src/sandbox/core/world.ts';
import { createResponder, type Respond } from '../../src/sandbox/respond.ts';
import { inArea } from '../../src/spec/compose.ts';
import { type Endpoint, one } from '../../src/spec/endpoint.ts';
import { bool, choice, datetime, int, list, pick, text, url } from '../../src/spec/field.ts';
import { noon, openTestSandbox } from './ask.ts';

const gadget = {
  id: int('Id'),
  name: text('Name'),
  size: choice(['small', 'big'], 'Size', { default: 'small' }),
  open: bool('Open'),
  note: text('Note', { nullable: true }),
  labels: list(text('Label'), 'Labels'),
  web_url: url('Page'),
  created_at: datetime('Made'),
  updated_at: datetime('Changed'),
};
const settable = pick(gadget, 'name', 'size', 'open', 'note', 'labels');
const listed = {
  ...pick(gadget, 'size'),
  search: text('Search'),
  created_after: datetime('From'),
  created_before: datetime('To'),
  order_by: choice(['name', 'created_at'], 'By', { default: 'created_at' }),
  sort: choice(['asc', 'desc'], 'Way', { default: 'desc' }),
};

const endpoint = inArea('gadgets', { noun: 'gadget', scope: project, fields: gadget, columns: ['id'] });
const calls: readonly Endpoint[] = [
  endpoint('GET gadgets', { takes: listed }),
  endpoint('GET gadgets/:gadget_id', {}),
  endpoint('POST gadgets', { takes: { ...settable, name: text('Name', { required: true }) } }),
  endpoint('PUT gadgets/:gadget_id', { takes: settable }),
  endpoint('DELETE gadgets/:gadget_id', {}),
  endpoint('GET gadget_settings', { returns: one(settable) }),
  endpoint('PUT gadget_settings', { takes: settable, returns: one(settable) }),
];

let world: World;
let respond: Respond;
let handler = undeclared;
beforeEach(async () => {
  handler = undeclared;
  world = (await openTestSandbox()).sandbox.world;
  const routes = calls.map(
    (endpoint): Route => ({ area: 'gadgets', endpoint, handler: (ctx) => handler(ctx) }),
  );
  respond = createResponder(new Router(routes), world);
});

/** Send a request of a maintainer for a path of a project. */
async function call(request: string, json?: object, at = 100) {
  const [method = '', path] = request.split(' ');
  const headers = { 'private-token': 'sandbox-maintainer', 'content-type': 'application/json' };
  const sent = new Request(`http://localhost/api/v4/projects/${at}/${path}`, { method, headers });
  const response = await respond(sent, Buffer.from(json ? JSON.stringify(json) : ''));
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined, headers: response.headers };
}

const single = (method: string, json?: object, id = 1) => call(`${method} gadgets/${id}`, json);
const make = (name: string, more = {}, at = 100) => call('POST gadgets', { name, ...more }, at);
const names = async (query: string, at = 100): Promise<string[]> =>
  (await call(`GET gadgets?${query}`, undefined, at)).body.map(({ name }: { name: string }) => name);

const time = new Date(noon).toISOString();

describe('a collection without a declaration', () => {
  test('creates, reads, updates and deletes', async () => {
    const created = {
      id: 1,
      name: 'A',
      size: 'small',
      open: false,
      note: null,
      labels: [],
      web_url: '',
      created_at: time,
      updated_at: time,
    };
    expect(await make('A')).toMatchObject({ status: 201, body: created });
    expect(await single('GET')).toMatchObject({ status: 200, body: created });
    const changes = { open: true, labels: ['x'], note: 'why' };
    const changed = { status: 200, body: { ...created, ...changes } };
    expect(await single('PUT', changes)).toMatchObject(changed);
    expect((await single('PUT', { note: null })).body).toMatchObject({
      note: null,
      open: true,
    });
    expect(await single('DELETE')).toMatchObject({ status: 204, body: undefined });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const deleted = { status: 404, body: { message: '404 Gadget Not Found' } };
      expect(await single(method)).toMatchObject(deleted);
    }
    // Ids are not reused.
    expect((await make('B')).body).toMatchObject({ id: 2 });
  });

  test('returns exactly the fields of the catalogue, and stored paths as URLs', async () => {
    world.table('gadgets').insert({ project_id: 100, name: 'A', secret: 'x', web_url: '/acme/rocket' });
    const { body } = await single('GET');
    expect(Object.keys(body as object).sort()).toEqual(Object.keys(gadget).sort());
    expect(body).toMatchObject({ web_url: 'http://localhost/acme/rocket' });
  });

  test('excludes rows of other projects', async () => {
    await make('A', {}, 101);
    expect(await names('')).toEqual([]);
    expect(await names('', 101)).toEqual(['A']);
    expect((await single('GET')).status).toBe(404);
  });

  test('filters, searches, sorts and paginates', async () => {
    for (const [day, name, size] of [
      [1, 'beta', 'big'],
      [2, 'Alpha', 'small'],
      [3, 'gamma', 'big'],
    ] as const) {
      world
        .table('gadgets')
        .insert({ project_id: 100, name, size, created_at: `2026-03-0${day}T00:00:00.000Z` });
    }
    expect(await names('')).toEqual(['gamma', 'Alpha', 'beta']);
    expect(await names('sort=asc')).toEqual(['beta', 'Alpha', 'gamma']);
    expect(await names('order_by=name&sort=asc')).toEqual(['Alpha', 'beta', 'gamma']);
    expect(await names('size=big')).toEqual(['gamma', 'beta']);
    expect(await names('search=ALP')).toEqual(['Alpha']);
    expect(await names('created_after=2026-03-02T00:00:00Z')).toEqual(['gamma', 'Alpha']);
    expect(await names('created_before=2026-03-02')).toEqual(['Alpha', 'beta']);
    const page = await call('GET gadgets?per_page=2&page=2');
    expect(page.body).toHaveLength(1);
    expect(['x-total', 'x-prev-page'].map((header) => page.headers.get(header))).toEqual(['3', '1']);
  });
});

test('a singleton without a declaration has default values until the first update, per project', async () => {
  const fresh = { name: '', size: 'small', open: false, note: null, labels: [] };
  expect(await call('GET gadget_settings')).toMatchObject({ status: 200, body: fresh });
  expect((await call('PUT gadget_settings', { open: true })).body).toEqual({ ...fresh, open: true });
  expect((await call('GET gadget_settings')).body).toEqual({ ...fresh, open: true });
  expect((await call('GET gadget_settings', undefined, 101)).body).toEqual(fresh);
});

describe('a declared collection', () => {
  interface Gadget extends Row {
    name: string;
    size: string;
    note: string | null;
  }
  const changes: string[] = [];
  const declare = (declared: Omit<Collection<Gadget>, 'table'>) => {
    handler = collection<Gadget>({ table: 'gadgets', ...declared });
  };
  test('checks the role, the row and the whole next row before a change, and reports it afterwards', async () => {
    changes.length = 0;
    declare({
      permit: (_, { size }) => {
        if (size === 'big') throw new HttpError(403, 'too big');
      },
      check: (_, next) => ({ note: next.note === next.name && ['must differ from the name'] }),
      after: (_, action, row, before) => void changes.push(`${action} ${before?.note} ${row.note}`),
    });
    expect((await make('A', { note: 'A' })).body).toEqual({
      message: { note: ['must differ from the name'] },
    });
    await make('A', { note: 'x' });
    expect((await single('PUT', { note: 'A' })).status).toBe(400);
    await single('PUT', { note: 'y', size: 'big' });
    expect((await single('DELETE')).status).toBe(403);
    expect(changes).toEqual(['create undefined x', 'update x y']);
    declare({ role: 'owner', readRole: ({ scope }) => (scope === 'project' ? 'maintainer' : undefined) });
    expect((await make('B')).status).toBe(403);
    expect(await names('')).toEqual(['A']);
  });

  test('rejects values that exist, except those of the row itself', async () => {
    declare({ unique: ['name', 'size'] });
    await make('A');
    expect((await make('A')).body).toEqual({ message: { name: ['has already been taken'] } });
    expect((await make('A', { size: 'big' })).status).toBe(201);
    expect((await make('A', {}, 101)).status).toBe(201);
    expect((await single('PUT', { note: 'x' })).status).toBe(200);
    expect((await single('PUT', { size: 'big' })).status).toBe(400);
  });

  test('hides rows and fields, and converts, filters and orders rows', async () => {
    for (const name of ['beta', 'Alpha', 'gamma', 'hidden']) await make(name);
    declare({
      visible: (_, { name }) => name !== 'hidden',
      view: (_, row) => ({ ...row, note: `about ${row.name}` }),
      shows: (_, row, field) => field !== 'note' || row.name === 'beta',
      filters: { search: (value) => (row) => row.name.endsWith(String(value)) },
    });
    expect((await single('GET', undefined, 4)).status).toBe(404);
    expect((await single('GET')).body).toMatchObject({ note: 'about beta' });
    expect((await single('GET', undefined, 2)).body).not.toHaveProperty('note');
    expect(await names('order_by=name&sort=asc&search=a')).toEqual(['Alpha', 'beta', 'gamma']);
    expect(await names('search=ta')).toEqual(['beta']);
  });

  test('resets a text to its default with null, and ignores null for other values', async () => {
    declare({ defaults: () => ({ name: 'unnamed', size: 'big' }) });
    await make('A', { open: true, size: 'small' });
    const changed = await single('PUT', { name: null, size: null, note: null });
    expect(changed.body).toMatchObject({ name: 'unnamed', size: 'small', open: true, note: null });
  });
});
