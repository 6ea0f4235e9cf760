import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askedWait, backoff, httpDate } from '../../src/http/policy/retry.ts';
import { runs } from '../support/runs.ts';

const now = Date.UTC(1994, 10, 6, 8, 49, 30);

describe('askedWait', () => {
  it('never asks for less than nothing, whatever the header says', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (after, reset) => {
        const ms = askedWait(
          [
            ['retry-after', after],
            ['ratelimit-reset', reset],
          ],
          now,
        );
        expect(ms === undefined || ms >= 0).toBe(true);
      }),
      { numRuns: runs },
    );
  });
});

describe('httpDate', () => {
  it('reads what a server writes, to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_799 }), (seconds) => {
        expect(httpDate(new Date(seconds * 1000).toUTCString())).toBe(seconds * 1000);
      }),
      { numRuns: runs },
    );
  });
});

describe('backoff', () => {
  it('doubles, with a quarter more or less', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (tries, random) => {
          const middle = 1000 * 2 ** (tries - 1);
          const ms = backoff(tries, random);
          expect(ms).toBeGreaterThanOrEqual(middle * 0.75);
          expect(ms).toBeLessThanOrEqual(middle * 1.25);
        },
      ),
      { numRuns: runs },
    );
  });
});
