import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { seededShas } from '../support/seeded-shas.ts';
import { done, forbidden, incomplete, missing, rejected, shows } from './scenario.ts';

const seven = '7 --project acme/rocket';

shows(`context-commits list ${seven}`);
missing(
  'context-commits list 99 --project acme/rocket',
  `context-commits delete ${seven} --commits ${seededShas.develop} --yes`,
);
forbidden('guest', `context-commits add ${seven} --commits ${seededShas.main}`);
forbidden('none', `context-commits add ${seven} --commits ${seededShas.main}`);
incomplete(
  `context-commits add ${seven}`,
  `context-commits delete ${seven} --commits x`,
  'context-commits list --project 100',
);
rejected(`context-commits add ${seven} --commits ${'0'.repeat(40)}`);

test('adds, lists and deletes context commits', async () => {
  const world = await openWorld();
  const ids = async () =>
    (await world.json(`context-commits list ${seven}`)).map(({ id }: { id: string }) => id);
  expect(await ids()).toEqual([seededShas['main~3']]);
  const added = await world.json(`context-commits add ${seven} --commits ${seededShas.main}`);
  expect(added.map(({ id }: { id: string }) => id)).toEqual([seededShas.main]);
  expect((await ids()).sort()).toEqual([seededShas.main, seededShas['main~3']].sort());
  await done(world, `context-commits delete ${seven} --commits ${seededShas['main~3']} --yes`);
  expect(await ids()).toEqual([seededShas.main]);
});
