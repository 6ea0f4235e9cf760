import { expect, test } from 'vitest';
import { openSandbox, scaleNames } from '../../src/sandbox/index.ts';
import { folderWith } from '../support/folders.ts';
import { ask, noon, openTestSandbox, tablesOf } from './ask.ts';

/** The list that shows the rows of each kind. */
const lists: Readonly<Record<string, string>> = {
  users: '/users',
  groups: '/groups',
  projects: '/projects',
  jobs: '/projects/100/jobs',
  variables: '/projects/100/variables',
  badges: '/projects/100/badges',
  epics: '/groups/acme/epics?include_descendant_groups=false',
  hooks: '/groups/acme/hooks',
  snippets: '/projects/100/snippets',
};

test.each(scaleNames)('%s adds rows to its list until there are as many as requested', async (name) => {
  const { ask } = await openTestSandbox({ scale: { [name]: 500 } });
  const path = lists[name];
  const separator = path?.includes('?') ? '&' : '?';
  const ids = new Set<unknown>();
  for (let page = 1; page <= 5; page++) {
    const { status, headers, body } = await ask(`GET ${path}${separator}per_page=100&page=${page}`);
    expect(status).toBe(200);
    // The badges of a project include those of its groups.
    if (name !== 'badges') expect(headers.get('x-total')).toBe('500');
    for (const row of body) ids.add(JSON.stringify(row.id ?? [row.key, row.environment_scope]));
  }
  expect(ids.size).toBe(500);
});

test('keeps the seeded rows and adds none below their number', async () => {
  const plain = tablesOf((await openTestSandbox()).sandbox);
  const few = tablesOf((await openTestSandbox({ scale: { jobs: 3, projects: 1 } })).sandbox);
  expect(few).toEqual(plain);
  const { sandbox } = await openTestSandbox({ scale: { jobs: 400, users: 40 } });
  const tables = tablesOf(sandbox);
  for (const [name, rows] of Object.entries(plain)) expect(tables[name]?.slice(0, rows.length)).toEqual(rows);
});

test('is deterministic', async () => {
  const scale = Object.fromEntries(scaleNames.map((name) => [name, 60]));
  const [one, other] = await Promise.all([openTestSandbox({ scale }), openTestSandbox({ scale })]);
  expect(tablesOf(one.sandbox)).toEqual(tablesOf(other.sandbox));
});

test('lists the generated projects below the group acme', async () => {
  const { ask } = await openTestSandbox({ scale: { projects: 3000 } });
  const below = await ask('GET /groups/acme/projects?include_subgroups=true', { as: 'developer' });
  expect(below.headers.get('x-total')).toBe('3000');
  const last = await ask('GET /projects/acme%2Fscale%2Fproject-2997');
  expect(last.body).toMatchObject({ name: 'Project 2997', namespace: { full_path: 'acme/scale' } });
  const change = { as: 'maintainer', json: { key: 'REGION', value: 'north' } };
  expect((await ask('POST /projects/acme%2Fscale%2Fproject-0001/variables', change)).status).toBe(201);
});

test('generates 100,000 jobs and lists them', async () => {
  const { ask } = await openTestSandbox({ scale: { jobs: 100_000 } });
  const { body } = await ask('GET /projects/100/jobs?pagination=keyset&order_by=id&sort=desc&per_page=2');
  expect(body.map(({ web_url }: { web_url: string }) => web_url)).toEqual(
    body.map(({ id }: { id: number }) => `http://sandbox.localhost/acme/rocket/-/jobs/${id}`),
  );
  expect((await ask(`GET /projects/100/jobs?per_page=1&page=100000`)).body[0].id).toBe(5001);
  const own = `GET /projects/100/pipelines/${body[0].pipeline.id}`;
  const { created_at } = (await ask(own)).body;
  const jobs = (await ask(`${own}/jobs?per_page=100`)).body;
  expect(jobs).toHaveLength(20);
  for (const job of jobs) expect(job.created_at >= created_at, `${job.created_at} ${created_at}`).toBe(true);
});

test('comes before the seed file, which can change generated rows', async () => {
  const attributes = { path_with_namespace: 'acme/scale/project-0001', visibility: 'private' };
  const rows = { users: [], groups: [], projects: [{ at: 'world.yaml:1', attributes, members: [] }] };
  const { ask } = await openTestSandbox({ scale: { projects: 10 }, rows });
  expect((await ask('GET /projects/103')).body).toMatchObject(attributes);
});

test('is saved with a new state, and rejected for an existing one', async () => {
  const dir = await folderWith();
  const open = (scale?: { readonly projects: number }) =>
    openSandbox({ dir }, { now: () => noon, ...(scale ? { scale } : {}) });
  await (await open({ projects: 50 })).close();
  await expect(open({ projects: 60 })).rejects.toThrow('to an existing state');
  const sandbox = await open();
  expect((await ask(sandbox, 'GET /projects')).headers.get('x-total')).toBe('50');
  await sandbox.close();
});
