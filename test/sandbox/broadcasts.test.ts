/** Broadcast messages (section 4.9). */
import { expect, test } from 'vitest';
import { openClocked, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const at = '/broadcast_messages';

test('creates and updates a message', async () => {
  const created = await ask(`POST ${at}`, { json: { message: 'Restart at noon' } });
  const { id } = created.body;
  const row = {
    ...{ id, message: 'Restart at noon', broadcast_type: 'banner', theme: 'indigo', active: true },
    starts_at: '2026-04-01T12:00:00.000Z',
    ends_at: '2026-04-01T13:00:00.000Z',
    ...{ dismissable: false, target_access_levels: [], font: '#FFFFFF', target_path: '' },
  };
  expect([created.status, created.body]).toEqual([201, row]);
  const changes = {
    ...{ message: 'Done', font: '#ffffff', theme: 'red', dismissable: true },
    ...{ target_access_levels: [30, 40], target_path: '*/welcome' },
  };
  const updated = await ask(`PUT ${at}/${id}`, { json: changes });
  expect([updated.status, updated.body]).toEqual([200, { ...row, ...changes }]);
});

test('lists messages without a token', async () => {
  const { body, headers } = await ask(`GET ${at}`, { as: 'none' });
  expect(body.map(({ id, active }: { id: number; active: boolean }) => [id, active])).toEqual([
    [62, false],
    [61, true],
  ]);
  expect(headers.get('x-total')).toBe('2');
  expect((await ask(`GET ${at}?per_page=1&page=2`)).body).toMatchObject([{ id: 61 }]);
});

test('a message is active between its start and end', async () => {
  const { ask, wait } = await openClocked();
  const json = { message: 'x', starts_at: '2026-04-01T12:30:00' };
  const { id } = (await ask(`POST ${at}`, { json })).body;
  const active = async () => (await ask(`GET ${at}/${id}`)).body.active;
  expect(await active()).toBe(false);
  wait(30 * 60);
  expect(await active()).toBe(true);
  wait(30 * 60);
  expect(await active()).toBe(false);
  const { body } = await ask(`PUT ${at}/${id}`, { json: { ends_at: '2026-04-01T14:00:00+00:30' } });
  expect(body).toMatchObject({ ends_at: '2026-04-01T13:30:00.000Z', active: true });
});

test('returns notifications without a theme', async () => {
  const json = { message: 'x', broadcast_type: 'notification', theme: 'red' };
  const { body } = await ask(`POST ${at}`, { json });
  expect(body).not.toHaveProperty('theme');
  const changed = await ask(`PUT ${at}/${body.id}`, { json: { broadcast_type: 'banner' } });
  expect(changed.body.theme).toBe('red');
});

test('applies no defaults on update', async () => {
  const before = (await ask(`GET ${at}/62`)).body;
  const { body } = await ask(`PUT ${at}/62`, { json: { message: 'New' } });
  expect(body).toEqual({ ...before, message: 'New' });
  const json = { target_path: null, target_access_levels: [] };
  const cleared = await ask(`PUT ${at}/62`, { json });
  expect(cleared.body).toEqual({ ...body, target_path: '', target_access_levels: [] });
});
