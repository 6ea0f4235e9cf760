/** `svc migrations verify` with the seeded migrations: one that is whole, one that failed, one that runs. */
import { expect, test } from 'vitest';
import type { Request } from '../../../src/http/transport.ts';
import { ask } from '../../interface/service.ts';
import { openWorld } from '../../support/sandbox.ts';

const world = await openWorld();

test('exits with 0 only if everything arrived', async () => {
  const whole = await world.run('migrations verify 21 -o json');
  const results = JSON.parse(whole.out).map(({ result }: { result: string }) => result);
  expect([whole.code, new Set(results)]).toEqual([0, new Set(['ok'])]);
  expect(whole.err).toContain('never copied: variables');
  const failed = await world.run('migrations verify 22 -o json');
  expect(failed.code).toBe(9);
  const parts = JSON.parse(failed.out);
  const counts = { source: 3, fetched: 3, imported: 0, failures: 0 };
  expect(parts).toContainEqual({ result: 'missing', entity: 'vault', relation: 'labels', ...counts });
  const group = { relation: 'group', failures: 1, result: 'missing' };
  expect(parts).toContainEqual(expect.objectContaining(group));
  expect((await world.run('migrations verify 23')).code).toBe(9);
});

test('marks differences with a cross on a narrow terminal, beside the names of entity and part', async () => {
  const { out } = await world.run('migrations verify 22', {
    terminal: 40,
    env: { LANG: 'C.UTF-8', NO_COLOR: '1' },
  });
  expect(out).toMatch(/^✗ +vault +labels /m);
  expect(out).toMatch(/^✓ +vault +badges /m);
});

const stats = (source: number, fetched: number, imported: number) => ({ a: { source, fetched, imported } });
const whole = { id: 1, status: 'finished', source_full_path: 'a', stats: stats(3, 3, 3) };

test.each<[object[], string[]]>([
  [[whole], ['ok']],
  [[{ ...whole, stats: stats(3, 2, 2) }], ['missing']],
  [[{ ...whole, stats: stats(3, 3, 2) }], ['missing']],
  [[{ ...whole, stats: stats(0, 0, 0), failures: [{ relation: 'a' }] }], ['missing']],
  [[{ ...whole, failures: [{}] }], ['ok', 'missing']],
  [[{ ...whole, has_failures: true }], ['ok', 'unknown']],
  [[{ ...whole, status: 'timeout' }], ['ok', 'timeout']],
  [[{ ...whole, status: 'started' }], ['ok', 'started']],
  [[{ ...whole, stats: {} }], ['unknown']],
  [[{ ...whole, stats: null }], ['unknown']],
  [[{ ...whole, stats: { a: {} } }], ['unknown']],
  [[], []],
])('of the entities %j, the results are %j', async (entities, results) => {
  const bodies = { failures: [], entities, 9: { status: 'finished' } };
  const last = ({ url }: Request) => url.replace(/\?.*/, '').replace(/.*\//, '') as keyof typeof bodies;
  const answer = (request: Request) => ({ body: JSON.stringify(bodies[last(request)]) });
  const { code, out } = await ask('migrations verify 9 -o json', answer);
  expect(JSON.parse(out).map(({ result }: { result: string }) => result)).toEqual(results);
  expect(code).toBe(String(results) === 'ok' ? 0 : 9);
});
