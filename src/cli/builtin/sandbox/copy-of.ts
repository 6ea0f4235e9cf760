/** `--copy-of`: the settings of a project as the content of a new state. */
import type { SandboxOptions } from '../../../sandbox/index.ts';
import { done } from '../../../spec/result.ts';
import { taskCommandOf } from '../../areas.ts';
import type { CommandLine } from '../../argv/parse.ts';
import { createReader } from '../../argv/values.ts';
import { taskContext } from '../../call/task/context.ts';
import type { Session } from '../../session/model.ts';
import { serviceOf } from './seed-file.ts';

const reading = taskCommandOf('sandbox', {
  ...{ name: 'start', effect: 'read', summary: '', examples: {} },
  run: async () => done(),
});

/** Read every kind of the project that the caller can read. Secrets are replaced, and notes name them. @throws Failure `not_found` */
export async function readCopyOf(
  session: Session,
  line: CommandLine,
  project: string,
): Promise<Pick<SandboxOptions, 'copy' | 'rows' | 'prepare'>> {
  const [{ readCopy }, { kindsOf }, { readNamespace }] = await Promise.all([
    import('../../../tasks/rehearse/copy.ts'),
    import('../../../tasks/engine/desired.ts'),
    import('../../../api/namespaces.ts'),
  ]);
  const task = taskContext(session, reading, line, createReader(session.context));
  const id = task.scopeId('project', project, '--copy-of');
  await task.call(readNamespace('project', id));
  const known = await kindsOf([], 'project');
  const kinds = known.map((kind) => ({ ...kind, isOptional: true }) as const);
  const target = { scope: 'project', id } as const;
  const { rows, apply, notes } = await readCopy(task, [{ target, kinds }], { masks: true });
  return {
    copy: 'local',
    rows,
    async prepare(send) {
      await apply(serviceOf(send));
      for (const note of notes.splice(0)) task.note(note);
    },
  };
}
