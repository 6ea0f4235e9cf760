/** Migrations (sections 2.3, 3, 4.3). */
import { expect, test } from 'vitest';
import { configuration, entity } from '../support/migration.ts';
import { words } from '../support/svc.ts';
import { ids, openClocked, openTestSandbox, sandboxPerTest, tablesOf } from './ask.ts';

const ask = sandboxPerTest();

const wanted = { configuration, entities: [entity] };

test('moves from created to started to finished by the clock', async () => {
  const { ask, wait } = await openClocked();
  const created = await ask('POST /bulk_imports', { json: wanted });
  expect(created.status).toBe(201);
  const attributes = words('created_at has_failures id source_type source_url status updated_at');
  expect(Object.keys(created.body).sort()).toEqual(attributes);
  expect(created.body).toMatchObject({ status: 'created', has_failures: false });
  const path = `GET /bulk_imports/${created.body.id}`;
  const both = async () => [(await ask(path)).body.status, (await ask(`${path}/entities`)).body[0].status];
  expect(await both()).toEqual(['created', 'created']);
  wait(3);
  expect(await both()).toEqual(['started', 'started']);
  wait(2);
  expect(await both()).toEqual(['started', 'finished']);
  wait(2);
  expect(await both()).toEqual(['finished', 'finished']);
  const { body } = await ask(path);
  expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(body.created_at));
});

test('creates a group or project when an entity finishes', async () => {
  const { ask, wait } = await openClocked();
  const project = { ...entity, source_type: 'project_entity', destination_slug: 'Crane' };
  const lost = { ...entity, source_full_path: 'missing', destination_slug: 'lost' };
  const { body } = await ask('POST /bulk_imports', {
    json: { configuration, entities: [entity, project, lost] },
  });
  const places = ['/groups/acme%2Ftools', '/projects/acme%2Fcrane', '/groups/acme%2Flost'];
  const found = () => Promise.all(places.map(async (place) => (await ask(`GET ${place}`)).status));
  expect(await found()).toEqual([404, 404, 404]);
  wait(7);
  expect(await found()).toEqual([200, 200, 404]);
  const ended = { status: 'finished', has_failures: true };
  expect((await ask(`GET /bulk_imports/${body.id}`)).body).toMatchObject(ended);
  const entities = (await ask(`GET /bulk_imports/${body.id}/entities?sort=asc`)).body;
  const group = (await ask('GET /groups/acme%2Ftools')).body;
  expect(group).toMatchObject({ full_path: 'acme/tools', parent_id: 10 });
  const created = (await ask('GET /projects/acme%2Fcrane')).body;
  expect(entities).toMatchObject([
    { namespace_id: group.id, project_id: null },
    { namespace_id: null, project_id: created.id },
    { namespace_id: null, project_id: null },
  ]);
  const branches = (await ask(`GET /projects/${created.id}/repository/branches`)).body;
  expect(branches).toMatchObject([{ name: 'main' }]);
});

test('neither returns nor stores the token of the source', async () => {
  const { ask, sandbox } = await openTestSandbox();
  const created = await ask('POST /bulk_imports', {
    json: { ...wanted, configuration: { ...configuration, url: 'https://me:pass-word@old.example.com' } },
  });
  expect(created.status).toBe(201);
  const state = JSON.stringify(tablesOf(sandbox));
  expect(created.text + state).not.toContain('source-secret');
  expect(created.text + state).not.toContain('pass-word');
});

test.each([
  ['a host that fails', { ...configuration, url: 'https://fail.example' }, entity],
  ['a missing path', configuration, { ...entity, source_full_path: 'missing/group' }],
  ['an existing slug', configuration, { ...entity, destination_slug: 'labs' }, 'labs has already been taken'],
])('a migration fails for %s', async (_, source, part, message = '') => {
  const { ask, wait } = await openClocked();
  const { body } = await ask('POST /bulk_imports', { json: { configuration: source, entities: [part] } });
  wait(7);
  const ended = (await ask(`GET /bulk_imports/${body.id}`)).body;
  expect(ended).toMatchObject({ status: 'failed', has_failures: true });
  const [failed] = (await ask(`GET /bulk_imports/${body.id}/entities`)).body;
  expect(failed).toMatchObject({ status: 'failed', has_failures: true, bulk_import_id: body.id });
  expect(failed.failures).toMatchObject([{ exception_message: expect.stringContaining(message) }]);
  expect(failed.namespace_id).toBeNull();
  const failures = await ask(`GET /bulk_imports/${body.id}/entities/${failed.id}/failures`);
  expect(failures.body).toMatchObject({ relation: 'group', source_title: expect.any(String) });
});

test('lists newest first, filters by status and sorts', async () => {
  expect(ids((await ask('GET /bulk_imports')).body)).toEqual([23, 22, 21]);
  expect(ids((await ask('GET /bulk_imports', { as: 'owner' })).body)).toEqual([23]);
  expect(ids((await ask('GET /bulk_imports?sort=asc')).body)).toEqual([21, 22, 23]);
  expect(ids((await ask('GET /bulk_imports?status=failed')).body)).toEqual([22]);
  const page = await ask('GET /bulk_imports?per_page=1&page=2');
  expect(ids(page.body)).toEqual([22]);
  expect(page.headers.get('x-total')).toBe('3');
});

test('lists entities of one and of all migrations', async () => {
  expect(ids((await ask('GET /bulk_imports/entities')).body)).toEqual([231, 221, 212, 211]);
  expect(ids((await ask('GET /bulk_imports/entities?status=finished&sort=asc')).body)).toEqual([211, 212]);
  expect(ids((await ask('GET /bulk_imports/21/entities?sort=asc')).body)).toEqual([211, 212]);
  const { body } = await ask('GET /bulk_imports/21/entities/211');
  expect(body).toMatchObject({
    entity_type: 'group',
    destination_full_path: 'acme/legacy',
    namespace_id: 13,
    status: 'finished',
    migrate_projects: true,
    failures: [],
  });
  for (const counts of Object.values(body.stats)) {
    expect(Object.keys(counts as object)).toEqual(['source', 'fetched', 'imported']);
  }
  const none = await ask('GET /bulk_imports/21/entities/211/failures');
  expect([none.status, none.body]).toEqual([200, []]);
  expect((await ask('GET /bulk_imports/22/entities/221/failures')).body).toMatchObject({
    exception_message: expect.any(String),
    correlation_id_value: expect.any(String),
  });
});

test('cancels a migration only before it ends', async () => {
  const { ask, wait } = await openClocked();
  const created = await ask('POST /bulk_imports', { json: wanted });
  wait(3);
  const canceled = await ask(`POST /bulk_imports/${created.body.id}/cancel`);
  expect([canceled.status, canceled.body.status]).toEqual([200, 'canceled']);
  wait(60);
  expect((await ask(`GET /bulk_imports/${created.body.id}`)).body.status).toBe('canceled');
  expect((await ask('GET /groups/acme%2Ftools')).status).toBe(404);
  expect((await ask(`POST /bulk_imports/${created.body.id}/cancel`)).status).toBe(200);
});

test.each([
  ['https://old.example.com', 'https://old.example.com'],
  ['https://old.example.com/', 'https://old.example.com/'],
  ['https://old.example.com/git', 'https://old.example.com/git'],
  ['https://ann:pw@old.example.com', 'https://old.example.com'],
])('returns the source %s as %s', async (url, shown) => {
  const json = { ...wanted, configuration: { ...configuration, url } };
  expect((await ask('POST /bulk_imports', { json })).body.source_url).toBe(shown);
});
