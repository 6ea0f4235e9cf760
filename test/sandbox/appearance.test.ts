/** Appearance (sections 2.14, 4.14). */
import { expect, test } from 'vitest';
import type { Appearance } from '../../src/sandbox/areas/appearance/handlers.ts';
import { words } from '../support/svc.ts';
import { openTestSandbox, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const path = '/application/appearance';
const picture = new Blob([Uint8Array.from([0x89, 0x50, 0x4e, 0x47]), 'x'.repeat(10_000)], {
  type: 'image/png',
});

function form(parts: Readonly<Record<string, string | readonly [Blob, string]>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value[0], value[1]);
  }
  return data;
}

test('returns every attribute', async () => {
  const { status, body } = await ask(`GET ${path}`);
  expect(status).toBe(200);
  const attributes = words(`
    title description pwa_name pwa_short_name pwa_description pwa_icon logo header_logo favicon member_guidelines
    new_project_guidelines profile_image_guidelines header_message footer_message message_background_color
    message_font_color email_header_and_footer_enabled`);
  expect(Object.keys(body).sort()).toEqual(attributes.sort());
  expect(body).toMatchObject({ logo: null, email_header_and_footer_enabled: false });
});

test('updates only the given attributes', async () => {
  const before = (await ask(`GET ${path}`)).body;
  const json = {
    header_message: 'Maintenance',
    email_header_and_footer_enabled: true,
    footer_message: '',
    message_font_color: '#fff',
  };
  const changed = await ask(`PUT ${path}`, { json });
  expect([changed.status, changed.body]).toEqual([200, { ...before, ...json }]);
  await ask(`PUT ${path}`, { json: { email_header_and_footer_enabled: null, title: null } });
  expect((await ask(`GET ${path}`)).body).toMatchObject({
    email_header_and_footer_enabled: false,
    title: '',
  });
});

test('stores and serves images and returns their paths', async () => {
  const { ask, sandbox } = await openTestSandbox();
  const alone = await ask(`PUT ${path}`, {
    form: form({ logo: [picture, 'a new logo.png'], extra: [picture, 'x'] }),
  });
  expect(alone).toMatchObject({ status: 200 });
  expect(alone.body).toEqual({ logo: expect.stringMatching(/^\/uploads\/.*\/logo\/1\/a_new_logo\.png$/) });
  const [row] = sandbox.world.table<Appearance>('appearance').all();
  const file = row?.images['logo']?.file ?? '';
  expect(await sandbox.world.files.get(file)).toEqual(Buffer.from(await picture.arrayBuffer()));
  const served = await ask(`GET ${alone.body.logo}`, { as: 'none' });
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect((await ask(`GET ${alone.body.logo}.png`)).status).toBe(404);
  const both = await ask(`PUT ${path}`, { form: form({ favicon: [picture, 'icon.png'], title: 'New' }) });
  expect(both.body).toMatchObject({ title: 'New', logo: alone.body.logo, favicon: expect.any(String) });
  await ask(`PUT ${path}`, { form: form({ logo: [picture, '../../second.png'] }) });
  expect((await ask(`GET ${path}`)).body.logo).toMatch(/\/logo\/1\/second\.png$/);
  await ask(`PUT ${path}`, { form: form({ logo: '' }) });
  expect((await ask(`GET ${path}`)).body.logo).toBeNull();
});
