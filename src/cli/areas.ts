/** The areas of the API and the tasks, as commands. */
import { areas, type Entry, type Theme } from '../api/index.ts';
import { type Command, commandName, declaredCommand, endpointCommand, pathOf } from '../spec/command.ts';
import { examplesOf } from '../spec/compose.ts';
import type { ProgramFlag } from '../spec/flag.ts';
import { plural } from '../spec/names.ts';
import { groupBy } from '../support/record.ts';
import type { TaskCommand } from '../tasks/context.ts';
import { tasks } from '../tasks/index.ts';
import { flagsFor, listOwnFlags, programFlags } from './argv/flags.ts';
import { connection, type RunnableCommand, type RunnableGroup } from './builtin/define.ts';

/** Find an area by its name or an alias, also in singular. */
export function findArea(name: string): Entry | undefined {
  const isNamed = (one: string) => one === name || one === plural(name);
  return areas.find((entry) => isNamed(entry.name) || entry.aliases?.some(isNamed));
}

export async function loadArea(entry: Entry): Promise<RunnableGroup & { readonly theme: Theme }> {
  const { load, ...facts } = entry;
  const [area, own] = await Promise.all([load(), tasks[entry.name]?.()]);
  const { endpoints, ...more } = area.default;
  const presented = own?.present ? endpoints.flatMap(own.present) : endpoints;
  return {
    ...facts,
    ...more,
    commands: [
      ...[...groupBy(presented, commandName).values()].map((variants) => {
        const command = endpointCommand(entry.name, variants, flagsFor);
        const task = own?.runners?.[command.name];
        const exits = own?.exits?.[command.name];
        return inSession(task ? Object.assign(command, { task }, exits && { exits }) : command);
      }),
      ...(own?.commands ?? []).map((task) => taskCommandOf(entry.name, task)),
    ],
  };
}

function inSession(described: Command & Pick<RunnableCommand, 'task' | 'declaration'>): RunnableCommand {
  const running: Pick<RunnableCommand, 'run' | 'execute' | 'check'> = {
    run: async (line, context) => (await import('./call/run.ts')).runCommand(command, line, context),
    execute: async (...given) => (await import('./call/run.ts')).execute(command, ...given),
    check: async (...given) => (await import('./each/check.ts')).checkLine(command, ...given),
  };
  // A spread would compute the flags of every command.
  const command = Object.assign(described, running);
  return command;
}

const always = { ...connection, sandbox: true, 'no-input': true, quiet: true, color: true, help: true };

export function taskCommandOf(area: string, task: TaskCommand): RunnableCommand {
  const { effect, prints, scopes = [], notInEach, exits } = task;
  const [scope, another] = scopes;
  const path = pathOf({ area, name: task.name });
  const described = declaredCommand(area, task, {
    flags: () => flagsOf(task),
    examples: () => examplesOf(task.examples, path, another ? undefined : scope),
  });
  const more = { effect, prints, exits, notInEach, scopes, task: task.run, declaration: task };
  return inSession(Object.assign(described, more));
}

function flagsOf({ flags, formats, shared }: TaskCommand): ProgramFlag[] {
  const accepted = new Set(shared);
  const program = Object.entries(programFlags).filter(([flag]) => accepted.has(flag) || flag in always);
  const doc = `Output format (default: ${formats?.[0]})`;
  const placeholder = formats?.join('|') ?? '';
  const output = formats ? { output: { ...programFlags.output, choices: formats, placeholder, doc } } : {};
  return listOwnFlags({ ...flags, ...Object.fromEntries(program), ...output });
}
