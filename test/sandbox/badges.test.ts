/** Badges (section 4.12) and their placeholders (section 2.12). */
import { expect, test } from 'vitest';
import { seededShas } from '../support/seeded-shas.ts';
import { sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const project = '/projects/acme%2Frocket/badges';
const group = '/groups/acme/badges';
const urls = { link_url: 'https://a.example/%{project_id}', image_url: 'https://a.example/i.svg' };

test.each([
  [project, 'project', 'maintainer'],
  [group, 'group', 'owner'],
])('creates, reads, updates and deletes a badge at %s', async (at, kind, as) => {
  const created = await ask(`POST ${at}`, { as, json: { ...urls, name: 'docs' } });
  const { id } = created.body;
  const badge = {
    ...{ id, ...urls, name: 'docs', kind },
    rendered_link_url: 'https://a.example/100',
    rendered_image_url: urls.image_url,
  };
  expect([created.status, created.body]).toEqual([201, badge]);
  expect((await ask(`GET ${at}/${id}`)).body).toEqual(badge);
  expect((await ask(`GET ${at}`)).body).toContainEqual(badge);
  const updated = await ask(`PUT ${at}/${id}`, { as, json: { name: 'guide' } });
  expect([updated.status, updated.body]).toEqual([200, { ...badge, name: 'guide' }]);
  const deleted = await ask(`DELETE ${at}/${id}`, { as });
  expect([deleted.status, deleted.text]).toEqual([204, '']);
  expect((await ask(`GET ${at}/${id}`)).status).toBe(404);
});

test('lists the badges of a project and of the groups above it', async () => {
  const shown = async (at: string) =>
    (await ask(`GET ${at}`)).body.map(({ id, kind }: { id: number; kind: string }) => [id, kind]);
  expect(await shown(project)).toEqual([
    [81, 'project'],
    [82, 'project'],
    [91, 'group'],
  ]);
  expect(await shown('/projects/102/badges')).toEqual([[91, 'group']]);
  expect(await shown(group)).toEqual([[91, 'group']]);
  expect(await shown('/groups/umbrella/badges')).toEqual([]);
  expect((await ask(`GET ${project}?per_page=1&page=3`)).body).toMatchObject([{ id: 91 }]);
  expect((await ask('GET /projects/102/badges/91')).body.rendered_link_url).toContain('/acme/labs/probe?');
});

test('filters by name, case-sensitive', async () => {
  const ids = async (name: string) =>
    (await ask(`GET ${project}?name=${name}`)).body.map(({ id }: { id: number }) => id);
  expect(await ids('build')).toEqual([81]);
  expect(await ids('quality')).toEqual([91]);
  expect(await ids('Build')).toEqual([]);
});

test.each([
  ['project_path', 'acme/rocket'],
  ['project_title', 'Rocket'],
  ['project_name', 'rocket'],
  ['project_id', '100'],
  ['project_namespace', 'acme'],
  ['group_name', 'acme'],
  ['service_server', 'sandbox.localhost'],
  ['service_pages_domain', 'pages.sandbox.localhost'],
  ['default_branch', 'main'],
  ['commit_sha', seededShas.main],
  ['latest_tag', 'v1.1.0'],
  ['unknown', '%{unknown}'],
])('replaces the placeholder %s by %s', async (name, value) => {
  const link = `https://x.example/%{${name}}/%{${name}}`;
  const query = new URLSearchParams({ link_url: link, image_url: 'http://x.example/' });
  for (const at of [project, group]) {
    const { status, body } = await ask(`GET ${at}/render?${query}`);
    expect([status, body]).toEqual([
      200,
      {
        link_url: link,
        image_url: 'http://x.example/',
        rendered_link_url: `https://x.example/${value}/${value}`,
        rendered_image_url: 'http://x.example/',
      },
    ]);
  }
});

test('keeps placeholders without a value', async () => {
  const query = new URLSearchParams({
    link_url: 'https://x.example/%{project_path}',
    image_url: 'https://x.example/%{latest_tag}',
  });
  const empty = (await ask(`GET /groups/umbrella/badges/render?${query}`)).body;
  expect(empty.rendered_link_url).toBe('https://x.example/%{project_path}');
  const untagged = (await ask(`GET /projects/101/badges/render?${query}`)).body;
  expect(untagged).toMatchObject({
    rendered_link_url: 'https://x.example/acme/website',
    rendered_image_url: 'https://x.example/%{latest_tag}',
  });
});

test('fills in commits only for callers who can read the code', async () => {
  const query = new URLSearchParams({
    link_url: 'https://x.example/%{commit_sha}',
    image_url: 'https://x.example',
  });
  const link = async (as: string) =>
    (await ask(`GET /projects/101/badges/render?${query}`, { as })).body.rendered_link_url;
  expect(await link('guest')).toBe('https://x.example/%{commit_sha}');
  expect(await link('reporter')).toMatch(/^https:\/\/x\.example\/[0-9a-f]{40}$/);
});

test('accepts a placeholder as the host', async () => {
  const { body } = await ask(`POST ${project}`, {
    json: { ...urls, link_url: 'https://%{service_server}/%{project_path}' },
  });
  expect(body.rendered_link_url).toBe('https://sandbox.localhost/acme/rocket');
});
