/** Users (section 4.7) and the attributes that each role sees (section 2.7). */
import { describe, expect, test } from 'vitest';
import type { User } from '../../src/sandbox/core/rows.ts';
import { words } from '../support/svc.ts';
import { ids, linkOf, openTestSandbox, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const summary = ['id', 'username', 'name', 'state', 'locked', 'avatar_url', 'web_url'];
const names = (rows: readonly { username: string }[]) => rows.map(({ username }) => username);

const except = (all: readonly string[], ...excluded: string[]) =>
  all.filter((name) => !excluded.includes(name)).sort();

async function openUsers() {
  const list = async (query: string, as = 'admin') =>
    names((await ask(`GET /users?per_page=100&${query}`, { as })).body).sort();
  return { list, all: await list('') };
}

test('one user has the public profile for a signed-in user, and all attributes for an administrator', async () => {
  const { status, body: own } = await ask('GET /users/4?with_custom_attributes=true', { as: 'guest' });
  expect(status).toBe(200);
  expect(own).toMatchObject({
    ...{ id: 4, username: 'devon', name: 'Devon Developer', state: 'active', locked: false },
    ...{ web_url: 'http://sandbox.localhost/devon', public_email: 'devon@example.com', bot: false },
    ...{ job_title: 'Engineer', work_information: 'Engineer at Acme', followers: 0, is_followed: false },
  });
  const profile = words(`
      created_at bio bot location public_email social_1 social_2 social_3 social_4 website_url organization job_title
      pronouns work_information followers following local_time is_followed`);
  expect(Object.keys(own).sort()).toEqual([...summary, ...profile].sort());
  const { body } = await ask('GET /users/4');
  expect(body).toMatchObject({
    ...{ email: 'devon@example.com', is_admin: false, two_factor_enabled: false, created_by: null },
    ...{ external: false, is_auditor: false, using_license_seat: true, scim_identities: [] },
    identities: [{ provider: 'ldapmain', extern_uid: expect.any(String) }],
  });
  expect(body.last_activity_on).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(body).not.toHaveProperty('custom_attributes');
  const more = (await ask('GET /users/4?with_custom_attributes=true')).body;
  expect(more).toEqual({
    ...body,
    custom_attributes: [
      { key: 'department', value: 'engineering' },
      { key: 'desk', value: 'B2' },
    ],
  });
});

describe('the list of users', () => {
  test('lists the public summary, and all attributes for administrators', async () => {
    const plain = await ask('GET /users?with_custom_attributes=true', { as: 'guest' });
    for (const user of plain.body) expect(Object.keys(user)).toEqual(summary);
    expect(plain.headers.get('x-total')).toBe('31');
    const [user] = (await ask('GET /users?username=olivia')).body;
    expect(user).toMatchObject({
      email: 'olivia@example.com',
      two_factor_enabled: true,
      bio: 'Founded Acme',
    });
    expect(user).not.toHaveProperty('custom_attributes');
    expect((await ask('GET /users?username=olivia&with_custom_attributes=true')).body[0]).toMatchObject({
      custom_attributes: [{ key: 'department', value: 'board' }],
    });
  });

  test('applies public filters', async () => {
    const { list, all } = await openUsers();
    expect(all).toHaveLength(31);
    const cases: [string, string[]][] = [
      ['username=OLIVIA', ['olivia']],
      ['username=oliv', []],
      ['search=dev', ['devon']],
      ['search=owner+olivia', ['olivia']],
      ['search=OKAFOR', ['amara.okafor']],
      ['search=devon%40example.com', ['devon']],
      ['search=devon%40example', []],
      ['blocked=true', ['bella']],
      ['exclude_active=true', ['bella']],
      ['blocked=false', all],
      ['active=true', except(all, 'bella')],
      ['external=true', ['ellen']],
      ['exclude_external=true', except(all, 'ellen')],
      ['humans=true', except(all, 'acme-bot', 'support-bot')],
      ['exclude_humans=true', ['acme-bot', 'support-bot']],
      ['exclude_internal=true', except(all, 'support-bot')],
      ['without_project_bots=true', except(all, 'acme-bot')],
      ['active=true&external=true&humans=true', ['ellen']],
    ];
    for (const as of ['guest', 'admin']) {
      for (const [query, found] of cases) expect([query, await list(query, as)]).toEqual([query, found]);
    }
  });

  test('filters by creation time, in UTC by default', async () => {
    const created = (await ask('GET /users/3')).body.created_at;
    const listed = async (query: string) => ids((await ask(`GET /users?sort=asc&${query}`)).body);
    expect(await listed(`created_before=${created}`)).toEqual([1, 2, 3]);
    expect(await listed(`created_before=${created.slice(0, 19)}`)).toEqual([1, 2, 3]);
    expect(await listed(`created_before=${created}&created_after=2026-01-01T08:30:00Z`)).toEqual([2, 3]);
  });

  test('applies more filters for administrators, and ignores those of other callers', async () => {
    const { list, all } = await openUsers();
    const cases: [string, string[]][] = [
      ['search=rita%40example.com', ['rita']],
      ['admins=true', ['root']],
      ['auditors=true', ['chiara.rossi']],
      ['two_factor=enabled', ['mia', 'olivia', 'root']],
      ['two_factor=disabled', except(all, 'mia', 'olivia', 'root')],
      ['skip_ldap=true', except(all, 'mia', 'devon')],
      ['provider=ldapmain', ['devon', 'mia']],
      ['provider=group_saml&extern_uid=rita%40idp.example.com', ['rita']],
      ['provider=ldapmain&extern_uid=rita%40idp.example.com', []],
      ['provider=scim', ['amara.okafor']],
      ['provider=scim&extern_uid=amara', ['amara.okafor']],
      ['saml_provider_id=5', ['rita']],
      ['saml_provider_id=6', []],
      ['custom_attributes[department]=engineering', ['devon', 'mia']],
      ['custom_attributes[department]=engineering&custom_attributes[desk]=B2', ['devon']],
    ];
    for (const [query, found] of cases) expect([query, await list(query)]).toEqual([query, found]);
    const without = await list('without_projects=true');
    expect(without).toContain('xavier');
    for (const member of ['olivia', 'gus', 'acme-bot', 'ellen']) expect(without).not.toContain(member);
    expect(await list('search=rita%40example.com', 'owner')).toEqual([]);
    const queries =
      'admins=true two_factor=enabled provider=scim without_projects=true custom_attributes[desk]=B2';
    for (const query of queries.split(' ')) expect(await list(query, 'owner')).toEqual(all);
  });

  test('sorts as administrators request, newest first for others', async () => {
    const list = async (query: string, as = 'admin') =>
      names((await ask(`GET /users?${query}`, { as })).body);
    expect((await list('per_page=2')).at(0)).toBe('tala.reyes');
    const byName = await list('per_page=3&order_by=username&sort=asc');
    expect(byName).toEqual(['acme-bot', 'amara.okafor', 'bella']);
    expect(await list('per_page=2&order_by=name')).toEqual(['xavier', 'tala.reyes']);
    expect(await list('per_page=2&order_by=created_at&sort=asc')).toEqual(['root', 'olivia']);
    const byUpdate = (await ask('GET /users?per_page=100&order_by=updated_at&sort=asc')).body;
    expect(names(byUpdate)).not.toEqual(names((await ask('GET /users?per_page=100&sort=asc')).body));
    expect(await list('per_page=2&order_by=username&sort=asc', 'owner')).toEqual(['tala.reyes', 'sven.dahl']);
  });

  test.each(['order_by=id&sort=asc', 'order_by=name&sort=desc', 'order_by=username&sort=asc'])(
    'lists all pages by keyset without a token: %s',
    async (order) => {
      const { ask } = await openTestSandbox();
      const found: User[] = [];
      let next: URL | undefined = new URL(`http://x/users?pagination=keyset&per_page=10&${order}`);
      while (next) {
        const path: string = next.pathname.replace('/api/v4', '');
        const { headers, body } = await ask(`GET ${path}${next.search}`, { as: 'none' });
        expect(headers.get('x-total')).toBe(null);
        for (const user of body) expect(Object.keys(user)).toEqual(summary);
        found.push(...body);
        next = linkOf(headers, 'next');
      }
      const [by, way] = order.split('&').map((pair) => pair.split('=')[1]) as [string, string];
      const all = (await ask(`GET /users?per_page=100&order_by=${by}&sort=${way}`)).body;
      expect(names(found)).toEqual(names(all));
    },
  );

  test('allows only keyset pagination from 50,000 records on', async () => {
    const last = await ask('GET /users?page=499&per_page=100');
    expect([last.status, last.body]).toEqual([200, []]);
  });
});
