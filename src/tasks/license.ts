/** `license refresh --wait`. */
import { getLicense } from '../api/license.ts';
import { Failure } from '../errors.ts';
import type { Result } from './context.ts';
import { settle, type Waiting, waiter } from './engine/wait.ts';

/** Milliseconds after which an unchanged count is taken as final. */
const settling = 10_000;
const counts = ['active_users', 'historical_max', 'maximum_user_count', 'overage'] as const;

const numbersOf = (value: Result['value']) => JSON.stringify(counts.map((name) => value[name]));

export const runners = {
  /** The service does not say when the count ends: changed numbers say so, or the same numbers for a while. */
  refresh: waiter(async (task, call) => {
    const get = () => task.call({ endpoint: getLicense, slots: call.slots, values: {} });
    const before = numbersOf((await get()).value);
    const started = await task.call(call);
    const id = call.slots['id'] ?? '';
    if (started.value['success'] === false)
      throw new Failure('unsuccessful', 'the service did not start the count', {
        hint: 'only the count of the current license can be refreshed',
      });
    const since = task.now();
    const waiting: Waiting = {
      name: `the count of license ${id}`,
      resume: `svc license get ${id}`,
      judge: (value) => ({
        status: 'running',
        ended: numbersOf(value) !== before || task.now() - since >= settling,
      }),
    };
    await settle(task, waiting, getLicense, get);
  }),
};
