/** `svc migrations verify` with the seeded migrations: one that is whole, one that failed, one that runs. */
import { expect, test } from 'vitest';
import { partsOf } from '../../../src/tasks/migrations/entities.ts';
import { openWorld } from '../../support/sandbox.ts';

test('exits with 0 only if everything arrived', async () => {
  const world = await openWorld();
  const whole = await world.run('migrations verify 21 -o json');
  const results = JSON.parse(whole.out).map(({ result }: { result: string }) => result);
  expect([whole.code, new Set(results)]).toEqual([0, new Set(['ok'])]);
  expect(whole.err).toContain('never copied: variables');
  const failed = await world.run('migrations verify 22 -o json');
  expect(failed.code).toBe(9);
  const parts = JSON.parse(failed.out);
  const counts = { source: 3, fetched: 3, imported: 0, failures: 0 };
  expect(parts).toContainEqual({ result: 'missing', entity: 'vault', relation: 'labels', ...counts });
  const group = { relation: 'group', failures: 1, result: 'missing' };
  expect(parts).toContainEqual(expect.objectContaining(group));
  expect((await world.run('migrations verify 23')).code).toBe(9);
});

test('marks differences with a cross on a terminal', async () => {
  const world = await openWorld();
  const { out } = await world.run('migrations verify 22', {
    terminal: 80,
    env: { LANG: 'C.UTF-8', NO_COLOR: '1' },
  });
  expect(out).toMatch(/^✗ +vault +labels /m);
  expect(out).toMatch(/^✓ +vault +badges /m);
});

test.each([
  [{ source: 3, fetched: 3, imported: 3 }, [], 'ok'],
  [{ source: 3, fetched: 2, imported: 2 }, [], 'missing'],
  [{ source: 3, fetched: 3, imported: 2 }, [], 'missing'],
  [{ source: 0, fetched: 0, imported: 0 }, [{ relation: 'labels' }], 'missing'],
])('counts %j with the failures %j are %s', (labels, failures, result) => {
  expect(partsOf({ source_full_path: 'a', stats: { labels } }, failures)).toMatchObject([
    { relation: 'labels', result },
  ]);
});
