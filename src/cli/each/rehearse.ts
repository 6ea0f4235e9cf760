/** Check a command without sending a request. */
import { usage } from '../../errors.ts';
import type { Command } from '../../spec/command.ts';
import { type Call, isFilePart, plan } from '../../spec/request.ts';
import type { Task, TaskContext } from '../../tasks/context.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { Reader } from '../argv/values.ts';
import { findToken } from '../call/call.ts';
import { requestBase } from '../request/build.ts';
import { confirm } from '../request/confirm.ts';
import { isDryRun } from '../request/dry-run.ts';
import { pagingOf } from '../request/paging.ts';
import { prepareCall } from '../request/prepare.ts';
import type { Session } from '../session/model.ts';

/** Check everything that an ordinary command checks before it sends its request. @returns the files that it uploads */
export async function checkCall(
  session: Session,
  command: Command,
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
const rehearsed = new Error('rehearsed');

/** What a task may use before its first request or output. */
const harmless = new Set<string | symbol>([
  'command',
  'line',
  'dryRun',
  'wantsFile',
  'now',
  'env',
  'prepare',
  'server',
  'signal',
  'urls',
  'scoped',
  'format',
  'unicode',
  'path',
  'read',
  'conceal',
  'target',
] satisfies (keyof TaskContext)[]);

/** Run a task up to its first request or output. @throws Failure for what it rejects until then, and without a token */
export async function rehearse(session: Session, run: Task, task: TaskContext): Promise<void> {
  const none = { step() {}, say() {}, end() {} };
  const silent: Partial<TaskContext> = {
    askSecret: async () => undefined,
    note() {},
    warn() {},
    done() {},
    progress: () => none,
    waiting: () => none,
  };
  let first: Partial<Call> | undefined;
  const stop = (call?: Partial<Call>): never => {
    first = call;
    throw rehearsed;
  };
  const limited = new Proxy(task, {
    get: (all, name) => (harmless.has(name) ? Reflect.get(all, name) : (Reflect.get(silent, name) ?? stop)),
  });
  try {
    await run(limited);
  } catch (error) {
    if (error !== rehearsed) throw error;
    if (first?.endpoint && !task.dryRun) await findToken(session, first.endpoint);
  }
}
