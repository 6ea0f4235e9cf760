/** The rate limit of a client, on a clock that only pauses advance. */
import { expect, test } from 'vitest';
import { createLimiter } from '../../src/http/policy/limiter.ts';

function world(maxWait = 60_000) {
  let now = 1_000_000;
  const slept: number[] = [];
  const pauses: number[] = [];
  const limiter = createLimiter({
    maxWait,
    now: () => now,
    async sleep(ms) {
      slept.push(ms);
      now = Math.max(now, now + ms);
    },
    onPause: (ms) => pauses.push(ms),
  });
  return { limiter, slept, pauses, advance: (ms: number) => (now += ms) };
}
const quota = (remaining: number, reset: number) => ({
  status: 200,
  headers: [
    ['ratelimit-remaining', String(remaining)],
    ['ratelimit-reset', String(reset)],
  ] as [string, string][],
});
const limited = (seconds: string) => ({
  status: 429,
  headers: [['retry-after', seconds]] as [string, string][],
});

test('sends at once if the service limits nothing', async () => {
  const { limiter, slept } = world();
  for (let at = 0; at < 100; at++) await limiter.enter();
  limiter.leave({ status: 200, headers: [] });
  limiter.leave();
  await limiter.enter();
  expect(slept).toEqual([]);
});

test.each([
  ['all requests wait for Retry-After of one 429', 60_000, [limited('7')], [7000]],
  ['a 503 does not hold other requests', 60_000, [{ ...limited('7'), status: 503 }], []],
  ['does not wait longer than --max-wait', 10_000, [quota(0, 1030), limited('30')], []],
])('%s', async (_, maxWait, replies, waits) => {
  const { limiter, slept } = world(maxWait);
  await limiter.enter();
  for (const reply of replies) limiter.leave(reply);
  await limiter.enter();
  await limiter.enter();
  expect(slept).toEqual(waits);
});

test('all requests wait for the backoff of a 429 without Retry-After', async () => {
  const { limiter, slept } = world();
  await limiter.enter();
  limiter.leave({ status: 429, headers: [] });
  limiter.hold(1200);
  await limiter.enter();
  expect(slept).toEqual([1200]);
});

test('waits for the reset once the remaining requests are used, and says so once', async () => {
  const { limiter, slept, pauses } = world();
  await limiter.enter();
  limiter.leave(quota(2, 1030));
  for (let at = 0; at < 3; at++) await limiter.enter();
  expect([slept, pauses]).toEqual([[30_000], [30_000]]);
});

test('counts requests in flight as used', async () => {
  const { limiter, slept } = world();
  for (let at = 0; at < 3; at++) await limiter.enter();
  limiter.leave(quota(2, 1030));
  await limiter.enter();
  expect(slept).toEqual([30_000]);
});
