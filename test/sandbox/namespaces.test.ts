import { describe, expect, test } from 'vitest';
import { ids, linkOf, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

interface Named {
  readonly path_with_namespace: string;
  readonly full_path: string;
}
const listed = async (call: string, as = 'admin') =>
  (await ask(call, { as })).body.map((row: Named) => row.path_with_namespace).sort();
const groupsIn = (body: readonly Named[]) => body.map((row) => row.full_path);

describe('GET /projects', () => {
  test('lists the projects that the caller can see, and filters them by visibility', async () => {
    const all = ['acme/labs/probe', 'acme/rocket', 'acme/website'];
    expect(await listed('GET /projects')).toEqual(all);
    expect(await listed('GET /projects', 'guest')).toEqual(all);
    expect(await listed('GET /projects', 'outsider')).toEqual(['acme/labs/probe', 'acme/rocket']);
    expect(await listed('GET /projects', 'none')).toEqual(['acme/rocket']);
    expect(await listed('GET /projects?visibility=private')).toEqual(['acme/website']);
  });

  test('shows the same attributes as GET /projects/:id', async () => {
    const { body } = await ask('GET /projects?search=rock');
    expect(body).toEqual([(await ask('GET /projects/100')).body]);
  });

  test('has pages, newest project first', async () => {
    const first = await ask('GET /projects?per_page=2');
    expect(first.headers.get('x-total')).toBe('3');
    expect(first.headers.get('x-total-pages')).toBe('2');
    const next = linkOf(first.headers, 'next');
    const second = await ask(`GET ${next?.pathname.replace('/api/v4', '')}${next?.search}`);
    expect(ids([...first.body, ...second.body])).toEqual([102, 101, 100]);
    expect(ids((await ask('GET /projects?order_by=path&sort=asc')).body)).toEqual([102, 100, 101]);
  });
});

test('GET /groups lists the groups that the caller can see, by path', async () => {
  expect(groupsIn((await ask('GET /groups')).body)).toEqual(['acme', 'acme/labs', 'acme/legacy', 'umbrella']);
  expect(groupsIn((await ask('GET /groups', { as: 'outsider' })).body)).not.toContain('umbrella');
  expect(groupsIn((await ask('GET /groups', { as: 'none' })).body)).toEqual(['acme', 'acme/labs']);
  expect(groupsIn((await ask('GET /groups?top_level_only=true')).body)).toEqual(['acme', 'umbrella']);
  expect(ids((await ask('GET /groups?order_by=id&sort=desc')).body)).toEqual([13, 12, 11, 10]);
  expect(ids((await ask('GET /groups/10/subgroups?order_by=id&sort=desc')).body)).toEqual([13, 11]);
});

describe('GET /groups/:id/projects', () => {
  test('lists the projects of the group, and with include_subgroups those below it', async () => {
    expect(await listed('GET /groups/acme/projects')).toEqual(['acme/rocket', 'acme/website']);
    const below = ['acme/labs/probe', 'acme/rocket', 'acme/website'];
    expect(await listed('GET /groups/10/projects?include_subgroups=true')).toEqual(below);
    expect(await listed('GET /groups/acme%2Flabs/projects')).toEqual(['acme/labs/probe']);
  });

  test('omits projects that the caller cannot see', async () => {
    const call = 'GET /groups/acme/projects?include_subgroups=true';
    expect(await listed(call, 'none')).toEqual(['acme/rocket']);
  });
});
