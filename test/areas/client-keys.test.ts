import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { done, forbidden, incomplete, missing, shows } from './scenario.ts';

const rocket = '--project acme/rocket';

shows(`client-keys list ${rocket}`);
missing(`client-keys delete 999 ${rocket} --yes`, 'client-keys list --project acme/nowhere');
forbidden(
  'developer',
  `client-keys list ${rocket}`,
  `client-keys create ${rocket}`,
  `client-keys delete 501 ${rocket} --yes`,
);
forbidden('readonly', `client-keys create ${rocket}`);
forbidden('none', `client-keys list ${rocket}`);
incomplete(`client-keys delete 501 ${rocket}`, `client-keys delete x ${rocket} --yes`, 'client-keys create');

test('rotates a leaked key', async () => {
  const world = await openWorld();
  const as = { as: 'maintainer' } as const;
  const key = await world.json(`client-keys create ${rocket}`, as);
  expect(key.active).toBe(true);
  expect(key.tracker_dsn).toContain(key.public_key);
  expect(await world.json(`client-keys list ${rocket}`, as)).toContainEqual(key);
  await done(world, `client-keys delete 501 ${rocket} --yes`, as);
  const ids = (await world.json(`client-keys list ${rocket}`, as)).map(({ id }: { id: number }) => id);
  expect(ids).toContain(key.id);
  expect(ids).not.toContain(501);
});
