import { expect, test } from 'vitest';
import { sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const at = '/projects/acme%2Frocket/variables';

test('creates and updates a variable', async () => {
  const created = await ask(`POST ${at}`, { as: 'maintainer', json: { key: 'NEW_KEY', value: 'one' } });
  const plain = {
    key: 'NEW_KEY',
    value: 'one',
    variable_type: 'env_var',
    protected: false,
    masked: false,
    hidden: false,
    raw: false,
    environment_scope: '*',
    description: null,
  };
  expect([created.status, created.body]).toEqual([201, plain]);
  const changes = { value: 'two', protected: true, raw: 'true', variable_type: 'file', description: 'why' };
  const updated = await ask(`PUT ${at}/NEW_KEY`, { as: 'maintainer', json: changes });
  expect([updated.status, updated.body]).toEqual([200, { ...plain, ...changes, raw: true }]);
  const json = { value: 'three', protected: null, description: null };
  const kept = (await ask(`PUT ${at}/NEW_KEY`, { json })).body;
  expect(kept).toMatchObject({ protected: false, raw: true, variable_type: 'file', description: null });
});

test('lists variables; accepts a long key and an empty value', async () => {
  const { body, headers } = await ask(`GET ${at}?per_page=2&page=2`);
  expect(body.map(({ key }: { key: string }) => key)).toEqual(['DATABASE_URL', 'API_TOKEN']);
  expect(headers.get('x-total')).toBe('6');
  expect((await ask(`POST ${at}`, { json: { key: 'A'.repeat(255), value: '' } })).status).toBe(201);
});

test('selects one of several variables with the same key by a filter (section 4.2)', async () => {
  const filter = { environment_scope: 'staging' };
  const changed = await ask(`PUT ${at}/DATABASE_URL`, { json: { value: 'x', filter } });
  expect(changed.body).toMatchObject({ value: 'x', ...filter });
  const production = `${at}/DATABASE_URL?filter[environment_scope]=production`;
  expect((await ask(`GET ${production}`)).body.value).toBe('postgres://db.production');
  expect((await ask(`DELETE ${production}`)).status).toBe(204);
  expect((await ask(`GET ${production}`)).status).toBe(404);
  // The remaining variable requires no filter.
  expect((await ask(`GET ${at}/DATABASE_URL`)).body.environment_scope).toBe('staging');
});

test('accepts the key and the scope of a variable with another scope or of another project', async () => {
  const json = { key: 'DATABASE_URL', value: 'x', environment_scope: 'staging' };
  expect((await ask(`POST ${at}`, { json: { ...json, environment_scope: 'review/*' } })).status).toBe(201);
  expect((await ask('POST /projects/101/variables', { json })).status).toBe(201);
});

test('accepts a value that a job log could not mask, unless it is masked', async () => {
  expect((await ask(`POST ${at}`, { json: { key: 'M', value: 'short' } })).status).toBe(201);
  expect((await ask(`PUT ${at}/M`, { json: { value: 'short', masked: true } })).status).toBe(400);
});

test('never returns a hidden value', async () => {
  const json = { key: 'SECRET', value: 'not-for-eyes', masked_and_hidden: true };
  const shown = { hidden: true, masked: true, value: null };
  expect((await ask(`POST ${at}`, { json })).body).toMatchObject(shown);
  expect((await ask(`GET ${at}/SECRET`)).body).toMatchObject(shown);
  const changed = await ask(`PUT ${at}/SECRET`, { json: { value: 'another-one', masked: false } });
  expect(changed.body).toMatchObject(shown);
  expect((await ask(`GET ${at}`)).text).not.toMatch(/not-for-eyes|another|not-to-be-seen/);
});
