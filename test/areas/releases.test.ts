import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { incomplete, missing, shows, unseen } from './scenario.ts';

const acme = '--group acme';

shows(`releases list ${acme}`);
missing('releases list --group nowhere');
unseen('outsider', 'releases list --group umbrella');
incomplete('releases list', `releases list ${acme} --sort up`, `releases list ${acme} --per-page 0`);

test('lists releases of the group, newest first by default', async () => {
  const world = await openWorld();
  const rows = await world.json(`releases list ${acme}`);
  const times = rows.map(({ released_at: at }: { released_at: string }) => Date.parse(at));
  expect(times.length).toBeGreaterThan(2);
  expect(times).toEqual([...times].sort((a, b) => b - a));
  const tags = rows.map(({ tag_name: tag }: { tag_name: string }) => tag);
  expect(tags).toEqual(expect.arrayContaining(['v1.0.0', 'v1.1.0', 'v0.9.0']));
  const rising = await world.json(`releases list ${acme} --sort asc`);
  expect(rising.map(({ tag_name: tag }: { tag_name: string }) => tag)).toEqual([...tags].reverse());
});

test('prints fewer attributes with --simple', async () => {
  const world = await openWorld();
  const [full] = await world.json(`releases list ${acme}`);
  const [simple] = await world.json(`releases list ${acme} --simple`);
  expect(Object.keys(simple).length).toBeLessThan(Object.keys(full).length);
  expect(Object.keys(full)).toEqual(expect.arrayContaining(Object.keys(simple)));
});
