import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inArea } from '../../src/spec/compose.ts';
import type { Scope } from '../../src/spec/endpoint.ts';
import { text } from '../../src/spec/field.ts';
import { plan } from '../../src/spec/request.ts';
import { runs } from '../support/runs.ts';

const project: Scope = { name: 'project', prefix: '/projects/:id', id: text('Project') };

const deletion = inArea('things', { noun: 'thing', scope: project })('DELETE things/:key', {
  slots: { key: text('Key') },
});

describe('a slot', () => {
  it('is unchanged by a URL parser for any text', () => {
    const slot = fc.string({ unit: 'binary' }).filter((key) => !['', '.', '..'].includes(key));
    fc.assert(
      fc.property(slot, slot, (id, key) => {
        const { target } = plan({ endpoint: deletion, slots: { id, key }, values: {} });
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
