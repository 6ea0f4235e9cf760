/** Run a command of the API. */
import { type Command, effectOf, pathOf, printedBy } from '../../spec/command.ts';
import { knownFields } from '../../spec/mask.ts';
import type { Call } from '../../spec/request.ts';
import type { Result } from '../../spec/result.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { formats } from '../../support/text/formats.ts';
import type { Options } from '../argv/flags.ts';
import type { CommandLine } from '../argv/parse.ts';
import { createReader, type Reader } from '../argv/values.ts';
import type { RunnableCommand } from '../builtin/define.ts';
import type { Context } from '../context.ts';
import { isDryRun } from '../request/build.ts';
import { prepareCall, usesCheckout } from '../request/prepare.ts';
import type { Session } from '../session/model.ts';
import { withSession } from '../session/session.ts';
import { sendCall } from './call.ts';
import { print } from './print.ts';

/** A task may have an output format that the program does not know. */
function sessionOptions({ output, ...options }: Options): Options {
  return formats.some((one) => one === output) ? { ...options, output } : options;
}

type SessionCommand = Command & Pick<RunnableCommand, 'task' | 'declaration'>;

export async function runCommand(command: SessionCommand, line: CommandLine, context: Context) {
  const { options } = line;
  if (await answersFields(command, options, context)) return 0;
  const repeats = options.watch !== undefined && options.wait === undefined && !isDryRun(line);
  if (repeats && !hasSeveral(command, line))
    return (await import('./watch.ts')).watch(command, line, context, send);
  return withSession(
    sessionOptions(options),
    context,
    async (session) => print(session, await execute(command, line, session)),
    knownFields(command.endpoints),
    { command: pathOf(command), polls: command.declaration?.polls },
  );
}

/** Check `--fields` before anything is sent, or print the fields for `--fields help`. @returns whether the fields were printed */
export async function answersFields(command: Command, { fields, wait }: Options, context: Context) {
  if (fields === undefined) return false;
  const { checkFieldsOfWrite, printFields } = await import('./known-fields.ts');
  const isWrite = command.endpoints.some(({ method }) => !isReadMethod(method));
  if (fields === 'help') printFields(printedBy(command), context);
  else if (isWrite && wait === undefined) checkFieldsOfWrite(command.endpoints, fields);
  return fields === 'help';
}

export async function execute(
  command: SessionCommand,
  line: CommandLine,
  session: Session,
  reader: Reader = createReader(session.context),
): Promise<Result> {
  if (!hasSeveral(command, line)) return executeOne(command, line, session, reader);
  const { executeAll } = await import('./several.ts');
  return executeAll(command, line, session, reader, (...one) => executeOne(command, ...one));
}

/** Whether the last argument has several values, or `-` for those on standard input. A tool of `svc mcp` takes one. */
export function hasSeveral({ arguments: all }: Command, { words, typed }: CommandLine): boolean {
  if (all.at(-1)?.repeats !== true || typed) return false;
  return words.length > all.length || words[all.length - 1] === '-';
}

async function executeOne(command: SessionCommand, line: CommandLine, session: Session, reader: Reader) {
  const { task, area } = command;
  if (!task) return send(session, await prepareCall(session, command, line, reader), area);
  const { taskContext } = await import('./task/context.ts');
  const [own, located] = usesCheckout(session, command, line)
    ? await (await import('../session/checkout.ts')).atCheckout(session, line)
    : [session, line];
  const result = await task(taskContext(own, command, located, reader));
  return result.kind === 'rows' ? { ...result, isWrite: effectOf(command) !== 'read' } : result;
}

/** Send the call of a command, with `--since` and `--until`. */
export async function send(session: Session, call: Call, area: string): Promise<Result> {
  const { since, until } = session.options;
  if ((since ?? until) === undefined) return sendCall(session, call, area);
  return (await import('./period.ts')).sendInPeriod(session, call, area);
}
