/** `svc each`: run a command for many targets, in one session. */
import { usage } from '../../errors.ts';
import { pathOf } from '../../spec/command.ts';
import { hasPlaceholder } from '../../support/placeholders.ts';
import type { EachContext } from '../../tasks/context.ts';
import { taskCommandOf } from '../areas.ts';
import { allFlags, listOwnFlags, type Options, optionName, sharedFlags } from '../argv/flags.ts';
import { type CommandLine, parseCommand } from '../argv/parse.ts';
import { restOf, splitArgv } from '../argv/split.ts';
import { createReader } from '../argv/values.ts';
import type { Builtin, RunnableCommand, Services } from '../builtin/define.ts';
import { withDefaultFormat } from '../call/output-options.ts';
import { print } from '../call/print.ts';
import { answersFields, secretsOf } from '../call/run.ts';
import { taskContext } from '../call/task/context.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Session } from '../session/model.ts';
import { withSession } from '../session/session.ts';
import { openSubcommand } from './subcommand.ts';

type EachTasks = typeof import('../../tasks/each/index.ts');

/** Find the command of the words after `--`. @throws Failure `usage` if it cannot run for several targets */
async function findSubcommand(words: readonly string[], services: Services): Promise<RunnableCommand> {
  const { area, command: word } = splitArgv(words);
  if (area === undefined)
    throw usage('no command given', 'put it after --: svc each --projects projects.txt -- approvals get');
  const { group, command } = await (await services.lookUp()).find({ area, command: word });
  if (!command) throw usage(`svc ${group.name}: the command is missing`, `see svc ${group.name} --help`);
  if (command.notInEach !== undefined)
    throw usage(`svc each cannot run ${JSON.stringify(pathOf(command))}: ${command.notInEach}`);
  // svc each itself asks for confirmation.
  const flags = command.inEach ? [...command.flags, ...listOwnFlags(sharedFlags('yes'))] : command.flags;
  return { ...command, flags };
}

async function runForTargets(
  { eachCommand, templateOf }: EachTasks,
  line: CommandLine,
  context: Context,
  services: Services,
): Promise<ExitCode> {
  const { words } = 'rows' in line.options ? templateOf(line.tail) : { words: line.tail };
  const command = await findSubcommand(words, services);
  const inner = parseCommand(command, restOf(splitArgv(words), command));
  const { declaration: own } = command;
  const ownFlags = new Set([...Object.keys(own?.flags ?? {}), ...(own?.formats ? ['output'] : [])]);
  const merged = withSharedOptions(line, inner, ownFlags);
  if (await answersFields(command, merged.options, context)) return 0;
  if (own?.endsWith !== undefined && !(own.endsWith in inner.options))
    throw usage(`svc each runs ${pathOf(command)} only with --${own.endsWith}, without which it never ends`);
  return withSession(
    merged.options,
    context,
    async (opened) => {
      const session = withDefaultFormat(opened, command.inEach?.format);
      const reader = createReader(context);
      const taskIn = (own: Session): EachContext => ({
        ...taskContext(own, taskCommandOf('each', eachCommand), merged, reader),
        subcommand: openSubcommand(own, command, reader),
        onReaderGone: (act) => context.onReaderGone?.(act),
        openCopy: async (content) =>
          (await import('../call/task/copy.ts')).openCopy(session, content, taskIn),
      });
      return print(session, await eachCommand.run(taskIn(session)));
    },
    await secretsOf(command),
    { concurrent: true, command: pathOf(command) },
  );
}

export function eachBuiltin(tasks: EachTasks): Builtin {
  const run: RunnableCommand['run'] = (...given) => runForTargets(tasks, ...given);
  return {
    commands: [
      () => Object.assign(taskCommandOf('each', tasks.eachCommand), { run }),
      () => taskCommandOf('each', tasks.reportCommand),
    ],
  };
}

/** Move the flags that all targets share to `svc each`. @param own flags that the command declares itself @throws Failure `usage` */
function withSharedOptions(line: CommandLine, inner: CommandLine, own: ReadonlySet<string>): CommandLine {
  const options: Record<string, unknown> = { ...line.options };
  const given = new Map<string, unknown>(Object.entries(inner.options));
  for (const [flag, { each }] of allFlags) {
    const name = optionName(flag);
    const value = given.get(name);
    if (value === undefined || each === 'target') continue;
    if (each === 'never') throw usage(`svc each does not accept --${flag} after --`);
    if (own.has(flag)) continue;
    if (options[name] !== undefined) throw usage(`--${flag} is given before and after --`, 'use it once');
    if (typeof value === 'string' && hasPlaceholder(value))
      throw usage(`--${flag} cannot contain a placeholder`);
    options[name] = value;
  }
  return { ...line, options: options as Options };
}
