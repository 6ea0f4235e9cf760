import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backoff } from '../../src/http/policy/retry.ts';
import { httpDate, retryAfter } from '../../src/http/policy/retry-after.ts';
import { forAll } from '../support/runs.ts';

const now = Date.UTC(1994, 10, 6, 8, 49, 30);

it('retryAfter is never negative', () => {
  forAll(fc.string(), fc.string(), (after, reset) => {
    const ms = retryAfter(
      [
        ['retry-after', after],
        ['ratelimit-reset', reset],
      ],
      now,
    );
    expect(ms === undefined || ms >= 0).toBe(true);
  });
});

it('httpDate parses the dates of servers', () => {
  forAll(fc.integer({ min: 0, max: 4_102_444_799 }), (seconds) => {
    expect(httpDate(new Date(seconds * 1000).toUTCString())).toBe(seconds * 1000);
  });
});

it('backoff doubles, varied by up to a quarter', () => {
  forAll(fc.integer({ min: 1, max: 10 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (tries, random) => {
    const middle = 1000 * 2 ** (tries - 1);
    const ms = backoff(tries, random);
    expect(ms).toBeGreaterThanOrEqual(middle * 0.75);
    expect(ms).toBeLessThanOrEqual(middle * 1.25);
  });
});
