/** Tasks as commands of the program. */
import { type Command, declaredCommand } from '../spec/command.ts';
import type { TaskCommand } from '../tasks/context.ts';
import { listOwnFlags, programFlags } from './argv/flags.ts';
import { connection, type RunnableCommand } from './builtin/define.ts';

/** The flags that every task accepts. */
const always = { ...connection, sandbox: true, 'no-input': true, quiet: true, color: true, help: true };

/** A command that runs in a session: of an endpoint, or a task. */
export function inSession(
  described: Command & Pick<RunnableCommand, 'task' | 'declaration'>,
): RunnableCommand {
  const command: RunnableCommand = {
    ...described,
    run: async (line, context) => (await import('./call/run.ts')).runCommand(command, line, context),
    execute: async (...given) => (await import('./call/execute.ts')).execute(command, ...given),
    check: async (...given) => (await import('./each/check.ts')).checkLine(command, ...given),
  };
  return command;
}

/** The command of a task with a name of its own. */
export function taskCommandOf(area: string, task: TaskCommand): RunnableCommand {
  const { flags, formats, shared, prints, scopes, notInEach, exits } = task;
  const accepted = new Set(shared);
  const program = Object.entries(programFlags).filter(([flag]) => accepted.has(flag) || flag in always);
  const doc = `Output format (default: ${formats?.[0]})`;
  const placeholder = formats?.join('|') ?? '';
  const output = formats ? { output: { ...programFlags.output, choices: formats, placeholder, doc } } : {};
  const command = inSession({
    ...declaredCommand(area, task, listOwnFlags({ ...flags, ...Object.fromEntries(program), ...output })),
    effect: task.effect ?? 'write',
    ...(prints ? { prints } : {}),
    ...(exits ? { exits } : {}),
    scopes,
    task: task.run,
    declaration: task,
  });
  return notInEach === undefined ? command : { ...command, notInEach };
}
