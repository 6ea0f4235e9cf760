import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { done, forbidden, incomplete, missing, shows } from './scenario.ts';

shows('broadcasts list', 'broadcasts get 61');
missing('broadcasts get 999', 'broadcasts update 999 --message x', 'broadcasts delete 999 --yes');
forbidden(
  'owner',
  'broadcasts create --message x',
  'broadcasts update 61 --message x',
  'broadcasts delete 61 --yes',
);
forbidden('none', 'broadcasts create --message x');
incomplete(
  'broadcasts create',
  'broadcasts create --message x --theme loud',
  'broadcasts create --message x --target-access-levels 15',
  'broadcasts create --message x --starts-at noon',
);

test('creates, reads, lists, updates and deletes messages', async () => {
  const world = await openWorld();
  const created = await world.json(
    'broadcasts create --message Hello --theme red --target-access-levels 30,40',
  );
  expect(created).toMatchObject({ message: 'Hello', theme: 'red', active: true, broadcast_type: 'banner' });
  expect(created.target_access_levels).toEqual([30, 40]);
  // A message without an end lasts an hour (section 4.9).
  expect(Date.parse(created.ends_at) - Date.parse(created.starts_at)).toBe(3_600_000);
  expect(await world.json(`broadcasts get ${created.id}`)).toEqual(created);
  expect(await world.json('broadcasts list')).toContainEqual(created);
  const changed = await world.json(
    `broadcasts update ${created.id} --ends-at 2020-01-01T00:00:00Z --starts-at 2019-01-01T00:00:00Z`,
  );
  expect(changed).toMatchObject({ id: created.id, message: 'Hello', active: false });
  await done(world, `broadcasts delete ${created.id} --yes`);
  expect((await world.run(`broadcasts get ${created.id}`)).code).toBe(5);
});

test('reads messages without a token', async () => {
  const world = await openWorld();
  expect((await world.json('broadcasts list', { as: 'none' })).length).toBeGreaterThan(1);
  expect((await world.json('broadcasts get 61', { as: 'none' })).active).toBe(true);
});
