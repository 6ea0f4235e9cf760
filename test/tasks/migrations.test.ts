/** `migrations create` against a fake context: the source token, and `--wait`. */
import { describe, expect, test } from 'vitest';
import { createMigration, getMigration } from '../../src/api/migrations.ts';
import type { TaskLine } from '../../src/tasks/context.ts';
import { runners } from '../../src/tasks/migrations/wait.ts';
import { fakeTask, type Setting } from './fake.ts';

const prepared = { values: { configuration: { url: 'https://old.example' } } };
const migration = (line: Partial<TaskLine>, more: Partial<Setting> = {}) =>
  fakeTask({ endpoint: createMigration, line, prepared, ...more });

const tokenSent = ({ run: [call] }: ReturnType<typeof migration>['recorded']): unknown =>
  call?.values['configuration'];

describe('the source token', () => {
  test.each<[string, Partial<TaskLine>, Partial<Setting>]>([
    ['a file', { fields: { source_token_file: 'token' } }, { files: { token: 'secret-1\n' } }],
    ['SVC_SOURCE_TOKEN', {}, { env: { SVC_SOURCE_TOKEN: 'secret-1' } }],
    ['a prompt', {}, { secret: ' secret-1 ' }],
  ])('comes from %s, and is concealed', async (_, line, more) => {
    const { task, take, recorded } = migration(line, more);
    await take(runners.create(task));
    expect(tokenSent(recorded)).toEqual({ url: 'https://old.example', access_token: 'secret-1' });
    expect(recorded.secrets).toEqual(['secret-1']);
  });

  test('comes from the file if the variable is set too', async () => {
    const { task, take, recorded } = migration(
      { fields: { source_token_file: 'token' } },
      { files: { token: 'from-file' }, env: { SVC_SOURCE_TOKEN: 'from-env' } },
    );
    await take(runners.create(task));
    expect(recorded.secrets).toEqual(['from-file']);
  });

  test('is not a field of the request: validation does not see --source-token-file', async () => {
    const { task, take, recorded } = migration(
      { fields: { source_token_file: 'token', entities: ['x'] } },
      { files: { token: 't' } },
    );
    await take(runners.create(task));
    expect(recorded.prepared[0]?.line?.fields).toEqual({ entities: ['x'] });
  });

  test.each<[Partial<TaskLine>]>([
    [{ fields: { configuration: ['url=https://old.example', 'access_token=hush'] } }],
    [{ fields: { configuration: ['access_token=@@hush'] } }],
    [{ options: { data: '{"configuration":{"access_token":"hush"}}' } }],
  ])('is rejected on the command line without repeating it: %j', async (line) => {
    const { task, take, recorded } = migration(line, { env: { SVC_SOURCE_TOKEN: 'x' } });
    const error = await Promise.resolve(take(runners.create(task))).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('must not be on the command line'),
    });
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('hush');
    expect(recorded.prepared).toEqual([]);
  });

  test.each(['', '\n', '-', 'one\ntwo'])('is rejected if a file contains %j', async (content) => {
    const { task, take } = migration(
      { fields: { source_token_file: 'token' } },
      { files: { token: content } },
    );
    await expect(take(runners.create(task))).rejects.toMatchObject({ kind: 'usage' });
  });

  test('is required', async () => {
    const { task, take, recorded } = migration({});
    await expect(take(runners.create(task))).rejects.toThrow('the access token for the source is missing');
    expect([recorded.run, recorded.calls]).toEqual([[], []]);
  });
});

describe('--wait', () => {
  const waiting = (...statuses: object[]) =>
    migration(
      { options: { wait: true } },
      { env: { SVC_SOURCE_TOKEN: 't' }, responses: statuses.map((status) => ({ id: 5, ...status })) },
    );

  test('polls the created migration until it is finished', async () => {
    const { task, take, recorded } = waiting(
      { status: 'created' },
      { status: 'started' },
      { status: 'finished' },
    );
    await take(runners.create(task));
    expect(recorded.calls.map(({ endpoint }) => endpoint)).toEqual([
      createMigration,
      getMigration,
      getMigration,
    ]);
    expect(recorded.calls.at(-1)?.slots).toEqual({ id: '5' });
    expect(recorded.printed).toEqual([{ id: 5, status: 'finished' }]);
  });

  test.each(['failed', 'canceled', 'timeout'])('fails if the migration ends as %s', async (status) => {
    const { task, take } = waiting({ status });
    await expect(take(runners.create(task))).rejects.toMatchObject({
      kind: 'unsuccessful',
      message: `migration 5 ended as ${status}`,
    });
  });
});
