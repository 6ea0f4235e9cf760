/** Checks the command line of a target, up to its first request. */
import { createHash, hash } from 'node:crypto';
import { usage } from '../../errors.ts';
import { type Call, isFilePart, plan } from '../../spec/request.ts';
import { openInput } from '../../support/bytes.ts';
import { errnoText } from '../../support/errno.ts';
import { type Fill, filled } from '../../support/placeholders.ts';
import type { Task, TaskContext } from '../../tasks/context.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { Reader } from '../argv/values.ts';
import type { Checked, Digests, RunnableCommand } from '../builtin/define.ts';
import { findToken } from '../call/call.ts';
import { hasSeveral } from '../call/run.ts';
import { taskContext } from '../call/task/context.ts';
import { isDryRun, pagingOf, requestBase } from '../request/build.ts';
import { confirm } from '../request/confirm.ts';
import { prepareCall } from '../request/prepare.ts';
import type { Session } from '../session/model.ts';

/** Check the command line of an endpoint or a task. @param digests receives the digest of each file and variable that it reads */
export async function checkLine(
  command: RunnableCommand,
  line: CommandLine,
  opened: Session,
  reader: Reader,
  digests: Digests,
): Promise<Checked> {
  const session = { ...opened, isCheck: true } as const;
  if (command.task)
    await rehearse(session, command.task, taskContext(session, command, line, reader), digests);
  else {
    const lines = hasSeveral(command, line)
      ? await (await import('../call/several.ts')).linesOf(command, line, reader)
      : [line];
    for (const one of lines)
      await checkCall(session, await prepareCall(session, command, one, reader), command.area, digests);
  }
  return {};
}

async function checkCall(session: Session, call: Call, area: string, digests: Digests): Promise<void> {
  const { endpoint, values } = call;
  const files = Object.values(values).filter(isFilePart);
  if (files.some(({ file }) => file === '-'))
    throw usage('an upload cannot be read from standard input for several targets');
  pagingOf(session, endpoint, values);
  plan(call);
  session.root();
  if (isDryRun(session)) await requestBase(session, endpoint);
  if (endpoint.confirm) await confirm(session, call, area);
  if (!isDryRun(session)) await findToken(session, endpoint);
  // A named pipe, which has no size, can be read only once.
  for (const { file, size } of files) if (size !== undefined) await digestFile(file, digests);
}

/** Thrown in place of a request. One instance, because each new error takes the time of a stack trace. */
const stopped = new Error('stopped before the first request');

/** The members of the context that a task may use before its first request or output. */
const allowed = new Set<PropertyKey>(
  'prepare target scopeId server path read download conceal now resumeCommand url'.split(' '),
);
const silent = new Set<PropertyKey>('note warn confirmed askSecret'.split(' '));

/** Run a task up to its first request or output. @throws Failure for an error before it, and without a token */
async function rehearse(session: Session, run: Task, task: TaskContext, digests: Digests): Promise<void> {
  let first: Call | undefined;
  const env: TaskContext['env'] = (name, use) => {
    const value = task.env(name);
    if (use) digests.set(`the environment variable ${name}`, hash('sha256', value ?? ''));
    return value;
  };
  const folder: TaskContext['folder'] = async (path) => {
    const names = await task.folder(path);
    if (names) digests.set(path, hash('sha256', names.sort().join('\n')));
    return names;
  };
  const stop = (call?: Partial<Call>) => {
    if (call?.endpoint) first = call as Call;
    throw stopped;
  };
  const rehearsal = new Proxy(task, {
    get(_, name) {
      const value: unknown = Reflect.get(task, name);
      if (name === 'env') return env;
      if (name === 'folder') return folder;
      if (typeof value !== 'function' || allowed.has(name)) return value;
      if (name === 'progress' || name === 'waiting') return () => ({ step() {}, end() {} });
      return silent.has(name) ? () => {} : stop;
    },
  });
  try {
    await run(rehearsal);
  } catch (error) {
    if (error !== stopped) throw error;
    if (!first) return;
    // Reports an empty project, as for the command of an endpoint.
    plan(first);
    if (!task.dryRun) await findToken(session, first.endpoint);
  }
}

/**
 * Returns a function that opens the reader of a target, with the values of its row. A value that is filled in never names standard input.
 * @param digests receives the digest of each
 */
export function readerOpener(base: Reader, digests: Digests): (fill: Fill | undefined) => Reader {
  return (fill) => ({
    ...base,
    fill,
    async bytes(source, what, limit) {
      const name = filled(source, fill);
      const path = name === '-' && source !== '-' ? './-' : name;
      const bytes = await base.bytes(path, what, limit);
      if (!digests.has(path)) digests.set(path, hash('sha256', bytes));
      return bytes;
    },
  });
}

/** Add the digest of a file that is too large to keep. @throws Failure `usage` if it cannot be read */
async function digestFile(file: string, digests: Digests): Promise<void> {
  if (digests.has(file)) return;
  const digest = createHash('sha256');
  try {
    for await (const chunk of await openInput(file)) digest.update(chunk);
  } catch (error) {
    throw usage(`cannot read ${file}: ${errnoText(error)}`);
  }
  digests.set(file, digest.digest('hex'));
}
