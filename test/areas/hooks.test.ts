import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { done, forbidden, incomplete, missing, rejected, shows, unseen } from './scenario.ts';

const acme = '--group acme';

shows(`hooks list ${acme}`, `hooks get 301 ${acme}`, `hooks events 301 ${acme}`);
missing(
  `hooks update 999 ${acme} --name x`,
  `hooks delete 999 ${acme} --yes`,
  `hooks get 999 ${acme}`,
  `hooks events 999 ${acme}`,
  `hooks resend 301 999 ${acme}`,
  `hooks resend 999 401 ${acme}`,
  'hooks list --group nowhere',
);
unseen('outsider', 'hooks list --group umbrella');
forbidden(
  'maintainer',
  `hooks list ${acme}`,
  `hooks create ${acme} --url https://x.example`,
  `hooks resend 301 401 ${acme}`,
  `hooks update 301 ${acme} --name x`,
  `hooks delete 301 ${acme} --yes`,
);
forbidden('none', `hooks list ${acme}`);
incomplete(
  `hooks create ${acme}`,
  `hooks create ${acme} --url https://x.example --branch-filter-strategy some`,
  `hooks create ${acme} --url https://x.example --push-events=x`,
  `hooks get x ${acme}`,
  `hooks delete 301 ${acme}`,
);
rejected(`hooks create ${acme} --url ftp://x.example`);

test('creates, reads and lists hooks without showing the token and header values', async () => {
  const world = await openWorld();
  const as = { as: 'owner' } as const;
  const hook = await world.json(
    `hooks create ${acme} --url https://x.example/in --name Chat --pipeline-events --no-push-events --token hook-secret --custom-header key=X-Team,value=header-secret`,
    as,
  );
  expect(hook).toMatchObject({
    url: 'https://x.example/in',
    name: 'Chat',
    pipeline_events: true,
    push_events: false,
    custom_headers: [{ key: 'X-Team' }],
  });
  expect(await world.json(`hooks get ${hook.id} ${acme}`, as)).toEqual(hook);
  expect(await world.json(`hooks list ${acme}`, as)).toContainEqual(hook);
  expect(JSON.stringify(hook)).not.toMatch(/hook-secret|header-secret/);
});

test('updates the given attributes and deletes a hook', async () => {
  const world = await openWorld();
  const before = await world.json(`hooks get 302 ${acme}`);
  expect(await world.json(`hooks update 302 ${acme} --name Room --no-pipeline-events`)).toEqual({
    ...before,
    name: 'Room',
    pipeline_events: false,
  });
  await done(world, `hooks delete 302 ${acme} --yes`);
  expect((await world.run(`hooks get 302 ${acme}`)).code).toBe(5);
});

test('filters events by status and category', async () => {
  const world = await openWorld();
  const ids = async (flags: string) =>
    (await world.json(`hooks events 301 ${acme} ${flags}`)).map(({ id }: { id: number }) => id);
  expect((await ids('')).sort()).toEqual([401, 402, 403]);
  expect(await ids('--status 404')).toEqual([403]);
  expect(await ids('--status successful')).toEqual([401]);
  expect(await ids('--status client_failure')).toEqual([403]);
  expect(await ids('--status server_failure')).toEqual([402]);
});

test('returns 429 after five resends per minute', async () => {
  const world = await openWorld();
  const codes: number[] = [];
  for (let i = 0; i < 6; i++)
    codes.push((await world.run(`hooks resend 301 401 ${acme} --retries 0`, { as: 'owner' })).code);
  expect(codes.at(-1)).toBe(7);
  expect(codes.slice(0, 5)).not.toContain(7);
});
