const increment = 0x6d2b79f5;

/** Return the pseudo-random number of a seed with this index, from 0 to less than 1 (mulberry32). */
export function drawAt(seed: number, index: number): number {
  const state = (seed + Math.imul(index + 1, increment)) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

/** Create a deterministic generator of pseudo-random numbers. @returns a function that returns integers from 0 to `limit` - 1 */
export function seededRandom(seed: number): (limit: number) => number {
  let index = 0;
  return (limit) => Math.floor(drawAt(seed, index++) * limit);
}
