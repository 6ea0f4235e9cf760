import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { done, forbidden, incomplete, missing, rejected, shows } from './scenario.ts';

const text = 'eyJkYXRhIjoiZXhhbXBsZSJ9';

shows('license list', 'license get', 'license get 2');
missing('license get 999', 'license delete 999 --yes', 'license refresh 999');
forbidden(
  'owner',
  'license list',
  'license get',
  `license add --license ${text}`,
  'license usage',
  'license delete 1 --yes',
);
forbidden('none', 'license list');
incomplete('license add', 'license get two', 'license delete 1');
rejected('license add --license invalid');

test('adds, reads, lists, refreshes and deletes a license', async () => {
  const world = await openWorld();
  const added = await world.json(`license add --license ${text}`);
  expect(JSON.stringify(added)).not.toContain(text);
  expect((await world.json('license get')).id).toBe(added.id);
  expect((await world.json('license list')).map(({ id }: { id: number }) => id)).toContain(added.id);
  expect(await world.json(`license refresh ${added.id}`)).toEqual({ success: true });
  await done(world, `license delete ${added.id} --yes`);
  expect((await world.run(`license get ${added.id}`)).code).toBe(5);
  expect((await world.json('license get')).id).toBe(2);
});

test('prints usage as CSV with the licensee and a count per day', async () => {
  const world = await openWorld();
  const { out, code } = await world.run('license usage');
  expect(code).toBe(0);
  expect(out).toMatch(/^Date,Billable User Count$/m);
  expect(out).toMatch(/^\d{4}-\d{2}-\d{2}[^,]*,\d+$/m);
});
