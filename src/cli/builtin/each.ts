/** `svc each`: run a command for many targets, in one session. */
import { usage } from '../../errors.ts';
import type { Format } from '../../output/formats.ts';
import { pathOf, printedBy } from '../../spec/command.ts';
import type { EachContext, TaskCommand } from '../../tasks/context.ts';
import { type CommandLine, parseCommand } from '../argv/parse.ts';
import { createReader } from '../argv/values.ts';
import { printFields } from '../call/fields-help.ts';
import { checkFieldsOfWrite } from '../call/known-fields.ts';
import { isWrite } from '../call/run.ts';
import { taskContext } from '../call/task/context.ts';
import type { Context } from '../context.ts';
import { withSharedOptions } from '../each/flags.ts';
import { requiredFlag } from '../each/refused.ts';
import { openSubcommand } from '../each/subcommand.ts';
import { restOf } from '../each/target-line.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Session } from '../session/model.ts';
import { withSession } from '../session/session.ts';
import { describeTask } from '../tasks.ts';
import type { Builtin, Services } from './define.ts';

interface EachTask {
  readonly eachCommand: TaskCommand;
  readonly sampleWords: (words: readonly string[]) => string[];
}

async function run(
  { eachCommand, sampleWords }: EachTask,
  line: CommandLine,
  context: Context,
  services: Services,
): Promise<ExitCode> {
  // With --rows, braces are placeholders.
  const hasRows = 'rows' in line.options;
  const words = hasRows ? sampleWords(line.tail) : line.tail;
  const found = await services.find(words);
  const inner = parseCommand(found.command, restOf(words, found.command), hasRows);
  const own = found.own;
  const ownFlags = new Set([...Object.keys(own?.flags ?? {}), ...(own?.formats ? ['output'] : [])]);
  const merged = withSharedOptions(line, inner, ownFlags);
  if (merged.options.fields === 'help') return printFields(printedBy(found.command), context);
  if (merged.options.fields !== undefined && isWrite(found.command))
    checkFieldsOfWrite(found.command.endpoints, merged.options.fields);
  const required = requiredFlag(found);
  if (required !== undefined && !(required in inner.options))
    throw usage(
      `svc each runs ${pathOf(found.command)} only with --${required}, without which it never ends`,
    );
  const command = describeTask(eachCommand.name, eachCommand);
  return withSession(
    merged.options,
    context,
    async (opened) => {
      const session = withFormat(opened, found.inEach?.format);
      const reader = createReader(context);
      const task: EachContext = {
        ...taskContext(session, command, merged, reader),
        subcommand: openSubcommand(session, found, reader),
        ownOptions: line.options,
        onReaderGone: (act) => context.onReaderGone?.(act),
      };
      const ending = await eachCommand.run(task);
      return typeof ending === 'string' ? exitCodes[ending] : (ending ?? 0);
    },
    found.secrets,
    { concurrent: true, command: pathOf(found.command) },
  );
}

/** Use the default format of a command. */
function withFormat(session: Session, format: Format | undefined): Session {
  const { output } = session.settings;
  if (format === undefined || output.source !== 'default') return session;
  return { ...session, settings: { ...session.settings, output: { ...output, value: format } } };
}

export function eachBuiltin(task: EachTask): Builtin {
  const { name } = task.eachCommand;
  return {
    commands: [
      {
        name,
        describe: (area) => describeTask(area, task.eachCommand),
        run: (line, context, services) => run(task, line, context, services),
      },
    ],
  };
}
