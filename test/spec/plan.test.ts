import { describe, expect, it } from 'vitest';
import { inArea } from '../../src/spec/compose.ts';
import { type Endpoint, methods, nothing, type Scope } from '../../src/spec/endpoint.ts';
import { file, hash, int, list, rows, secret, text } from '../../src/spec/field.ts';
import { placeOf, plan, slotTitle, type Values } from '../../src/spec/request.ts';
import { failureOf } from '../support/failures.ts';

const project: Scope = { name: 'project', prefix: '/projects/:id', id: text('Project') };

const endpoint = inArea('things', { noun: 'thing', scope: project, slots: { key: text('Key') } });

const takes = {
  name: text('Name'),
  ids: list(int('Id')),
  filter: hash('Filter', undefined, { in: 'query' }),
  files: rows('Files', { path: text('Path') }),
  logo: file('Logo'),
  job_token: secret('Job token', { in: 'credential' }),
};

const of = (method: 'GET' | 'POST' | 'PUT' | 'DELETE'): Endpoint =>
  endpoint(`${method} things/:key`, { returns: nothing, takes });

const at = { id: 'acme/rocket', key: 'K' };

it.each(methods.map((method) => [method, /^(GET|HEAD|DELETE)$/.test(method) ? 'query' : 'body']))(
  'the place of a parameter (section 4.0): of %s is the %s',
  (method, place) => {
    const call = endpoint(`${method} things`, { takes });
    expect(placeOf(call, takes.name)).toBe(place);
    expect(placeOf(call, takes.filter)).toBe('query');
    expect(placeOf(call, takes.job_token)).toBe('credential');
  },
);

describe('plan', () => {
  const path = '/projects/acme%2Frocket/things/K';
  const logo = { file: 'l.png', filename: 'l.png', size: 3 };
  const all = { name: 'x', ids: [7], files: [{ path: 'a' }] };
  it.each<[string, 'GET' | 'POST' | 'PUT' | 'DELETE', Values, query: string, body?: object]>([
    ['no parameters', 'GET', {}, ''],
    ['a query', 'GET', { name: 'a b+c&d', ids: [1, 2] }, '?name=a%20b%2Bc%26d&ids%5B%5D=1&ids%5B%5D=2'],
    [
      'DELETE with a query and no body',
      'DELETE',
      { name: 'x', filter: { environment_scope: '*' } },
      '?name=x&filter%5Benvironment_scope%5D=%2A',
    ],
    [
      'a JSON body and a query',
      'PUT',
      { ...all, filter: { environment_scope: 'prod' } },
      '?filter%5Benvironment_scope%5D=prod',
      { json: all },
    ],
    [
      'a multipart body with a file',
      'POST',
      { name: 'x', ids: [7], logo },
      '',
      {
        multipart: [
          { name: 'name', value: 'x' },
          { name: 'ids[]', value: '7' },
          { name: 'logo', value: logo },
        ],
      },
    ],
    ['no credential', 'POST', { job_token: 'hush' }, ''],
    ['an unknown parameter of --data in the body', 'PUT', { newer: true }, '', { json: { newer: true } }],
  ])('%s', (_, method, values, query, body = {}) => {
    const target = path + query;
    expect(plan({ endpoint: of(method), slots: at, values })).toEqual({ method, target, ...body });
  });

  it('rejects a query value that is not valid Unicode', () => {
    expect(() => plan({ endpoint: of('GET'), slots: at, values: { name: '\ud800' } })).toThrow(
      expect.objectContaining({ kind: 'usage' }),
    );
  });
});

describe('a slot', () => {
  const rejected: [string, Record<string, string>, string][] = [
    ['empty', { id: '1', key: '' }, '<key> cannot be empty'],
    ['omitted', { id: '1' }, '<key> cannot be empty'],
    ['.', { id: '1', key: '.' }, '<key> cannot be "."'],
    ['..', { id: '1', key: '..' }, '<key> cannot be ".."'],
    ['.. for the project', { id: '..', key: 'K' }, '--project cannot be ".."'],
    ['empty for the project', { id: '', key: 'K' }, '--project cannot be empty'],
  ];

  it.each(rejected)('is rejected: %s', async (_, given, message) => {
    const failure = await failureOf(() => plan({ endpoint: of('DELETE'), slots: given, values: {} }));
    expect(failure).toMatchObject({ kind: 'usage', message });
  });

  it('has the name of its flag or argument in messages', () => {
    const renamed = inArea('exports', { noun: 'export' })('POST pipelines/:id/exports', {
      command: 'create <pipeline-id>',
      argumentFields: { 'pipeline-id': 'id' },
      slots: { id: int('Pipeline id') },
    });
    expect(slotTitle(renamed, 'id')).toBe('<pipeline-id>');
    expect(slotTitle(of('GET'), 'id')).toBe('--project');
    expect(slotTitle(of('GET'), 'key')).toBe('<key>');
    expect(() => plan({ endpoint: renamed, slots: { id: '..' }, values: {} })).toThrow(
      '<pipeline-id> cannot be ".."',
    );
  });
});
