import { expect, test } from 'vitest';
import { words } from '../support/svc.ts';
import { changeRow, ids, openTestSandbox, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

test('returns the current license, one by id, and all', async () => {
  const { body } = await ask('GET /license');
  expect(body).toMatchObject({ id: 2, plan: 'ultimate', expired: false, user_limit: 100 });
  expect(body.overage).toBe(body.active_users - 100);
  expect(body.licensee).toMatchObject({ Company: 'Acme' });
  const attributes = words(`
    id plan created_at starts_at expires_at historical_max maximum_user_count expired overage user_limit active_users
    licensee add_ons`);
  expect(Object.keys(body).sort()).toEqual(attributes.sort());
  expect((await ask('GET /license/1')).body).toMatchObject({ id: 1, expired: true });
  const list = await ask('GET /licenses');
  expect(ids(list.body)).toEqual([1, 2]);
  expect(list.headers.get('x-total')).toBe('2');
});

test('calculates overage by the historical maximum if expired, else by current users (section 2.20)', async () => {
  const { sandbox, ask } = await openTestSandbox();
  const { body } = await ask('GET /license/1');
  expect(body.overage).toBe(body.historical_max - body.user_limit);
  expect(body.overage).toBeGreaterThan(0);
  changeRow(sandbox, 'licenses', 2, { user_limit: 5 });
  const now = (await ask('GET /license')).body;
  expect(now.overage).toBe(now.active_users - 5);
});

test('does not count blocked users and bots; is in effect until its last day', async () => {
  const { sandbox, ask } = await openTestSandbox();
  const before = (await ask('GET /license')).body.active_users;
  changeRow(sandbox, 'users', 4, { state: 'blocked' });
  changeRow(sandbox, 'users', 5, { bot: true });
  expect((await ask('GET /license')).body.active_users).toBe(before - 2);
  changeRow(sandbox, 'licenses', 2, { expires_at: '2026-04-01' });
  expect((await ask('GET /license')).body).toMatchObject({ id: 2, expired: false });
  changeRow(sandbox, 'licenses', 2, { expires_at: '2026-03-31' });
  expect((await ask('GET /license')).body).toMatchObject({ id: 2, expired: true });
});

test('adds, refreshes and deletes a license; returns 404 without any', async () => {
  const added = await ask('POST /license', { json: { license: 'eyJkYXRhIjoiZXhhbXBsZSJ9' } });
  expect(added.status).toBe(201);
  expect((await ask('GET /license')).body.id).toBe(added.body.id);
  expect(added.text).not.toContain('eyJ');
  const refreshed = await ask(`PUT /license/${added.body.id}/refresh_billable_users`);
  expect([refreshed.status, refreshed.body]).toEqual([202, { success: true }]);
  expect((await ask(`DELETE /license/${added.body.id}`)).status).toBe(204);
  expect((await ask('GET /license')).body.id).toBe(2);
  for (const id of [1, 2]) await ask(`DELETE /license/${id}`);
  expect((await ask('GET /licenses')).body).toEqual([]);
  expect((await ask('GET /license')).status).toBe(404);
});

test('returns usage as CSV with the licensee and a count per day', async () => {
  const { text, headers, status } = await ask('GET /license/usage_export.csv');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  const lines = text.trimEnd().split('\n');
  const headings = 'License Key,Email,License Start Date,License End Date,Company,Generated At'.split(',');
  expect(lines.slice(0, 6).map((line) => line.split(',')[0])).toEqual(headings);
  expect(lines[5]).toBe('Generated At,2026-04-01 12:00:00');
  const start = lines.indexOf('Date,Billable User Count');
  expect(start).toBeGreaterThan(5);
  for (const line of lines.slice(start + 1)) expect(line).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+$/);
  expect(lines.length - start).toBe(31);
});
