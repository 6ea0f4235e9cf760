/** `svc each`: run a command for many targets, in one session. */
import { pathOf } from '../../spec/command.ts';
import type { EachContext, TaskCommand } from '../../tasks/context.ts';
import { type CommandLine, parseCommand } from '../argv/parse.ts';
import { createReader } from '../argv/values.ts';
import { printFields } from '../call/fields-help.ts';
import { taskContext } from '../call/task/context.ts';
import type { Context } from '../context.ts';
import { withSharedOptions } from '../each/flags.ts';
import { openSubcommand, restOf } from '../each/subcommand.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
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
  const inner = parseCommand(found.command, restOf(words, found.command));
  const own = found.own;
  const ownFlags = new Set([...Object.keys(own?.flags ?? {}), ...(own?.formats ? ['output'] : [])]);
  const merged = withSharedOptions(line, inner, ownFlags);
  if (merged.options.fields === 'help') return printFields(found.command.endpoints, context);
  const command = describeTask(eachCommand.name, eachCommand);
  return withSession(
    merged.options,
    context,
    async (session) => {
      const reader = createReader(context);
      const task: EachContext = {
        ...taskContext(session, command, merged, reader),
        subcommand: openSubcommand(session, found, reader),
      };
      const ending = await eachCommand.run(task);
      return typeof ending === 'string' ? exitCodes[ending] : (ending ?? 0);
    },
    found.secrets,
    { concurrent: true, command: pathOf(found.command) },
  );
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
