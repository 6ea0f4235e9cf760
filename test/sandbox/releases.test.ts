import { describe, expect, test } from 'vitest';
import { seededShas } from '../support/seeded-shas.ts';
import { changeRow, openTestSandbox, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const tags = (rows: readonly { tag_name: string }[]) => rows.map(({ tag_name }) => tag_name);

describe('releases of a group (sections 2.15, 4.16)', () => {
  test('lists releases of the group and its subgroups, newest first', async () => {
    const { status, body, headers } = await ask('GET /groups/10/releases');
    expect(status).toBe(200);
    expect(tags(body)).toEqual(['v1.1.0', 'v0.9.0', 'v1.0.0']);
    expect(headers.get('x-total')).toBe('3');
    expect(body[0]).toMatchObject({
      name: 'Rocket 1.1',
      upcoming_release: false,
      author: { id: 3, username: 'mia', web_url: 'http://sandbox.localhost/mia' },
      commit: { id: seededShas['v1.1.0'], title: 'Release 1.1.0' },
      commit_path: `/acme/rocket/-/commit/${seededShas['v1.1.0']}`,
      tag_path: '/acme/rocket/-/tags/v1.1.0',
    });
    const labs = await ask('GET /groups/acme%2Flabs/releases');
    expect(tags(labs.body)).toEqual(['v0.9.0']);
    expect(labs.body[0].commit).toMatchObject({ title: 'Release 0.9.0', author_name: 'Mia Maintainer' });
  });

  test('sorts, paginates and selects simple fields', async () => {
    const listed = async (query: string) => tags((await ask(`GET /groups/10/releases?${query}`)).body);
    expect(await listed('sort=asc')).toEqual(['v1.0.0', 'v0.9.0', 'v1.1.0']);
    expect(await listed('per_page=1&page=2')).toEqual(['v0.9.0']);
    const { body, headers } = await ask('GET /groups/10/releases?simple=true&per_page=2');
    expect(Object.keys(body[0]).sort()).toEqual(
      ['created_at', 'description', 'name', 'released_at', 'tag_name', 'upcoming_release'].sort(),
    );
    expect(headers.get('x-next-page')).toBe('2');
  });

  test('reports upcoming releases', async () => {
    const { ask, sandbox } = await openTestSandbox();
    const [release] = sandbox.world.table('releases').all();
    changeRow(sandbox, 'releases', release?.id ?? 0, { released_at: '2999-01-01T00:00:00.000Z' });
    const [first] = (await ask('GET /groups/10/releases')).body;
    expect(first).toMatchObject({ tag_name: 'v1.0.0', upcoming_release: true });
  });

  test('lists only releases of visible projects', async () => {
    const { ask, sandbox } = await openTestSandbox();
    changeRow(sandbox, 'projects', 102, { visibility: 'private' });
    const { body } = await ask('GET /groups/10/releases', { as: 'outsider' });
    expect(tags(body)).toEqual(['v1.1.0', 'v1.0.0']);
    const asGuest = (await ask('GET /groups/10/releases', { as: 'guest' })).body;
    expect(tags(asGuest)).toEqual(['v1.1.0', 'v0.9.0', 'v1.0.0']);
    expect(asGuest[1]).toMatchObject({ commit_path: '', tag_path: '' });
    expect(asGuest[1]).not.toHaveProperty('commit');
    const asReporter = (await ask('GET /groups/10/releases', { as: 'reporter' })).body;
    expect(asReporter[1].commit.id).toMatch(/^[0-9a-f]{40}$/);
    expect((await ask('GET /groups/umbrella/releases')).body).toEqual([]);
  });
});

const path = '/projects/100/releases';

test('creates, updates and deletes a release of a project with its tag (outside the specification)', async () => {
  const listed = async () => tags((await ask('GET /groups/10/releases')).body);
  const created = await ask(`POST ${path}`, { as: 'developer', json: { tag_name: 'v2.0.0', ref: 'main' } });
  expect([created.status, created.body]).toMatchObject([
    201,
    { tag_name: 'v2.0.0', name: 'v2.0.0', author: { username: 'devon' }, upcoming_release: false },
  ]);
  expect(await listed()).toContain('v2.0.0');
  const json = { name: 'Two', released_at: '2027-01-01T02:00:00+02:00' };
  const changed = await ask(`PUT ${path}/v2.0.0`, { json });
  expect(changed.body).toMatchObject({
    ...json,
    released_at: '2027-01-01T00:00:00.000Z',
    upcoming_release: true,
  });
  expect((await ask(`DELETE ${path}/v2.0.0`)).body).toEqual(changed.body);
  expect(await listed()).not.toContain('v2.0.0');
  expect((await ask(`POST ${path}`, { json: { tag_name: 'v2.0.0' } })).status).toBe(201);
});
