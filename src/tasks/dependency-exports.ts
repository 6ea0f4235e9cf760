/** `dependency-exports create --wait [--download <path>]`. */
import { downloadExport, getExport } from '../api/dependency-exports.ts';
import { Failure } from '../errors.ts';
import { attributeOf, type Operation, outcomeResult, poll, waitable } from './engine/wait.ts';

export const runners = {
  create: waitable(async (task, call) => {
    const file = await task.downloadFile();
    const created = await task.call(call);
    task.confirmed(call, created);
    const id = attributeOf(created.value, 'id');
    const operation: Operation = {
      name: `export ${id}`,
      resume: `${task.resumeCommand(['dependency-exports', 'get', id])}, then ${task.resumeCommand(['dependency-exports', 'download', id])}`,
      stateOf: ({ has_finished: finished }) =>
        finished === true ? { status: 'ready', ended: true } : { status: 'being generated', ended: false },
    };
    const get = { endpoint: getExport, slots: { id }, values: {} };
    const outcome = await poll(task, operation, () => task.call(get), created);
    if (file && !outcome.timedOut)
      await task.save({ ...get, endpoint: downloadExport }, file).catch((error: unknown) => {
        const download = task.resumeCommand(['dependency-exports', 'download', id]);
        throw error instanceof Failure ? error.withHints(`the export is ready: ${download}`) : error;
      });
    return outcomeResult(task, operation, getExport, outcome);
  }),
};
