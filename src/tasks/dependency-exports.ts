/** `dependency-exports create --wait [--download <path>]`. */
import { downloadExport, getExport } from '../api/dependency-exports.ts';
import { Failure } from '../errors.ts';
import { attributeOf, waitable, waitForOutcome } from './engine/wait.ts';

export const runners = {
  create: waitable(async (task, call) => {
    const save = await task.download();
    const created = await task.call(call);
    task.confirmed(call, created);
    const id = attributeOf(created.value, 'id');
    const get = { endpoint: getExport, slots: { id }, values: {} };
    const download = task.resumeCommand(['dependency-exports', 'download', id]);
    return waitForOutcome(task, {
      name: `export ${id}`,
      resume: `${task.resumeCommand(['dependency-exports', 'get', id])}, then ${download}`,
      endpoint: getExport,
      fetch: () => task.call(get),
      start: created,
      stateOf: ({ value }) =>
        value['has_finished'] === true
          ? { status: 'ready', ended: true }
          : { status: 'being generated', ended: false },
      async finish() {
        await save?.({ ...get, endpoint: downloadExport }).catch((error: unknown) => {
          throw error instanceof Failure ? error.withHints(`the export is ready: ${download}`) : error;
        });
      },
    });
  }),
};
