/** Group wikis (section 4.6). */
import { expect, test } from 'vitest';
import type { Page } from '../../src/sandbox/areas/wikis/handlers.ts';
import { fileForm, openTestSandbox, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const at = '/groups/acme/wikis';
const slugs = (rows: readonly { slug: string }[]) => rows.map(({ slug }) => slug);

test('creates and updates a page', async () => {
  const json = { title: 'guides/Set up', content: 'Do *this*' };
  const page = { ...json, slug: 'guides/Set-up', format: 'markdown', encoding: 'UTF-8' };
  const created = await ask(`POST ${at}`, { as: 'developer', json });
  expect([created.status, created.body]).toEqual([201, page]);
  const one = `${at}/guides%2FSet-up`;
  const updated = await ask(`PUT ${one}`, { as: 'developer', json: { content: 'Or that', format: 'org' } });
  expect([updated.status, updated.body]).toEqual([200, { ...page, content: 'Or that', format: 'org' }]);
  expect((await ask(`GET ${one}`)).body).toEqual(updated.body);
});

test('moves a page to the slug of its new title', async () => {
  const { body } = await ask(`PUT ${at}/guides%2Frelease`, { json: { title: 'guides/releasing' } });
  expect(body).toMatchObject({
    slug: 'guides/releasing',
    content: expect.stringContaining('Tag the commit'),
  });
  expect((await ask(`GET ${at}/guides%2Frelease`)).status).toBe(404);
  expect((await ask(`GET ${at}/guides%2Freleasing`)).body).toEqual(body);
  expect((await ask(`PUT ${at}/home`, { json: { title: 'home' } })).status).toBe(200);
});

test('lists pages, with content if requested', async () => {
  const { body } = await ask(`GET ${at}`);
  expect(slugs(body)).toEqual(['guides/onboarding', 'guides/release', 'home', 'legal']);
  expect(body[3]).toEqual({ title: 'legal', slug: 'legal', format: 'asciidoc' });
  const full = await ask(`GET ${at}?with_content=true&per_page=1&page=4`);
  expect(full.body).toEqual([
    { ...body[3], content: expect.stringContaining('= Imprint'), encoding: 'UTF-8' },
  ]);
  expect(full.headers.get('x-total')).toBe('4');
  expect((await ask('GET /groups/acme%2Flabs/wikis')).body).toEqual([]);
});

test('stores each change as a version', async () => {
  const { ask, sandbox } = await openTestSandbox();
  await ask(`PUT ${at}/home`, { json: { content: 'Third' } });
  const row = sandbox.world.table<Page>('wikis').find(({ slug }) => slug === 'home') as Page;
  const shas = row.versions.map(({ sha }) => sha);
  expect(shas).toHaveLength(3);
  expect(new Set(shas).size).toBe(3);
  const read = async (sha?: string) => (await ask(`GET ${at}/home?version=${sha}`)).body.content;
  expect(await read(shas[0])).toBe('# Acme\n\nWelcome.');
  expect(await read(shas[2])).toBe('Third');
  expect((await ask(`GET ${at}/legal?version=${shas[0]}`)).status).toBe(404);
});

test('renders HTML', async () => {
  const html = async (slug: string) => (await ask(`GET ${at}/${slug}?render_html=true`)).body.content;
  expect(await html('home')).toBe(
    '<h1>Acme</h1>\n<p>Welcome. Begin with the <a href="guides/onboarding">guide for newcomers</a>.</p>',
  );
  expect(await html('guides%2Fonboarding')).toBe(
    '<h1>Your first day</h1>\n<ol>\n<li>Ask for a token</li>\n<li>Launch something <em>small</em></li>\n</ol>',
  );
  expect(await html('legal')).toBe('<pre>= Imprint\n\nAcme, Launch Road 1\n</pre>');
});

test.each([
  ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ['[x](javascript:alert)', '<p>[x](javascript:alert)</p>'],
  ['[x](JAVASCRIPT:alert)', '<p>[x](JAVASCRIPT:alert)</p>'],
  ['[x](\u0001javascript:alert)', '<p>[x](\u0001javascript:alert)</p>'],
  ['[x](data:text/html,a)', '<p>[x](data:text/html,a)</p>'],
  ['![a"b](https://x/"onload=1)', '<p><img src="https://x/%22onload=1" alt="a&quot;b"></p>'],
  ['a `<b>` **c** `', '<p>a <code>&lt;b&gt;</code> <strong>c</strong> `</p>'],
  ['```\n# <no>\n\nx\n```\n- y', '<pre><code># &lt;no&gt;\n\nx\n</code></pre>\n<ul>\n<li>y</li>\n</ul>'],
])('renders %j without active content', async (content, html) => {
  await ask(`POST ${at}`, { json: { title: 'x', content } });
  expect((await ask(`GET ${at}/x?render_html=true`)).body.content).toBe(html);
});

test('stores and serves attachments', async () => {
  const form = fileForm('bytes', '../my logo.png');
  const { status, body } = await ask(`POST ${at}/attachments`, { as: 'developer', form });
  expect(status).toBe(201);
  expect(body).toMatchObject({ file_name: 'my_logo.png', branch: 'main' });
  expect(body.file_path).toMatch(/^uploads\/[0-9a-f]{32}\/my_logo\.png$/);
  expect(body.link).toEqual({ url: body.file_path, markdown: `![my_logo](${body.file_path})` });
  const page = `/groups/acme/-/wikis/${body.file_path}`;
  const served = await ask(`GET ${page}`, { as: 'reporter' });
  expect([served.status, served.text]).toEqual([200, 'bytes']);
  expect(served.headers.get('content-type')).toBe('image/png');
  expect((await ask(`GET ${page}.txt`)).status).toBe(404);
  expect((await ask(`GET ${page}`, { as: 'none' })).status).toBe(401);
  form.set('branch', 'draft');
  form.set('file', new File(['x'], 'notes.txt'));
  const second = (await ask(`POST ${at}/attachments`, { form })).body;
  expect(second.branch).toBe('draft');
  expect(second.link.markdown).toBe(`[notes.txt](${second.file_path})`);
  expect(slugs((await ask(`GET ${at}`)).body)).not.toContain('stores attachments');
});
