/** Tasks as commands of the program. */
import { argumentsIn, type Command } from '../spec/command.ts';
import type { TaskCommand } from '../tasks/context.ts';
import { listOwnFlags, programFlags } from './argv/flags.ts';
import type { CommandLine } from './argv/parse.ts';
import { type Builtin, connection } from './builtin/define.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';

/** Describe a task for the command model. */
export function describeTask(area: string, task: TaskCommand): Command {
  const { name, args, of, summary, doc, flags, shared, scopes, examples } = task;
  const [own = '', tail] = args.split('-- ');
  const accepted = new Set(shared);
  const program = Object.entries(programFlags).filter(([flag]) => accepted.has(flag) || flag in always);
  const output = task.formats
    ? {
        output: {
          ...programFlags.output,
          choices: task.formats,
          placeholder: task.formats.join('|'),
          doc: `Output format (default: ${task.formats[0]})`,
        },
      }
    : {};
  return {
    area,
    name,
    summary,
    docs: doc === undefined ? [] : [doc],
    deprecated: [],
    arguments: argumentsIn(own, of),
    ...(tail === undefined ? {} : { tail }),
    fields: {},
    flags: listOwnFlags({ ...flags, ...Object.fromEntries(program), ...output }),
    endpoints: [],
    ...(task.prints ? { prints: task.prints } : {}),
    effect: task.effect ?? 'write',
    ...(task.exits ? { exits: task.exits } : {}),
    scopes,
    examples,
  };
}

/** The flags that every task accepts. */
const always = { ...connection, sandbox: true, 'no-input': true, quiet: true, color: true, help: true };

/** Run a task. */
async function run(
  command: Command,
  task: TaskCommand,
  line: CommandLine,
  context: Context,
): Promise<ExitCode> {
  const { runCommand } = await import('./call/run.ts');
  return runCommand(command, line, task.run, context, await task.secrets?.());
}

/** Parse and run a task. */
export async function runTask(
  area: string,
  task: TaskCommand,
  rest: readonly string[],
  context: Context,
): Promise<ExitCode> {
  const command = describeTask(area, task);
  const { parseCommand } = await import('./argv/parse.ts');
  return run(command, task, parseCommand(command, rest), context);
}

/** The commands of `svc <name>` that is a task itself. */
export function taskBuiltin(task: TaskCommand): Builtin {
  const describe = (area: string) => describeTask(area, task);
  return {
    commands: [
      {
        name: task.name,
        task,
        describe,
        run: (line, context) => run(describe(task.name), task, line, context),
      },
    ],
  };
}
