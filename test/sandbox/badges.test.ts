/** Badges (section 4.12) and their placeholders (section 2.12). */
import { expect, test } from 'vitest';
import { seededShas } from '../support/seeded-shas.ts';
import { ids, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const project = '/projects/acme%2Frocket/badges';
const group = '/groups/acme/badges';
const urls = { link_url: 'https://a.example/%{project_id}', image_url: 'https://a.example/i.svg' };

test.each([
  [project, 'project', 'maintainer'],
  [group, 'group', 'owner'],
])('creates and updates a badge at %s', async (at, kind, as) => {
  const created = await ask(`POST ${at}`, { as, json: { ...urls, name: 'docs' } });
  const { id } = created.body;
  const badge = {
    ...{ id, ...urls, name: 'docs', kind },
    rendered_link_url: 'https://a.example/100',
    rendered_image_url: urls.image_url,
  };
  expect([created.status, created.body]).toEqual([201, badge]);
  expect((await ask(`GET ${at}`)).body).toContainEqual(badge);
  const updated = await ask(`PUT ${at}/${id}`, { as, json: { name: 'guide' } });
  expect([updated.status, updated.body]).toEqual([200, { ...badge, name: 'guide' }]);
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
  const named = async (name: string) => ids((await ask(`GET ${project}?name=${name}`)).body);
  expect(await named('build')).toEqual([81]);
  expect(await named('quality')).toEqual([91]);
  expect(await named('Build')).toEqual([]);
});

const image = 'http://x.example/';
const rendered = async (at: string, link_url: string, image_url = image, as = 'admin') =>
  (await ask(`GET ${at}/render?${new URLSearchParams({ link_url, image_url })}`, { as })).body;

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
  const filled = `https://x.example/${value}/${value}`;
  for (const at of [project, group])
    expect(await rendered(at, link)).toEqual({
      ...{ link_url: link, rendered_link_url: filled },
      ...{ image_url: image, rendered_image_url: image },
    });
});

test('keeps placeholders without a value', async () => {
  const path = 'https://x.example/%{project_path}';
  expect((await rendered('/groups/umbrella/badges', path)).rendered_link_url).toBe(path);
  const tag = 'https://x.example/%{latest_tag}';
  expect(await rendered('/projects/101/badges', path, tag)).toMatchObject({
    rendered_link_url: 'https://x.example/acme/website',
    rendered_image_url: tag,
  });
});

test('fills in commits only for callers who can read the code', async () => {
  const link = 'https://x.example/%{commit_sha}';
  const seen = async (as: string) =>
    (await rendered('/projects/101/badges', link, image, as)).rendered_link_url;
  expect(await seen('guest')).toBe(link);
  expect(await seen('reporter')).toMatch(/^https:\/\/x\.example\/[0-9a-f]{40}$/);
});

test('accepts a placeholder as the host', async () => {
  const json = { ...urls, link_url: 'https://%{service_server}/%{project_path}' };
  const { body } = await ask(`POST ${project}`, { json });
  expect(body.rendered_link_url).toBe('https://sandbox.localhost/acme/rocket');
});
