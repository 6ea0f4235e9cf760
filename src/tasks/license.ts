/** `license refresh --wait`. */
import { getLicense } from '../api/license.ts';
import { Failure } from '../errors.ts';
import type { Result } from './context.ts';
import { type Operation, waitAndReport, waitable } from './engine/wait.ts';

/** Milliseconds after which an unchanged count is considered final. */
const settleTime = 10_000;
const counts = ['active_users', 'historical_max', 'maximum_user_count', 'overage'] as const;

const numbersOf = (value: Result['value']) => JSON.stringify(counts.map((name) => value[name]));

export const runners = {
  /** The service does not report the end of the count. It ends when the numbers change, or after a while without a change. */
  refresh: waitable(async (task, call) => {
    const get = () => task.call({ endpoint: getLicense, slots: call.slots, values: {} });
    const before = numbersOf((await get()).value);
    const started = await task.call(call);
    const id = call.slots['id'] ?? '';
    if (started.value['success'] === false)
      throw new Failure('unsuccessful', 'the service did not start the count', {
        hint: 'only the count of the current license can be refreshed',
      });
    const since = task.now();
    const operation: Operation = {
      name: `the count of license ${id}`,
      resume: `svc license get ${id}`,
      stateOf: (value) => ({
        status: 'running',
        ended: numbersOf(value) !== before || task.now() - since >= settleTime,
      }),
    };
    await waitAndReport(task, operation, getLicense, get);
  }),
};
