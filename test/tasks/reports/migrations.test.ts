/** `svc migrations watch` and `report`. */
import { beforeEach, describe, expect, test } from 'vitest';
import { getMigration } from '../../../src/api/migrations.ts';
import { Failure } from '../../../src/errors.ts';
import type { Row } from '../../../src/spec/resource.ts';
import { groupFailures, watchMigration } from '../../../src/tasks/migrations/entities.ts';
import { openWorld, type World } from '../../support/sandbox.ts';
import { canned, svc } from '../../support/svc.ts';
import { exited } from '../engine/world.ts';
import { fakeTask } from '../fake.ts';

const entity = (id: number, status: string, more: Row = {}): Row => ({
  ...{ id, status, entity_type: 'group', source_full_path: `old/${id}`, destination_full_path: `new/${id}` },
  ...{ has_failures: status === 'failed', failures: [], stats: {} },
  ...more,
});

async function watch(states: readonly (readonly [status: string, entities: readonly Row[]])[], options = {}) {
  let check = -1;
  const fake = fakeTask({
    endpoint: getMigration,
    line: { args: { id: '9' }, options },
    prepared: { endpoint: getMigration, slots: { id: '9' } },
    responses: states.map(([status]) => ({ id: 9, status })),
    list: () => states[Math.min(++check, states.length - 1)]?.[1] ?? [],
  });
  const { task } = fake;
  const call = task.call;
  let calls = 0;
  task.call = async (one) => {
    fake.recorded.calls.length = Math.min(calls++, states.length - 1);
    return call(one);
  };
  const kind = await fake.take(watchMigration(task)).then(
    () => undefined,
    (caught: unknown) => (caught instanceof Failure ? caught.kind : caught),
  );
  return { ...fake, kind };
}

describe('watch', () => {
  test('reports each entity once when it has ended, and prints all at the end', async () => {
    const { kind, recorded } = await watch([
      ['created', [entity(1, 'created'), entity(2, 'created')]],
      ['started', [entity(1, 'finished'), entity(2, 'started')]],
      ['finished', [entity(1, 'finished'), entity(2, 'finished')]],
    ]);
    expect(kind).toBeUndefined();
    expect(recorded.notes).toEqual(['finished: group old/1 → new/1', 'finished: group old/2 → new/2']);
    expect(recorded.progress).toEqual([
      'waiting for migration 9: created, 0 of 2 entities ended, copying group old/1',
      'waiting for migration 9: started, 1 of 2 entities ended, copying group old/2',
    ]);
    expect(recorded.rows).toHaveLength(2);
    expect(recorded.done).toEqual(['Finished migration 9: 2 entities']);
  });

  test('adds up the items of all relations', async () => {
    const labels = { source: 3, fetched: 3, imported: 2 };
    const stats = { labels, issues: { source: 4, fetched: 4, imported: 4 } };
    const { recorded } = await watch([['finished', [entity(1, 'finished', { stats })]]]);
    expect(recorded.rows).toMatchObject([{ source: 7, imported: 6 }]);
  });

  test.each([
    ['failed', 'failed', 'unsuccessful'],
    ['canceled', 'failed', 'unsuccessful'],
    ['finished', 'failed', 'unsuccessful'],
    ['finished', 'timeout', 'unsuccessful'],
    ['finished', 'started', 'unsuccessful'],
    ['finished', 'finished', 'unsuccessful', { has_failures: true }],
    ['finished', 'finished', undefined],
  ])('a migration that ends as %s with a %s entity', async (status, of, expected, more: Row = {}) => {
    expect((await watch([[status, [entity(1, of, more)]]])).kind).toBe(expected);
  });

  test('fails without an entity', async () => {
    expect((await watch([['finished', []]])).kind).toBe('unsuccessful');
  });
});

describe('report', () => {
  const failure = (exception_class: string, relation: string, exception_message = ''): Row => ({
    ...{ exception_class, relation, exception_message, correlation_id_value: 'c' },
  });

  test('groups by class and relation, the most frequent first', () => {
    const groups = groupFailures([
      ['a', failure('Timeout', 'labels', 'first')],
      ['a', failure('Invalid', 'labels')],
      ['b', failure('Invalid', 'labels')],
      ['b', failure('Invalid', 'labels')],
      ['b', failure('Timeout', 'issues')],
    ]);
    expect(groups).toMatchObject([
      { ...failure('Invalid', 'labels'), count: 3, entities: ['a', 'b'] },
      { ...failure('Timeout', 'labels', 'first'), count: 1, entities: ['a'] },
      { ...failure('Timeout', 'issues'), count: 1, entities: ['b'] },
    ]);
  });

  test.each([
    ['an object', '{"exception_class":"X","relation":"labels"}', 0],
    ['a list', '[{"exception_class":"X","relation":"labels"}]', 0],
    ['anything but JSON', '{"exception_class":', 8],
  ])('reads the failures of an entity that does not contain them: %s', async (_, failures, code) => {
    const entities = [entity(4, 'failed', { has_failures: undefined }), entity(5, 'timeout')];
    const bodies = { entities: JSON.stringify(entities), failures, 9: '{"id":9,"status":"finished"}' };
    const last = ({ url }: { readonly url: string }) => new URL(url).pathname.split('/').at(-1) ?? '';
    const ran = await svc('migrations report 9 -o json', {
      transport: canned((request) => ({ body: bodies[last(request) as keyof typeof bodies] })),
      env: { SVC_BASE_URL: 'https://host.example', SVC_TOKEN: 'secret-token' },
    });
    expect(ran.code, ran.err).toBe(code);
    const group = { exception_class: 'X', relation: 'labels', entities: ['old/4'] };
    if (code === 0) expect(JSON.parse(ran.out)).toMatchObject([group]);
    expect(ran.err).toContain(code === 0 ? '2 of 2 entities failed' : 'the response is not valid JSON');
    const paths = ran.requests.map(({ url }) => new URL(url).pathname);
    expect(paths.slice(2)).toEqual(['/api/v4/bulk_imports/9/entities/4/failures']);
  });
});

describe('in the sandbox', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });

  test.each([
    ['watch 21', 0],
    ['watch 22', 9],
    ['watch 23 --wait-timeout 0.05', 9],
    ['watch 99', 5],
    ['watch x', 2],
    ['report 21', 0],
    ['report 22', 0],
  ])('migrations %s exits with %i', async (line, code) => {
    await exited(code, world.run(`migrations ${line}`));
  });

  test.each(['watch 21', 'report 22'])('%s --dry-run sends nothing', async (line) => {
    const ran = await exited(0, world.run(`migrations ${line} --dry-run`));
    expect(ran.requests).toEqual([]);
    expect(ran.out).toContain('/entities');
  });
});
