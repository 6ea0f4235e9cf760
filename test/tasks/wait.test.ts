/** `--wait` against a fake context: no network, and a clock that only pauses advance. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { getMigration } from '../../src/api/migrations.ts';
import { Failure } from '../../src/errors.ts';
import type { Response, TaskContext, TaskOptions } from '../../src/tasks/context.ts';
import { fetchUntilEnd, type Operation, timeoutOf } from '../../src/tasks/engine/wait.ts';
import { fakeTask, resultOf } from './fake.ts';

const operation: Omit<Operation, 'fetch'> = {
  name: 'build 7',
  resume: 'svc builds get 7 --wait',
  endpoint: getMigration,
  stateOf: ({ value: { status } }) => ({ status: String(status), ended: status === 'done' }),
};
const call = { endpoint: getMigration, slots: { id: '7' }, values: {} };

const waiting = (statuses: readonly string[], options: TaskOptions = { wait: true }) => {
  const fake = fakeTask({
    endpoint: getMigration,
    line: { options },
    responses: statuses.map((status) => ({ status })),
  });
  return { ...fake, fetch: () => fake.task.call(call) };
};

const poll = (task: TaskContext, fetch: Operation['fetch'], start?: Response) =>
  fetchUntilEnd(task, { ...operation, fetch, start }, timeoutOf(task));

describe('polling', () => {
  test.each([
    ['the first', undefined, 1],
    ['a known', resultOf({ status: 'done' }), 0],
  ])('returns %s response if the operation has ended, without a pause', async (_, start, calls) => {
    const { task, fetch, recorded } = waiting(['done']);
    const { late, value } = await poll(task, fetch, start);
    expect([late, value.value['status'], recorded.pauses, recorded.progress]).toEqual([
      undefined,
      'done',
      [],
      [],
    ]);
    expect(recorded.calls).toHaveLength(calls);
  });

  test('pauses 0.5 s at first, 1.5 times as long each time, and at most 10 s', async () => {
    const { task, fetch, recorded } = waiting([...Array.from({ length: 12 }, () => 'running'), 'done']);
    await poll(task, fetch);
    expect(recorded.pauses.slice(0, 3)).toEqual([500, 750, 1125]);
    expect(Math.max(...recorded.pauses)).toBe(10_000);
    expect(recorded.pauses.at(-1)).toBe(10_000);
  });

  test('shows each status and ends the progress indicator, also after an error', async () => {
    const { task, fetch, recorded } = waiting(['created', 'started', 'done']);
    await poll(task, fetch);
    expect(recorded.progress).toEqual(['waiting for build 7: created', 'waiting for build 7: started']);
    expect(recorded.progressEnded).toBe(1);
    const failing = waiting([]);
    const reset = () => Promise.reject(new Failure('network', 'connection reset'));
    await expect(poll(failing.task, reset, resultOf({ status: 'running' }))).rejects.toThrow('reset');
    expect(failing.recorded.progressEnded).toBe(1);
  });

  test('stops exactly at --wait-timeout, by default after 600 s', async () => {
    const { task, fetch, recorded } = waiting(['running'], { wait: true, waitTimeout: 2 });
    const outcome = await poll(task, fetch);
    expect([outcome.late?.kind, task.now()]).toEqual(['unsuccessful', 2000]);
    expect(recorded.pauses).toEqual([500, 750, 750]);
    const other = waiting(['running']);
    await poll(other.task, other.fetch);
    expect(other.task.now()).toBe(600_000);
  });

  describe('a request that is still retried five seconds after the timeout', () => {
    beforeEach(() => {
      vi.useFakeTimers();
    });
    afterEach(() => {
      vi.useRealTimers();
    });
    const never = () => new Promise<never>(() => {});

    test('ends with the state before it, and is a failure without one', async () => {
      const { task } = waiting([], { wait: true, waitTimeout: 2 });
      const outcome = poll(task, never, resultOf({ status: 'running' }));
      await vi.advanceTimersByTimeAsync(6_999);
      expect(await Promise.race([outcome, 'waiting'])).toBe('waiting');
      await vi.advanceTimersByTimeAsync(1);
      expect(await outcome).toMatchObject({
        late: { kind: 'unsuccessful' },
        value: { value: { status: 'running' } },
      });
      expect(vi.getTimerCount()).toBe(0);
      const none = waiting([], { wait: true, waitTimeout: 2 });
      const failure = poll(none.task, never).catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(7_000);
      expect(await failure).toMatchObject({
        kind: 'unsuccessful',
        message: 'no state of build 7 was received within 2 s',
      });
    });
  });
});
