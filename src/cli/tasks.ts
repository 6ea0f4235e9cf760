/** Tasks as commands of the program. */
import { argumentsIn, type Command } from '../spec/command.ts';
import type { TaskCommand } from '../tasks/context.ts';
import { listOwnFlags, programFlags } from './argv/flags.ts';
import { connection, type RunnableCommand } from './builtin/define.ts';

/** The flags that every task accepts. */
const always = { ...connection, sandbox: true, 'no-input': true, quiet: true, color: true, help: true };

/** A command that runs in a session: of an endpoint, or a task. */
export function inSession(command: Command & Pick<RunnableCommand, 'task' | 'own'>): RunnableCommand {
  return {
    ...command,
    run: async (line, context) => (await import('./call/run.ts')).runCommand(command, line, context),
  };
}

/** The command of a task with a name of its own. */
export function taskCommandOf(area: string, task: TaskCommand): RunnableCommand {
  const { name, args, of, summary, doc, flags, shared, scopes, examples, notInEach } = task;
  const [own = '', tail] = args.split('-- ');
  const accepted = new Set(shared);
  const program = Object.entries(programFlags).filter(([flag]) => accepted.has(flag) || flag in always);
  const output = task.formats
    ? {
        output: {
          ...programFlags.output,
          choices: task.formats,
          doc: `Output format (default: ${task.formats[0]})`,
        },
      }
    : {};
  const command = inSession({
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
    scopes,
    examples,
    task: task.run,
    own: task,
  });
  return notInEach === undefined ? command : { ...command, notInEach };
}
