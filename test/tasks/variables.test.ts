/** `variables set` against a fake context. */
import { expect, test } from 'vitest';
import { createVariable, updateVariable } from '../../src/api/variables.ts';
import { Failure } from '../../src/errors.ts';
import type { Values } from '../../src/spec/request.ts';
import { runners } from '../../src/tasks/variables/index.ts';
import { fakeTask, resultOf } from './fake.ts';

const failure = (status: number) =>
  new Failure(status === 404 ? 'not_found' : 'rejected', `${status}`, {
    exchange: { method: 'PUT', url: 'https://host.example', status },
  });

const setting = (values: Values, responses: readonly (object | Error)[] = [{}], dryRun = false) =>
  fakeTask({
    endpoint: createVariable,
    prepared: { slots: { id: 'acme/rocket' }, values: { key: 'LEVEL', value: 'debug', ...values } },
    responses,
    dryRun,
  });

const update = {
  endpoint: updateVariable,
  slots: { id: 'acme/rocket', key: 'LEVEL' },
  values: { value: 'debug', filter: { environment_scope: '*' } },
};
const create = {
  endpoint: createVariable,
  slots: { id: 'acme/rocket' },
  values: { key: 'LEVEL', value: 'debug' },
};

test.each([400, 403, 409, 500])('does not create the variable after a %i', async (status) => {
  const { task, take, recorded } = setting({}, [failure(status)]);
  await expect(take(runners.set(task))).rejects.toThrow(String(status));
  expect(recorded.calls).toHaveLength(1);
});

test('reports the 404 of the creation', async () => {
  const { task, take, recorded } = setting({}, [failure(404)]);
  await expect(take(runners.set(task))).rejects.toThrow('404');
  expect(recorded.calls).toEqual([update, create]);
});

test('updates a variable that another process creates meanwhile, and otherwise reports why it was not created', async () => {
  const { task, take, recorded } = setting({}, [failure(404), failure(400), {}]);
  await take(runners.set(task));
  expect(recorded.calls).toEqual([update, create, update]);
  const rejected = setting({}, [failure(404), failure(400), failure(404)]);
  await expect(rejected.take(runners.set(rejected.task))).rejects.toThrow('400');
});

test('does not report success for an accepted request', async () => {
  const { task, take, recorded } = setting({}, [resultOf({}, true)]);
  await take(runners.set(task));
  expect(recorded.done).toEqual([]);
});
