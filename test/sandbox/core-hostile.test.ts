/** Every endpoint responds to hostile input with a status of section 7, and never with an unexpected error. */
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/spec/endpoint.ts';
import { choicesOf, type Field } from '../../src/spec/field.ts';
import { calls } from '../support/catalogue.ts';
import { openTestSandbox, type RequestOptions, type TestSandbox } from './ask.ts';
import { seededCalls } from './seeded-calls.ts';

/** The statuses of section 7, except 500 and 503. */
const documented = [200, 201, 202, 204, 301, 304, 400, 401, 403, 404, 405, 409, 412, 414, 422, 429];

const endpoints = calls.map(({ endpoint }) => endpoint);

const seeded = new Map(
  seededCalls('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE').map(({ endpoint, request }) => [
    `${endpoint.method} ${endpoint.path}`,
    request.replace(/^\w+ |\?.*$/g, ''),
  ]),
);
const seededPath = ({ method, path }: Endpoint) => seeded.get(`${method} ${path}`) as string;

function pathOf({ path, scope }: Endpoint, slot: string): string {
  const id = scope?.name === 'group' ? '10' : '100';
  return path.replace(/:([a-z_]+)/g, (_, name) => (scope && name === 'id' ? id : encodeURIComponent(slot)));
}

async function send({ ask }: TestSandbox, { method }: Endpoint, path: string, how: RequestOptions) {
  const { body, form, ...others } = how;
  const { status } = await ask(`${method} ${path}`, method === 'GET' || method === 'HEAD' ? others : how);
  return `${method} ${path} ${documented.includes(status) ? 'documented' : status}`;
}

/** Send each request, and return those with an undocumented status. */
async function undocumented(
  paths: (call: Endpoint) => string[],
  how: (call: Endpoint) => RequestOptions,
): Promise<string[]> {
  const opened = await openTestSandbox();
  const wrong: string[] = [];
  for (const call of endpoints) {
    for (const path of paths(call)) {
      const result = await send(opened, call, path, how(call));
      if (!result.endsWith(' documented')) wrong.push(result);
    }
  }
  return wrong;
}

const json = { 'content-type': 'application/json' };
const one = (call: Endpoint) => [seededPath(call)];

/** Return a valid or nearly valid value of a field. */
function sample(field: Field, odd: boolean): unknown {
  const choices = choicesOf(field);
  if (choices && field.kind !== 'list') return choices[0];
  switch (field.kind) {
    case 'int':
    case 'number':
      return odd ? 999_999_999_999_999 : 1;
    case 'bool':
      return odd ? null : true;
    case 'datetime':
      return odd ? '0001-01-01T00:00:00Z' : '2026-01-31T08:30:00Z';
    case 'date':
      return odd ? '9999-12-31' : '2026-01-31';
    case 'list':
      return odd ? [] : [sample(field.of, odd)];
    case 'rows':
      return odd ? [] : [samples(field.keys, odd)];
    case 'hash':
    case 'object':
      return field.keys ? samples(field.keys, odd) : { 'a b': 'c' };
    case 'file':
      return undefined;
    default:
      return odd ? '\u0000/../[(*%ä🚀' : 'main';
  }
}

function samples(fields: Readonly<Record<string, Field>>, odd: boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, sample(field, odd)]));
}

function asQuery(value: unknown, name: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => asQuery(item, `${name}[]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) =>
      asQuery(item, name === '' ? key : `${name}[${key}]`),
    );
  }
  if (value === undefined) return [];
  return [`${encodeURIComponent(name)}=${encodeURIComponent(String(value ?? ''))}`];
}

/** Half of the names: each request would take minutes in sum, and each name gets half of the forms. */
const everySecond = (names: readonly string[], from: number) => names.filter((_, at) => at % 2 === from % 2);

describe('every endpoint', () => {
  test.each([
    ['malformed JSON', { headers: json, body: '{"a":' }],
    ['a JSON list', { headers: json, body: '[]' }],
    ['JSON without a body', { headers: json }],
    ['an empty object', { headers: json, body: '{}' }],
    ['another content type', { headers: { 'content-type': 'text/xml' }, body: '<a/>' }],
    ['a malformed form', { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--y' }],
    [
      'form fields',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a[]=1&a[b]=2' },
    ],
  ])('handles %s', async (_, how) => {
    expect(await undocumented(one, () => how)).toEqual([]);
  });

  const odd = ['../..', 'a/b', '\u0000', 'ä 🚀', '%', '[', '*', 'a'.repeat(2000)];
  test.each(['0', '1', '999999999999999', '-1', 'x', ...odd])(
    'handles the path parameter %j',
    async (slot) => {
      const path = (call: Endpoint) => [pathOf(call, slot)];
      expect(await undocumented(path, () => ({}))).toEqual([]);
    },
  );

  test.each([false, true])('handles values for all parameters (unusual ones: %s)', async (odd) => {
    const body = (call: Endpoint) => JSON.stringify(samples(call.takes, odd));
    expect(await undocumented(one, (call) => ({ headers: json, body: body(call) }))).toEqual([]);
    const query = (call: Endpoint) => [
      `${seededPath(call)}?${asQuery(samples(call.takes, odd), '').join('&')}`,
    ];
    expect(await undocumented(query, () => ({}))).toEqual([]);
  });

  const wrong = [null, {}, [], [[]], [null], '', 'x', 1e300, true, { a: { b: [{}] } }];

  test.each([...wrong.entries()])('handles the wrong type %i of a parameter: %j', async (at, value) => {
    const all = (call: Endpoint) =>
      JSON.stringify(Object.fromEntries(Object.keys(call.takes).map((name) => [name, value])));
    expect(await undocumented(one, (call) => ({ headers: json, body: all(call) }))).toEqual([]);
    // Then one wrong parameter at a time, in the query.
    const paths = (call: Endpoint) =>
      everySecond(Object.keys(call.takes), at).map(
        (name) => `${seededPath(call)}?${asQuery(value, name).join('&')}`,
      );
    expect(await undocumented(paths, () => ({}))).toEqual([]);
  });

  const suffixes = ['[0]=x', '[a]=x', '[]=x', '[][a]=x', '[a][b]=x', '[valueOf]=x', '[99999999]=x', '[=x'];

  test.each([...suffixes.entries()])('handles a parameter in the form %i: name%s', async (at, tail) => {
    const paths = (call: Endpoint) =>
      everySecond([...Object.keys(call.takes), 'cursor', 'id_after', '__proto__'], at).map((name) => {
        const { [name]: _, ...others } = samples(call.takes, false);
        return `${seededPath(call)}?${asQuery(others, '').join('&')}&${name}${tail}`;
      });
    expect(await undocumented(paths, () => ({}))).toEqual([]);
  });

  test('handles a multipart body with an extra part', async () => {
    const form = (call: Endpoint) => {
      const data = new FormData();
      for (const [name, field] of Object.entries(call.takes)) {
        if (field.kind === 'file') data.append(name, new Blob(['bytes']), '../../etc/passwd');
      }
      data.append('extra', new Blob(['?']), 'extra.bin');
      return { form: data };
    };
    expect(await undocumented(one, form)).toEqual([]);
  });

  test('handles concurrent requests for the same resource', async () => {
    const opened = await openTestSandbox();
    const results = await Promise.all(
      endpoints.flatMap((call) => {
        const how = { headers: json, body: JSON.stringify(samples(call.takes, false)) };
        return [1, 2, 3].map(() => send(opened, call, seededPath(call), how));
      }),
    );
    expect(results.filter((line) => !line.endsWith(' documented'))).toEqual([]);
  });

  test('returns 401 without a token, if one is required', async () => {
    const { ask } = await openTestSandbox();
    for (const { method, path, access } of endpoints) {
      if (access.anonymous) continue;
      const { status } = await ask(`${method} ${seeded.get(`${method} ${path}`)}`, { as: 'none' });
      expect([method, path, status]).toEqual([method, path, 401]);
    }
  });
});
