import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { TrackedError } from '../../src/sandbox/areas/error-tracking/tracked-errors.ts';
import { openClocked, openTestSandbox, sandboxPerTest, type TestSandbox } from './ask.ts';

const ask = sandboxPerTest();

const settings = '/projects/100/error_tracking/settings';
const keys = '/projects/100/error_tracking/client_keys';

describe('error tracking settings (sections 2.18, 3, 4.19)', () => {
  test('enables and disables error tracking', async () => {
    const start = await ask(`GET ${settings}`);
    expect(start.body).toEqual({
      active: true,
      integrated: true,
      project_name: null,
      tracker_external_url: null,
      api_url: null,
    });
    const off = await ask(`PATCH ${settings}`, { json: { active: false } });
    expect(off).toMatchObject({ status: 200, body: { active: false, integrated: true } });
    const on = await ask(`PUT ${settings}`, { json: { active: true, integrated: false } });
    expect(on).toMatchObject({ status: 200, body: { active: true, integrated: false } });
  });

  test('adds the settings of a project that has none', async () => {
    const path = '/projects/101/error_tracking/settings';
    expect((await ask(`PUT ${path}`, { json: { active: true, integrated: true } })).status).toBe(200);
    expect((await ask(`GET ${path}`)).body).toMatchObject({ active: true, integrated: true });
  });
});

test('creates, lists and deletes client keys (sections 2.18, 4.19)', async () => {
  const created = await ask(`POST ${keys}`);
  expect(created.status).toBe(201);
  const { id, public_key, tracker_dsn } = created.body;
  expect(created.body).toEqual({
    id,
    active: true,
    public_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    tracker_dsn,
  });
  expect(tracker_dsn).toBe(`http://${public_key}@sandbox.localhost/api/v4/error_tracking/collector/100`);
  const list = (await ask(`GET ${keys}`)).body;
  expect(list.map((key: { id: number }) => key.id)).toEqual([501, 502, id]);
  expect(new Set(list.map((key: { public_key: string }) => key.public_key)).size).toBe(3);
  expect((await ask(`DELETE ${keys}/${id}`)).status).toBe(204);
  expect((await ask(`GET ${keys}`)).body).toHaveLength(2);
});

/** Derive an endpoint from a DSN as SDKs do: `/api/<id>/<endpoint>/` replaces the project id. */
function addressOf(dsn: string, endpoint: string) {
  const { pathname, username } = new URL(dsn);
  const at = pathname.lastIndexOf('/');
  const path = `${pathname.slice(0, at)}/api${pathname.slice(at)}/${endpoint}/`.replace('/api/v4', '');
  return { path, key: username };
}

const event = {
  event_id: 'fc6d8c0c43fc4630ad850ee518f1b9d0',
  platform: 'node',
  level: 'error',
  user: { id: 7 },
  exception: {
    values: [
      { type: 'TypeError', value: 'no fuel', stacktrace: { frames: [{ function: 'ignite', lineno: 3 }] } },
    ],
  },
};

const envelope = (content: object, more = '') => {
  const payload = JSON.stringify(content);
  const header = JSON.stringify({ event_id: event.event_id, sent_at: '2026-04-01T12:00:00Z' });
  const item = JSON.stringify({ type: 'event', length: Buffer.byteLength(payload) });
  return `${header}\n${item}\n${payload}\n${more}`;
};

/** Return the received errors without the seeded one. */
const errorsOf = ({ sandbox }: TestSandbox) =>
  sandbox.world.table<TrackedError>('errors').filter(({ id }) => id !== 511);

/** Open a sandbox with a new client key, whose address sends as SDKs do. */
async function openCollector(endpoint: string) {
  const opened = await openClocked();
  const dsn: string = (await opened.ask(`POST ${keys}`)).body.tracker_dsn;
  const { path, key } = addressOf(dsn, endpoint);
  const send = (how: object) => opened.ask(`POST ${path}?sentry_key=${key}`, { as: 'none', ...how });
  return { ...opened, dsn, path, key, send };
}

describe('error ingestion (section 6.2)', () => {
  test('accepts an event with the key in a header', async () => {
    const opened = await openCollector('store');
    const { path, key } = opened;
    expect(path).toBe('/error_tracking/collector/api/100/store/');
    const headers = { 'x-sentry-auth': `Sentry sentry_version=7, sentry_client=go/1, sentry_key=${key}` };
    const response = await opened.ask(`POST ${path}`, { as: 'none', json: event, headers });
    expect([response.status, response.body]).toEqual([200, { id: event.event_id }]);
    const error = { project_id: 100, name: 'TypeError', description: 'no fuel', actor: 'ignite' };
    expect(errorsOf(opened)).toMatchObject([{ ...error, platform: 'node', events_count: 1 }]);
    const slashless = await opened.ask(`POST ${path.slice(0, -1)}`, { as: 'none', json: event, headers });
    expect(slashless.status).toBe(200);
  });

  test('accepts a compressed envelope with the key in the query and ignores other items', async () => {
    const opened = await openCollector('envelope');
    const session = '{"type":"session"}\n{"sid":"1","status":"ok"}\n{"type":"attachment","length":3}\nab\n\n';
    const body = new Uint8Array(gzipSync(envelope(event, session)));
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/x-sentry-envelope' };
    const response = await opened.send({ body, headers });
    expect([response.status, response.body]).toEqual([200, { id: event.event_id }]);
    expect(errorsOf(opened)).toHaveLength(1);
  });

  test('accepts an envelope with the key in its DSN and an item without a length', async () => {
    const opened = await openCollector('envelope');
    const { dsn, path } = opened;
    const body = `${JSON.stringify({ dsn })}\n{"type":"event"}\n${JSON.stringify({ message: 'low on fuel', level: 'warning' })}`;
    const headers = { 'content-type': 'text/plain' };
    const response = await opened.ask(`POST ${path}`, { as: 'none', body, headers });
    expect(response).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^[0-9a-f]{32}$/) } });
    expect(errorsOf(opened)).toMatchObject([{ name: 'low on fuel', level: 'warning' }]);
  });

  test('deletes errors after ninety days', async () => {
    const opened = await openCollector('store');
    await opened.send({ json: { message: 'old' } });
    opened.wait(89 * 24 * 3600);
    await opened.send({ json: { message: 'newer' } });
    expect(errorsOf(opened)).toHaveLength(2);
    opened.wait(2 * 24 * 3600);
    await opened.send({ json: { message: 'newest' } });
    expect(errorsOf(opened).map(({ name }) => name)).toEqual(['newer', 'newest']);
  });

  test('rejects deleted, unknown, foreign and missing keys', async () => {
    const opened = await openTestSandbox();
    const created = (await opened.ask(`POST ${keys}`)).body;
    const { path } = addressOf(created.tracker_dsn, 'store');
    const send = async (query: string, at = path) =>
      (await opened.ask(`POST ${at}${query}`, { as: 'none', json: event })).status;
    expect(await send(`?sentry_key=${created.public_key}`)).toBe(200);
    await opened.ask(`DELETE ${keys}/${created.id}`);
    expect(await send(`?sentry_key=${created.public_key}`)).toBe(401);
    expect(await send('?sentry_key=guess')).toBe(401);
    expect(await send('')).toBe(401);
    await opened.ask('PUT /projects/101/error_tracking/settings', {
      json: { active: true, integrated: true },
    });
    const dsn = (await opened.ask('POST /projects/101/error_tracking/client_keys')).body.tracker_dsn;
    const other = addressOf(dsn, 'store');
    expect(await send(`?sentry_key=${other.key}`)).toBe(401);
    expect(await send(`?sentry_key=${other.key}`, other.path)).toBe(200);
    expect(await send(`?sentry_key=${other.key}`, '/error_tracking/collector/api/999/store/')).toBe(404);
    expect(await send(`?sentry_key=${other.key}`, '/error_tracking/collector/api/x/store/')).toBe(404);
    await opened.ask(`PATCH ${settings}`, { json: { active: false } });
    expect(await send('?sentry_key=55555555555555555555555555555551')).toBe(404);
    expect(errorsOf(opened)).toHaveLength(2);
  });

  test.each([
    ['store', 'not json', {}],
    ['store', '[]', {}],
    ['store', '', {}],
    ['store', 'not packed', { 'content-encoding': 'gzip' }],
    ['store', '{}', { 'content-encoding': 'zip' }],
    ['envelope', 'not json', {}],
    ['envelope', '{}\n{"type":"event","length":9999}\n{}', {}],
    ['envelope', '{}\n{"type":"event","length":-1}\n{}', {}],
    ['envelope', '{}\nnot json\n{}', {}],
    ['envelope', '{}\n{"type":"event"}\nnot json', {}],
  ])('rejects at %s the body %j', async (endpoint, body, headers) => {
    const opened = await openCollector(endpoint);
    expect((await opened.send({ body, headers })).status).toBe(400);
    expect(errorsOf(opened)).toEqual([]);
  });

  test('accepts incomplete events', async () => {
    const { send } = await openCollector('store');
    const exception = { values: [null] };
    for (const json of [{}, { exception: [] }, { exception, user: 'x' }, { message: 5, user: null }])
      expect((await send({ json })).status).toBe(200);
  });
});
