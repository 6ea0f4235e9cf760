import { day, iso } from '../core/time.ts';

/**
 * Create a deterministic generator of pseudo-random numbers (mulberry32).
 * @returns a function that returns integers from 0 to `limit` - 1
 */
export function seededRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** Return a time plus a number of days, as ISO 8601. */
export function addDays(from: number, count: number): string {
  return iso(from + count * day);
}
