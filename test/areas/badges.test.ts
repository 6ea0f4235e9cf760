import { describe, expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { done, forbidden, incomplete, missing, rejected, shows, unseen } from './scenario.ts';

const urls =
  '--link-url https://x.example/%{project_path} --image-url https://x.example/%{default_branch}.svg';

shows(
  'badges list --project acme/rocket',
  'badges list --group acme',
  'badges get 81 --project acme/rocket',
  'badges get 91 --group acme',
  `badges render --project acme/rocket ${urls}`,
);
missing(
  'badges get 999 --project acme/rocket',
  'badges get 81 --group acme',
  'badges update 999 --project acme/rocket --name x',
  'badges delete 999 --group acme --yes',
);
unseen('outsider', 'badges list --project acme/website', 'badges list --group umbrella');
forbidden(
  'developer',
  `badges create --project acme/rocket ${urls}`,
  'badges delete 81 --project acme/rocket --yes',
);
forbidden('maintainer', `badges create --group acme ${urls}`);
forbidden('none', `badges create --project acme/rocket ${urls}`);
// Only the group can delete an inherited badge.
forbidden('maintainer', 'badges delete 91 --project acme/rocket --yes');
incomplete(
  'badges create --project acme/rocket --link-url https://x.example',
  'badges create --project acme/rocket --image-url https://x.example',
  `badges render --group acme --link-url https://x.example`,
  'badges get --project acme/rocket',
  'badges delete 81 --project acme/rocket',
);
rejected('badges create --project acme/rocket --link-url javascript:alert(1) --image-url https://x.example');

describe.each([
  ['--project acme/rocket', 'project'],
  ['--group acme', 'group'],
])('%s', (place, kind) => {
  test('creates, reads, lists, updates and deletes badges', async () => {
    const world = await openWorld();
    const badge = await world.json(`badges create ${place} --name mine ${urls}`);
    expect(badge).toMatchObject({
      name: 'mine',
      kind,
      link_url: 'https://x.example/%{project_path}',
      rendered_link_url: 'https://x.example/acme/rocket',
      rendered_image_url: 'https://x.example/main.svg',
    });
    expect(await world.json(`badges get ${badge.id} ${place}`)).toEqual(badge);
    expect(await world.json(`badges list ${place} --name mine`)).toEqual([badge]);
    const changed = await world.json(`badges update ${badge.id} ${place} --name yours`);
    expect(changed).toEqual({ ...badge, name: 'yours' });
    await done(world, `badges delete ${badge.id} ${place} --yes`);
    expect((await world.run(`badges get ${badge.id} ${place}`)).code).toBe(5);
  });
});

test('lists inherited badges by kind', async () => {
  const world = await openWorld();
  const kinds = (await world.json('badges list --project acme/rocket')).map(
    ({ id, kind }: { id: number; kind: string }) => [id, kind],
  );
  expect(kinds).toEqual(
    expect.arrayContaining([
      [81, 'project'],
      [82, 'project'],
      [91, 'group'],
    ]),
  );
});

test('keeps placeholders in a group without projects', async () => {
  const world = await openWorld();
  expect(await world.json(`badges render --group umbrella ${urls}`)).toMatchObject({
    rendered_link_url: 'https://x.example/%{project_path}',
  });
});
