/** Check a command line of `svc each`. No request is sent. */
import { usage } from '../../errors.ts';
import { type Call, isFilePart, plan } from '../../spec/request.ts';
import type { TaskContext } from '../../tasks/context.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { Reader } from '../argv/values.ts';
import type { Checked, Digests, RunnableCommand } from '../builtin/define.ts';
import { findToken } from '../call/call.ts';
import { taskContext } from '../call/task/context.ts';
import { requestBase } from '../request/build.ts';
import { confirm } from '../request/confirm.ts';
import { isDryRun } from '../request/dry-run.ts';
import { pagingOf } from '../request/paging.ts';
import { prepareCall } from '../request/prepare.ts';
import type { Session } from '../session/model.ts';
import { digestFile, digestValue } from './target-line.ts';

/** Check the command line of an endpoint or a task. @param digests receives the digest of each file and variable that it reads */
export async function checkLine(
  command: RunnableCommand,
  line: CommandLine,
  session: Session,
  reader: Reader,
  digests: Digests,
): Promise<Checked> {
  if (command.task) await rehearse(session, command, line, reader, digests);
  else for (const file of await checkCall(session, command, line, reader)) await digestFile(file, digests);
  return {};
}

/** Check everything that an ordinary command checks before it sends its request. @returns the files that it uploads */
async function checkCall(
  session: Session,
  command: RunnableCommand,
  line: CommandLine,
  reader: Reader,
): Promise<string[]> {
  const call = await prepareCall(session, command, line, reader);
  const { endpoint, values } = call;
  if (Object.values(values).some((value) => isFilePart(value) && value.file === '-'))
    throw usage('an upload cannot be read from standard input for several targets');
  pagingOf(session, endpoint, values);
  plan(call);
  session.root();
  if (isDryRun(session)) await requestBase(session, endpoint);
  if (endpoint.confirm) await confirm(session, call, command.area);
  if (!isDryRun(session)) await findToken(session, endpoint);
  // A named pipe can be read only once.
  return Object.values(values).flatMap((value) =>
    isFilePart(value) && value.size !== undefined ? [value.file] : [],
  );
}

/** Thrown in place of a request. One instance, because each new error takes the time of a stack trace. */
const stopped = new Error('stopped before the first request');

/** Run a task up to its first request or output. @throws Failure for an error before it, and without a token */
async function rehearse(
  session: Session,
  command: RunnableCommand,
  line: CommandLine,
  reader: Reader,
  digests: Digests,
): Promise<void> {
  let first: Partial<Call> | undefined;
  const stop = (call?: Partial<Call>): never => {
    first = call;
    throw stopped;
  };
  const silent = { step() {}, say() {}, end() {} };
  const task = taskContext(session, command, line, reader);
  const rehearsal: TaskContext = {
    ...task,
    env(name, use) {
      const value = task.env(name);
      if (use) digestValue(`the environment variable ${name}`, value ?? '', digests);
      return value;
    },
    run: stop,
    call: stop,
    rows: stop,
    exactRows: stop,
    text: stop,
    save: stop,
    post: () => stop(),
    requests: () => stop(),
    response: () => stop(),
    requireWrite: () => stop(),
    write: () => stop(),
    paint: () => stop(),
    confirm: () => stop(),
    stateFile: () => stop(),
    openJournal: () => stop(),
    spawn: () => stop(),
    openEditor: () => stop(),
    askSecret: async () => undefined,
    note() {},
    warn() {},
    done() {},
    confirmed() {},
    progress: () => silent,
    waiting: () => silent,
  };
  try {
    await command.task?.(rehearsal);
  } catch (error) {
    if (error !== stopped) throw error;
    if (first?.endpoint && !task.dryRun) await findToken(session, first.endpoint);
  }
}
