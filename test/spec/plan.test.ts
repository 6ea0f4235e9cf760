import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { inArea } from '../../src/spec/compose.ts';
import { type Endpoint, methods, nothing, type Scope } from '../../src/spec/endpoint.ts';
import { file, hash, int, list, rows, secret, text } from '../../src/spec/field.ts';
import { placeOf, plan, slotTitle, type Values } from '../../src/spec/request.ts';

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
  it.each<[string, Endpoint, Values, object]>([
    ['no parameters', of('GET'), {}, { method: 'GET', target: '/projects/acme%2Frocket/things/K' }],
    [
      'a query',
      of('GET'),
      { name: 'a b+c&d', ids: [1, 2] },
      {
        method: 'GET',
        target: '/projects/acme%2Frocket/things/K?name=a%20b%2Bc%26d&ids%5B%5D=1&ids%5B%5D=2',
      },
    ],
    [
      'DELETE with a query and no body',
      of('DELETE'),
      { name: 'x', filter: { environment_scope: '*' } },
      {
        method: 'DELETE',
        target: '/projects/acme%2Frocket/things/K?name=x&filter%5Benvironment_scope%5D=%2A',
      },
    ],
    [
      'a JSON body and a query',
      of('PUT'),
      { name: 'x', ids: [7], files: [{ path: 'a' }], filter: { environment_scope: 'prod' } },
      {
        method: 'PUT',
        target: '/projects/acme%2Frocket/things/K?filter%5Benvironment_scope%5D=prod',
        json: { name: 'x', ids: [7], files: [{ path: 'a' }] },
      },
    ],
    [
      'a multipart body with a file',
      of('POST'),
      { name: 'x', ids: [7], logo: { file: 'l.png', filename: 'l.png', size: 3 } },
      {
        method: 'POST',
        target: '/projects/acme%2Frocket/things/K',
        multipart: [
          { name: 'name', value: 'x' },
          { name: 'ids[]', value: '7' },
          { name: 'logo', value: { file: 'l.png', filename: 'l.png', size: 3 } },
        ],
      },
    ],
    [
      'no credential',
      of('POST'),
      { job_token: 'hush' },
      { method: 'POST', target: '/projects/acme%2Frocket/things/K' },
    ],
    [
      'an unknown parameter of --data in the body',
      of('PUT'),
      { newer: true },
      { method: 'PUT', target: '/projects/acme%2Frocket/things/K', json: { newer: true } },
    ],
  ])('%s', (_, call, values, planned) => {
    expect(plan({ endpoint: call, slots: at, values: values })).toEqual(planned);
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

  it.each(rejected)('is rejected: %s', (_, given, message) => {
    let planned: unknown;
    let thrown: unknown;
    try {
      planned = plan({ endpoint: of('DELETE'), slots: given, values: {} });
    } catch (error) {
      thrown = error;
    }
    expect(planned).toBeUndefined();
    expect(thrown).toBeInstanceOf(Failure);
    expect(thrown).toMatchObject({ kind: 'usage', message });
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
