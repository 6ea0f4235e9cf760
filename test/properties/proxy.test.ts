import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bypassed } from '../../src/http/proxy/choose.ts';
import { runs } from '../support/runs.ts';

describe('NO_PROXY', () => {
  it('takes any text', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'ab.:*/[]0123456789, %é') });
    fc.assert(
      fc.property(noise, (entries) => {
        expect(typeof bypassed('host.example', '443', entries)).toBe('boolean');
        expect(typeof bypassed('10.1.2.3', '443', entries)).toBe('boolean');
        expect(typeof bypassed('fd00::1', '443', entries)).toBe('boolean');
      }),
      { numRuns: runs },
    );
  });

  it('covers every name below one that it lists, and no other', () => {
    const label = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), label, (labels, more) => {
        const host = `${labels.join('.')}.test`;
        expect(bypassed(`${more}.${host}`, '443', host)).toBe(true);
        expect(bypassed(`${more}${host}`, '443', host)).toBe(false);
      }),
      { numRuns: runs },
    );
  });
});
