/** Branches over the API (section 4.11). */
import { describe, expect, it } from 'vitest';
import { seededShas } from '../support/seeded-shas.ts';
import { projectsPerTest } from './ask.ts';

const { own, call } = projectsPerTest();

const branches = 'acme%2Frocket/repository/branches';
const branch = (name: string) => `${branches}/${encodeURIComponent(name)}`;
const names = async (query = '') =>
  (await call('GET', `${branches}?${query}`)).body.map(({ name }: { name: string }) => name);

const everyBranch = ['develop', 'feature/login', 'feature/search', 'hotfix/typo', 'main', 'release/1.x'];

describe('branches', () => {
  it('lists branches by name in pages without a token', async () => {
    expect(await names()).toEqual(everyBranch);
    expect(await names('per_page=2&page=2')).toEqual(['feature/search', 'hotfix/typo']);
    expect((await call('GET', `${branches}?per_page=2`)).headers.get('x-total')).toBe('6');
  });

  it.each<[string, string[]]>([
    ['ea', ['feature/login', 'feature/search', 'release/1.x']],
    ['EA', ['feature/login', 'feature/search', 'release/1.x']],
    ['^feature/', ['feature/login', 'feature/search']],
    ['in$', ['feature/login', 'main']],
    ['^main$', ['main']],
    ['^mai$', []],
    ['.', ['release/1.x']],
  ])('finds branches with search=%s', async (search, found) => {
    expect(await names(`search=${encodeURIComponent(search)}`)).toEqual(found);
  });

  it('filters branches by an RE2 expression', async () => {
    const regex = encodeURIComponent('^(hotfix|release)/');
    expect(await names(`regex=${regex}`)).toEqual(['hotfix/typo', 'release/1.x']);
    expect(await names(`regex=e&search=log`)).toEqual(['feature/login']);
  });

  it('returns a branch with its commit', async () => {
    const { status, body } = await call('GET', branch('feature/login'), 'developer');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'feature/login',
      merged: false,
      protected: false,
      default: false,
      ...{ developers_can_push: false, developers_can_merge: false, can_push: true },
      web_url: 'http://sandbox.localhost/acme/rocket/-/tree/feature/login',
      commit: {
        id: seededShas['feature/login'],
        short_id: seededShas['feature/login'].slice(0, 8),
        title: 'Let nobody launch unnamed',
        author_name: 'Devon Developer',
        web_url: `http://sandbox.localhost/acme/rocket/-/commit/${seededShas['feature/login']}`,
      },
    });
  });

  it('reports merged, protected, default and can_push', async () => {
    const rows = (await call('GET', branches, 'developer')).body;
    const withMark = (mark: string) =>
      rows.flatMap((row: Record<string, unknown>) => (row[mark] === true ? [row['name']] : []));
    expect(withMark('merged')).toEqual(['feature/search', 'hotfix/typo']);
    expect(withMark('protected')).toEqual(['main', 'release/1.x']);
    expect(withMark('default')).toEqual(['main']);
    expect(withMark('can_push')).toEqual(['develop', 'feature/login', 'feature/search', 'hotfix/typo']);
    expect((await call('GET', branch('main'), 'maintainer')).body.can_push).toBe(true);
    expect((await call('GET', branch('develop'))).body.can_push).toBe(false);
  });

  it('lists the branches of a private project for reporters', async () => {
    const { body } = await call('GET', '101/repository/branches', 'reporter');
    expect(body).toMatchObject([{ name: 'main', default: true }]);
  });
});

it.each([
  ['a branch', 'develop', seededShas.develop],
  ['a SHA', seededShas['main~3'], seededShas['main~3']],
  ['a tag', 'v1.0.0', seededShas['v1.0.0']],
])('starts a branch from %s', async (_, ref, sha) => {
  const { status, body } = await call('POST', branches, 'developer', { branch: 'feature/new', ref });
  expect(status).toBe(201);
  expect(body).toMatchObject({ name: 'feature/new', protected: false, commit: { id: sha } });
  expect(own.events).toMatchObject([
    { kind: 'push', ref: 'refs/heads/feature/new', before: '0'.repeat(40), after: sha, user_id: 4 },
  ]);
});

describe('branch deletion', () => {
  it('emits a push event', async () => {
    await call('DELETE', branch('feature/login'), 'developer');
    const sha = seededShas['feature/login'];
    const deleted = { ref: 'refs/heads/feature/login', before: sha, after: '0'.repeat(40), commits: [] };
    expect(own.events).toMatchObject([deleted]);
  });

  it('keeps default and protected branches when deleting merged ones', async () => {
    await call('POST', 'acme%2Frocket/protected_branches', 'maintainer', { name: 'hotfix/*' });
    const { status } = await call('DELETE', 'acme%2Frocket/repository/merged_branches', 'developer');
    expect(status).toBe(202);
    expect(await names()).toEqual(everyBranch.filter((name) => name !== 'feature/search'));
  });
});

describe('branch protection', () => {
  const all = 'acme%2Frocket/protected_branches';

  it('protects a branch until it is unprotected', async () => {
    const json = { name: 'develop', push_access_level: 30 };
    const { status, body } = await call('POST', all, 'maintainer', json);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'develop',
      push_access_levels: [{ access_level: 30 }],
      merge_access_levels: [{ access_level: 40 }],
      allow_force_push: false,
    });
    expect((await call('GET', branch('develop'), 'developer')).body).toMatchObject({
      protected: true,
      developers_can_push: true,
      developers_can_merge: false,
      can_push: true,
    });
    expect((await call('DELETE', `${all}/develop`, 'maintainer')).status).toBe(204);
    expect((await call('GET', branch('develop'))).body.protected).toBe(false);
  });

  it('protects existing and new branches that match a pattern', async () => {
    await call('POST', all, 'maintainer', { name: 'feature/*', push_access_level: 0 });
    const create = { branch: 'feature/x', ref: 'main' };
    expect((await call('POST', branches, 'developer', create)).status).toBe(403);
    expect((await call('POST', branches, 'admin', create)).status).toBe(403);
    expect((await call('POST', branches, 'developer', { ...create, branch: 'features' })).status).toBe(201);
    expect((await call('DELETE', `${all}/feature%2F*`, 'maintainer')).status).toBe(204);
    expect((await call('POST', branches, 'developer', create)).status).toBe(201);
  });
});
