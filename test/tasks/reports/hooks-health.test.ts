/** `svc hooks health`: the seeded webhook that is dead, and the rules by which events count. */
import { expect, test } from 'vitest';
import { healthOf } from '../../../src/tasks/hooks/health.ts';
import { openWorld } from '../../support/sandbox.ts';
import { at, intercepted, withStatus } from '../engine/world.ts';

const hook = { id: 7, url: 'https://host.example/hook', alert_status: 'executable', disabled_until: null };
const event = (id: number, status: string, key: string) => ({
  id,
  response_status: status,
  request_headers: { 'Idempotency-Key': key },
  response_headers: { Date: `Thu, 01 Jan 2026 00:00:0${id} GMT` },
});
const health = (...events: ReturnType<typeof event>[]) => healthOf(hook, events, (ids) => `replay ${ids}`);

test('an event is lost unless an attempt with its key succeeded', () => {
  expect(
    health(event(4, '200', 'b'), event(3, '500', 'c'), event(2, 'internal error', 'b'), event(1, '200', 'a')),
  ).toEqual({
    ...hook,
    last_success: '2026-01-01T00:00:04.000Z',
    ...{ events: 4, failures: 2, not_delivered: 1, broken: false, repair: 'replay 3' },
  });
});

test('a webhook is broken if it is disabled, or if its latest attempt failed', () => {
  const failing = health(event(2, '404', 'b'), event(1, '200', 'a'));
  expect([failing.broken, failing.last_success]).toEqual([true, '2026-01-01T00:00:01.000Z']);
  expect(health()).toMatchObject({ broken: false, last_success: null, repair: null });
  expect(healthOf({ ...hook, alert_status: 'disabled' }, [], String).broken).toBe(true);
});

test('finds the seeded webhook whose receiver does not answer', async () => {
  const world = await openWorld();
  const shown = await world.run('hooks health --group acme -o json');
  expect(shown.code).toBe(9);
  expect(JSON.parse(shown.out).filter(({ broken }: { broken: boolean }) => broken)).toMatchObject([
    { id: 301, repair: expect.stringMatching(/^svc hooks replay 301 --event [\d,]+/) },
  ]);
  expect((await world.run('hooks health --project acme/website')).code).toBe(0);
  const table = await world.run('hooks health --group acme', { terminal: 40, env: { NO_COLOR: '1' } });
  expect(table.out).toMatch(/^ {2}svc hooks replay 301 --event [\d,]+ --group acme$/m);
  const transport = intercepted(world, withStatus(at(/hooks\/301\/events/), 404));
  const rest = await world.run('hooks health --group acme -o json', { transport });
  expect([rest.code, JSON.parse(rest.out)]).toMatchObject([11, [{ id: 302 }]]);
  expect(rest.err).toContain('the log of 1 webhook cannot be read: 301');
});
