import { describe, expect, test } from 'vitest';
import { noon, openClocked, openTestSandbox, sandboxPerTest } from './ask.ts';
import { seededCalls } from './seeded-calls.ts';

const ask = sandboxPerTest();

const longAgo = { 'if-unmodified-since': 'Mon, 01 Jan 1990 00:00:00 GMT' };
const later = { 'if-unmodified-since': new Date(noon + 60_000).toUTCString() };

describe('If-Unmodified-Since (section 7)', () => {
  test.each(seededCalls('DELETE').map((call) => [call.title, call] as const))(
    '%s returns 412 if the resource has changed since, and deletes it otherwise',
    async (_, { request, how }) => {
      const { ask } = await openTestSandbox();
      const send = (headers: Record<string, string>) =>
        ask(request, { ...how, headers: { ...how.headers, ...headers } });
      const rejected = await send(longAgo);
      expect([rejected.status, rejected.body]).toEqual([412, { message: '412 Precondition Failed' }]);
      expect([200, 202, 204]).toContain((await send(later)).status);
    },
  );

  test('compares the change of a resource without timestamps', async () => {
    const { ask, wait } = await openClocked();
    const at = '/projects/100/badges/81';
    wait(3600);
    expect((await ask(`PUT ${at}`, { json: { name: 'changed' } })).status).toBe(200);
    expect((await ask(`DELETE ${at}`, { headers: later })).status).toBe(412);
    expect((await ask(`DELETE /projects/100/badges/82`, { headers: later })).status).toBe(204);
  });

  test('sees the change of a hook by a failed delivery', async () => {
    const { ask, sandbox, wait } = await openClocked();
    wait(3600);
    for (const path of ['feature/a', 'feature/b'])
      expect((await ask(`POST /projects/100/repository/branches?branch=${path}&ref=main`)).status).toBe(201);
    await sandbox.control.snapshots.save('after-deliveries');
    expect((await ask('GET /groups/10/hooks/301/events')).body[0].response_status).not.toBe('200');
    expect((await ask('DELETE /groups/10/hooks/301', { headers: later })).status).toBe(412);
    expect((await ask('DELETE /groups/10/hooks/302', { headers: later })).status).toBe(204);
  });

  test('sees the change of a job by the clock', async () => {
    const { ask, sandbox, wait } = await openClocked();
    expect((await ask('POST /projects/100/jobs/5234/retry')).status).toBe(201);
    const jobs = sandbox.world.table('jobs');
    wait(60);
    await ask('GET /projects/100/jobs');
    expect(jobs.get(jobs.last)).toMatchObject({
      status: 'success',
      changed_at: new Date(noon + 60_000).toISOString(),
    });
  });

  test('returns 403 rather than 412 to callers without permission', async () => {
    for (const path of ['/projects/100/variables/DEPLOY_USER', '/projects/100/repository/branches/develop']) {
      expect((await ask(`DELETE ${path}`, { as: 'reporter', headers: longAgo })).status).toBe(403);
    }
  });
});

describe('ETag and If-None-Match', () => {
  const reads = seededCalls('GET', 'HEAD').map(
    (call) => [`${call.endpoint.method} ${call.title}`, call] as const,
  );

  test.each(reads)('%s returns 304 for its ETag', async (_, { request, how }) => {
    const first = await ask(request, how);
    expect(first.status).toBe(200);
    const tag = first.headers.get('etag') as string;
    expect(tag).toMatch(/^(W\/)?"[\x21\x23-\x7e]+"$/);
    const again = await ask(request, { ...how, headers: { ...how.headers, 'if-none-match': tag } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  });

  test('HEAD returns the ETag of GET', async () => {
    for (const path of [
      ...['', '/raw', '/blame'].map((end) => `/projects/100/repository/files/README.md${end}?ref=main`),
      '/projects/100/badges',
    ]) {
      const tag = (await ask(`GET ${path}`)).headers.get('etag');
      expect((await ask(`HEAD ${path}`)).headers.get('etag')).toBe(tag);
    }
  });

  test('returns 200 for other ETags and after a change', async () => {
    const at = '/projects/100/badges/81';
    const tag = (await ask(`GET ${at}`)).headers.get('etag') as string;
    const status = async (value: string) =>
      (await ask(`GET ${at}`, { headers: { 'if-none-match': value } })).status;
    expect(await status(`"other", ${tag}`)).toBe(304);
    expect(await status(tag.replace('W/', ''))).toBe(304);
    expect(await status('*')).toBe(304);
    expect(await status('"other"')).toBe(200);
    await ask(`PUT ${at}`, { json: { name: 'changed' } });
    expect(await status(tag)).toBe(200);
  });

  test('are ignored in errors and writes', async () => {
    const headers = { 'if-none-match': '*' };
    expect((await ask('GET /projects/100/badges/999', { headers })).status).toBe(404);
    const written = await ask('PUT /projects/100/badges/81', { json: { name: 'x' }, headers });
    expect([written.status, written.headers.get('etag')]).toEqual([200, null]);
  });
});
