import { describe, expect, it } from 'vitest';
import { backoff } from '../../src/http/policy/retry.ts';
import { httpDate, retryAfter } from '../../src/http/policy/retry-after.ts';

const now = Date.UTC(1994, 10, 6, 8, 49, 30);

it.each<[headers: Record<string, string>, ms: number | undefined]>([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': ' 0 ' }, 0],
  [{ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }, 7000],
  [{ 'retry-after': 'Sun, 99 Nov 1994 08:49:37 GMT' }, undefined],
  [{ 'retry-after': 'Sun, 06 Nov 1994 08:49:29 GMT' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': 'tomorrow 5' }, undefined],
  [{ 'retry-after': '1995' }, 1_995_000],
  // A date is compared with that of the response: clocks differ.
  [{ 'retry-after': 'Sun, 06 Nov 1994 09:00:07 GMT', date: 'Sun, 06 Nov 1994 09:00:00 GMT' }, 7000],
  [{ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT', date: 'Sun, 06 Nov 1994 09:00:00 GMT' }, undefined],
  [{ 'ratelimit-reset': String(now / 1000 + 9) }, 9000],
  [{ 'ratelimit-reset': String(now / 1000 - 9) }, undefined],
  [{ 'retry-after': '3', 'ratelimit-reset': String(now / 1000 + 9) }, 3000],
  [{ 'retry-after': 'x', 'ratelimit-reset': String(now / 1000 + 9) }, 9000],
  // The first of two, whose names are the same in lower case.
  [{ 'retry-after': '3', 'Retry-After': '9' }, 3000],
  [{}, undefined],
])('retryAfter: %j is %s ms', (headers, ms) => {
  const pairs = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  expect(retryAfter(pairs, now)).toBe(ms);
});

describe('httpDate', () => {
  it.each(['1994-11-06T08:49:37Z', 'Sun, 06 Nov 1994 08:49:37 +0100', '5', 'Nov 1994'])(
    'rejects %s',
    (text) => {
      expect(httpDate(text)).toBeUndefined();
    },
  );
});

it('the wait before a repetition doubles from a second, varied by up to a quarter', () => {
  const waits = [1, 2, 3].flatMap((tries) => [0, 0.5, 1].map((random) => backoff(tries, random)));
  expect(waits).toEqual([750, 1000, 1250, 1500, 2000, 2500, 3000, 4000, 5000]);
});
