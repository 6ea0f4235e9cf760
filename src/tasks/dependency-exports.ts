/** `dependency-exports create --wait [--download <path>]`. */
import { downloadExport, getExport } from '../api/dependency-exports.ts';
import { attributeOf, conclude, poll, type Waiting, waiter } from './engine/wait.ts';

export const runners = {
  create: waiter(async (task, call) => {
    const target = await task.target();
    const created = await task.call(call);
    const id = attributeOf(created.value, 'id');
    const waiting: Waiting = {
      name: `export ${id}`,
      resume: `svc dependency-exports get ${id}, then svc dependency-exports download ${id}`,
      judge: ({ has_finished: finished }) =>
        finished === true ? { status: 'ready', ended: true } : { status: 'being generated', ended: false },
    };
    const get = { endpoint: getExport, slots: { id }, values: {} };
    const outcome = await poll(task, waiting, () => task.call(get), created);
    if (target && !outcome.timedOut) await task.save({ ...get, endpoint: downloadExport }, target);
    await conclude(task, waiting, getExport, outcome);
  }),
};
