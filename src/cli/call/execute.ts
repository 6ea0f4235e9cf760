/** Execute a command of an endpoint or a task in a session. */
import { type Command, effectOf } from '../../spec/command.ts';
import type { Result } from '../../spec/result.ts';
import type { CommandLine } from '../argv/parse.ts';
import { createReader, type Reader } from '../argv/values.ts';
import type { RunnableCommand } from '../builtin/define.ts';
import { prepareCall } from '../request/prepare.ts';
import type { Session } from '../session/model.ts';
import { sendCall } from './call.ts';

/** @param reader reads the files of the command line */
export async function execute(
  command: Command & Pick<RunnableCommand, 'task'>,
  line: CommandLine,
  session: Session,
  reader: Reader = createReader(session.context),
): Promise<Result> {
  const { task, area } = command;
  if (!task) return sendCall(session, await prepareCall(session, command, line, reader), area);
  const { taskContext } = await import('./task/context.ts');
  const result = await task(taskContext(session, command, line, reader));
  return result.kind === 'rows' ? { ...result, isWrite: effectOf(command) !== 'read' } : result;
}
