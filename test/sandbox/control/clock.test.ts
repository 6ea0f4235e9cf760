import { expect, test } from 'vitest';
import { noon } from '../ask.ts';
import { json, serveControlled } from './serving.ts';

const day = 86_400_000;
const at = (offset: number) => ({ now: new Date(noon + offset).toISOString(), offset });

test('is shown, set and advanced', async () => {
  const { control } = await serveControlled();
  expect(await (await control('GET /clock')).json()).toEqual(at(0));
  expect(await (await control('PUT /clock', { advance: '8d' })).json()).toEqual(at(8 * day));
  expect(await (await control('PUT /clock', { advance: '1h30m' })).json()).toEqual(at(8 * day + 5_400_000));
  expect(await (await control('PUT /clock', { advance: 60 })).json()).toEqual(at(8 * day + 5_460_000));
  const past = await control('PUT /clock', { now: '2026-03-31T12:00:00Z' });
  expect(await past.json()).toEqual(at(-day));
});

test('sets the times of new rows, and licenses expire by it', async () => {
  const { control, api } = await serveControlled();
  await control('PUT /clock', { advance: '1d' });
  const created = await json(api('POST /groups/acme/hooks', { url: 'http://127.0.0.1:9/' }));
  expect(created.created_at).toBe(at(day).now);
  expect((await api('GET /groups/acme/epics')).status).toBe(200);
  await control('PUT /clock', { now: '2099-01-02T03:04:05Z' });
  expect((await api('GET /groups/acme/epics')).status).toBe(403);
});

test.each([
  [{}, 'either now or advance'],
  [{ now: '2030-01-01T00:00:00Z', advance: '1d' }, 'either now or advance'],
  [{ now: 'tomorrow' }, 'must be in ISO 8601'],
  [{ now: '2030-13-45' }, 'must be in ISO 8601'],
  [{ now: '2030-02-30' }, 'must be in ISO 8601'],
  [{ now: '1950-01-01' }, 'from 1970 to 9999'],
  [{ advance: 'a week' }, 'must be a number with a unit'],
  [{ advance: '99999999w' }, 'from 1970 to 9999'],
  [undefined, 'must be a JSON object'],
])('rejects %j', async (value, message) => {
  const { control } = await serveControlled();
  const response = await control('PUT /clock', value);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: expect.stringContaining(message) });
  expect(await (await control('GET /clock')).json()).toEqual(at(0));
});
