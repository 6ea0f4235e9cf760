import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { under } from '../../src/spec/compose.ts';
import { type Endpoint, endpoint, nothing, type Scope } from '../../src/spec/endpoint.ts';
import { file, hash, int, list, rows, secret, text } from '../../src/spec/field.ts';
import { plan } from '../../src/spec/request.ts';
import { runs } from '../support/runs.ts';

const project: Scope = { name: 'project', prefix: '/projects/:id', id: text('Project') };

const draft = { section: '0', command: 'do', summary: 'Do it', returns: nothing, examples: [] } as const;

const slots = { key: text('Key') };

const takes = {
  name: text('Name'),
  ids: list(int('Id')),
  filter: hash('Filter', undefined, { in: 'query' }),
  files: rows('Files', { path: text('Path') }),
  logo: file('Logo'),
  job_token: secret('Job token', { in: 'credential' }),
};

const of = (method: 'GET' | 'POST' | 'PUT' | 'DELETE'): Endpoint =>
  under(project, [endpoint(`${method} things/:key`, { ...draft, slots, takes })])[0] as Endpoint;

describe('a slot', () => {
  it('is unchanged by a URL parser for any text', () => {
    const held = fc.string({ unit: 'binary' }).filter((key) => !['', '.', '..'].includes(key));
    fc.assert(
      fc.property(held, held, (id, key) => {
        const { target } = plan({ endpoint: of('DELETE'), slots: { id, key }, values: {} });
        const { pathname, search, hash: fragment } = new URL(`https://host.example/api/v4${target}`);
        expect(pathname.split('/').map(decodeURIComponent)).toEqual([
          '',
          'api',
          'v4',
          'projects',
          id,
          'things',
          key,
        ]);
        expect(search + fragment).toBe('');
      }),
      { numRuns: runs },
    );
  });
});
