/** Uploads (section 4.10). */
import { expect, test } from 'vitest';
import logo from '../../src/sandbox/seed/data/logo.json' with { type: 'json' };
import { fileForm, ids, openClocked, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const at = '/projects/acme%2Frocket/uploads';
const rocket = `${at}/0123456789abcdef0123456789abcdef/rocket.png`;

test('creates, lists and downloads an upload', async () => {
  const created = await ask(`POST ${at}`, { as: 'developer', form: fileForm('Fuel: 3 t\n', 'fuel.txt') });
  const { id, url } = created.body;
  expect(url).toMatch(/^\/uploads\/[0-9a-f]{32}\/fuel\.txt$/);
  expect([created.status, created.body]).toEqual([
    201,
    { id, alt: 'fuel.txt', url, full_path: `/-/project/100${url}`, markdown: `[fuel.txt](${url})` },
  ]);
  expect((await ask(`GET ${at}`)).body[0]).toEqual({
    id,
    size: 10,
    filename: 'fuel.txt',
    created_at: '2026-04-01T12:00:00.000Z',
    uploaded_by: { id: 4, name: 'Devon Developer', username: 'devon' },
  });
  const bySecret = `${at}/${url.slice('/uploads/'.length)}`;
  for (const call of [`GET ${at}/${id}`, `GET ${bySecret}`]) {
    const { text, headers } = await ask(call);
    expect(text).toBe('Fuel: 3 t\n');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="fuel\.txt"/);
  }
});

test('embeds images in Markdown and returns their exact bytes', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  const { body } = await ask(`POST ${at}`, { form: fileForm(bytes, 'a.b.PNG') });
  expect(body).toMatchObject({ alt: 'a.b', markdown: `![a.b](${body.url})` });
  const response = await ask(`GET ${at}/${body.id}`);
  expect(response.headers.get('content-type')).toBe('image/png');
  expect([...response.bytes]).toEqual([...bytes]);
  expect((await ask(`GET ${rocket}`)).bytes).toEqual(Buffer.from(logo, 'base64'));
});

test('treats the extension constructor like any other', async () => {
  const { status, body } = await ask(`POST ${at}`, { form: fileForm('x', 'new.constructor') });
  expect([status, body.markdown]).toEqual([201, `[new.constructor](${body.url})`]);
  const { headers } = await ask(`GET ${at}/${body.id}`);
  expect(headers.get('content-type')).toBe('application/octet-stream');
});

test('lists newest first', async () => {
  const { ask, wait } = await openClocked();
  const listed = async (query = '') => ids((await ask(`GET ${at}?${query}`)).body);
  expect(await listed()).toEqual([72, 71]);
  const first = (await ask(`POST ${at}`, { form: fileForm('1', 'a.txt') })).body.id;
  wait(1);
  const second = (await ask(`POST ${at}`, { form: fileForm('2', 'a.txt') })).body.id;
  expect(await listed()).toEqual([second, first, 72, 71]);
  expect(await listed('per_page=2&page=2')).toEqual([72, 71]);
  expect((await ask('GET /projects/101/uploads')).body).toEqual([]);
});

test.each([
  ['../../etc/passwd', 'passwd'],
  ['C:\\temp\\a.txt', 'a.txt'],
  ['a b"c;d.txt', 'a_b_c_d.txt'],
  ['..', '_'],
  ['café menü.txt', 'café_menü.txt'],
  [`${'x'.repeat(300)}.txt`, `${'x'.repeat(196)}.txt`],
])('stores the name %s as %s', async (name, kept) => {
  const { body } = await ask(`POST ${at}`, { form: fileForm('x', name) });
  expect(body.url.split('/').at(-1)).toBe(kept);
  const secret = body.url.split('/')[2];
  expect((await ask(`GET ${at}/${secret}/${encodeURIComponent(kept)}`)).text).toBe('x');
});
