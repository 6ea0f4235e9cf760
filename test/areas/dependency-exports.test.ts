import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { forbidden, incomplete, missing, shows, unseen } from './scenario.ts';

shows('dependency-exports get 95');
missing('dependency-exports get 999', 'dependency-exports download 999', 'dependency-exports create 99999');
// Only the author can access an export (section 4.13).
test.each(['get', 'download'])('rejects %s by another user', async (command) => {
  const world = await openWorld();
  const ran = await world.run(`dependency-exports ${command} 95`, { as: 'owner' });
  expect([4, 5]).toContain(ran.code);
  expect(ran.out).toBe('');
});
unseen('outsider', 'dependency-exports get 95');
forbidden('none', 'dependency-exports get 95', 'dependency-exports create 1010');
forbidden('guest', 'dependency-exports create 1010');
incomplete(
  'dependency-exports create',
  'dependency-exports create ten',
  'dependency-exports create 1010 --export-type spdx',
);

test('creates an export, polls it and downloads a CycloneDX document', async () => {
  let now = Date.parse('2026-04-01T12:00:00Z');
  const world = await openWorld({ now: () => now });
  const created = await world.json('dependency-exports create 1010');
  expect(created.has_finished).toBe(false);
  expect((await world.run(`dependency-exports download ${created.id}`)).code).toBe(5);
  now += 60_000;
  expect((await world.json(`dependency-exports get ${created.id}`)).has_finished).toBe(true);
  const { out } = await world.run(`dependency-exports download ${created.id}`);
  expect(JSON.parse(out)).toMatchObject({ bomFormat: 'CycloneDX' });
  // An export expires after one hour (section 8).
  now += 3_600_000;
  expect((await world.run(`dependency-exports get ${created.id}`)).code).toBe(5);
});
