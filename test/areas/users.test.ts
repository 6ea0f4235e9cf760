import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { forbidden, incomplete, missing, shows } from './scenario.ts';

shows('users list', 'users get 2');
missing('users get 99999');
forbidden('none', 'users get 2');
incomplete(
  'users get',
  'users get olivia',
  'users list --two-factor maybe',
  'users list --created-after someday',
  'users list --order-by age',
);

test('shows the account to administrators and the public profile to others', async () => {
  const world = await openWorld();
  const all = await world.json('users get 2');
  expect(all).toMatchObject({ username: 'olivia', is_admin: false });
  expect(all).toHaveProperty('email');
  const seen = await world.json('users get 2', { as: 'developer' });
  expect(seen).not.toHaveProperty('email');
  expect(seen).not.toHaveProperty('last_sign_in_at');
  expect(seen).toMatchObject({ username: 'olivia', bot: false });
  const [row] = await world.json('users list --username olivia', { as: 'developer' });
  expect(Object.keys(row).sort()).toEqual([
    'avatar_url',
    'id',
    'locked',
    'name',
    'state',
    'username',
    'web_url',
  ]);
});

test('filters users', async () => {
  const world = await openWorld();
  const names = async (flags: string) =>
    (await world.json(`users list --all ${flags}`)).map(({ username }: { username: string }) => username);
  expect(await names('--username OLIVIA')).toEqual(['olivia']);
  expect(await names('--search olivi')).toEqual(['olivia']);
  expect(await names('--blocked')).toEqual(['bella']);
  expect(await names('--external')).toEqual(['ellen']);
  expect(await names('--admins')).toEqual(['root']);
  expect(await names('--active')).not.toContain('bella');
  const humans = await names('--humans');
  expect(humans).toContain('olivia');
  expect(humans).not.toContain('acme-bot');
  expect(humans).not.toContain('support-bot');
  expect(await names('--without-project-bots')).not.toContain('acme-bot');
});

test('lists each user once by keyset', async () => {
  const world = await openWorld();
  const ids = (await world.json('users list --all --per-page 7')).map(({ id }: { id: number }) => id);
  expect(ids.length).toBeGreaterThan(25);
  expect(new Set(ids).size).toBe(ids.length);
});
