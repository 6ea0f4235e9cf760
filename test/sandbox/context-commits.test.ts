/** Context commits (sections 2.11, 4.15). */
import { expect, test } from 'vitest';
import { seededShas } from '../support/seeded-shas.ts';
import { sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const path = '/projects/100/merge_requests/7/context_commits';
const seeded = seededShas['main~3'];
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

test('lists commits of the repository', async () => {
  const { status, body, headers } = await ask(`GET ${path}`);
  expect(status).toBe(200);
  expect(ids(body)).toEqual([seeded]);
  expect(body[0]).toMatchObject({
    short_id: seeded.slice(0, 8),
    title: expect.any(String),
    author_email: expect.stringContaining('@'),
    parent_ids: [expect.any(String)],
    web_url: `http://sandbox.localhost/acme/rocket/-/commit/${seeded}`,
  });
  expect(headers.get('x-total')).toBe('1');
});

test('adds each commit once and removes it', async () => {
  const commits = [seededShas.main, seeded, seededShas.main.slice(0, 10)];
  const added = await ask(`POST ${path}`, { json: { commits } });
  expect(added.status).toBe(201);
  expect(ids(added.body)).toEqual([seededShas.main, seeded]);
  expect(ids((await ask(`GET ${path}`)).body)).toEqual([seededShas.main, seeded]);
  const unknown = await ask(`DELETE ${path}`, { json: { commits: [seeded, seededShas.develop] } });
  expect(unknown).toMatchObject({ status: 404, body: { message: '404 Context Commit Not Found' } });
  const deleted = await ask(`DELETE ${path}?commits[]=${seeded}`);
  expect([deleted.status, deleted.text]).toEqual([204, '']);
  expect((await ask(`DELETE ${path}`, { json: { commits: [seededShas.main] } })).status).toBe(204);
  expect((await ask(`GET ${path}`)).body).toEqual([]);
});

test('returns extended trailers of commits only in lists (section 2.11)', async () => {
  const has = (commit: object) => 'extended_trailers' in commit;
  const list = (await ask('GET /projects/100/repository/branches')).body;
  expect(list.every(({ commit }: { commit: object }) => has(commit))).toBe(true);
  expect(has((await ask('GET /projects/100/repository/branches/main')).body.commit)).toBe(false);
  const json = { branch: 'new', ref: 'main' };
  expect(has((await ask('POST /projects/100/repository/branches', { json })).body.commit)).toBe(false);
  expect(has((await ask('GET /projects/100/merge_requests/7/context_commits')).body[0])).toBe(true);
});
