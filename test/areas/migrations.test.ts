import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { forbidden, incomplete, missing, shows } from './scenario.ts';

const source = '--configuration url=https://old.example.com';
const entity =
  '--entity source_type=group_entity,source_full_path=tools,destination_slug=tools,destination_namespace=acme';

shows(
  'migrations list',
  'migrations get 21',
  'migrations entities 21',
  'migrations all-entities',
  'migrations entity 21 211',
);
missing(
  'migrations get 999',
  'migrations entities 999',
  'migrations entity 21 999',
  'migrations entity 21 221',
  'migrations failures 22 999',
  'migrations cancel 999 --yes',
);
forbidden('none', 'migrations list', 'migrations cancel 23 --yes');
incomplete(
  `migrations create ${source} ${entity}`,
  'migrations list --status done',
  'migrations entity 21',
  'migrations cancel 23',
);

test('creates, reads and cancels a migration', async () => {
  const world = await openWorld();
  const env = { SVC_SOURCE_TOKEN: 'sourcetoken-1234' };
  const created = await world.json(`migrations create ${source} ${entity}`, { env });
  expect(created).toMatchObject({
    status: 'created',
    source_url: expect.stringMatching(/^https:\/\/old\.example\.com\/?$/),
    has_failures: false,
  });
  expect(JSON.stringify(created)).not.toContain('sourcetoken');
  expect(await world.json(`migrations get ${created.id}`)).toMatchObject({ id: created.id });
  const entities = await world.json(`migrations entities ${created.id}`);
  expect(entities).toMatchObject([
    {
      bulk_import_id: created.id,
      entity_type: 'group',
      source_full_path: 'tools',
      destination_slug: 'tools',
    },
  ]);
  const ran = await world.json(`migrations cancel ${created.id} --yes`);
  expect(ran.status).toBe('canceled');
  expect((await world.json(`migrations get ${created.id}`)).status).toBe('canceled');
});

test('filters by status and sorts in both directions', async () => {
  const world = await openWorld();
  const ids = async (flags: string) =>
    (await world.json(`migrations list ${flags}`)).map(({ id }: { id: number }) => id);
  expect(await ids('--status failed')).toEqual([22]);
  const all = await ids('');
  expect(await ids('--sort asc')).toEqual([...all].reverse());
});

test('prints failures with their reason', async () => {
  const world = await openWorld();
  const failures = [await world.json('migrations failures 22 221')].flat();
  expect(failures.length).toBeGreaterThan(0);
  expect(failures[0]).toMatchObject({ relation: expect.any(String), exception_message: expect.any(String) });
});
