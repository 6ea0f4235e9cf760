/** The areas of the API as groups of commands. */
import type { Entry } from '../api/index.ts';
import type { AreaGroup } from '../docs/model.ts';
import { type Command, commandName, endpointCommand, endpointCommands } from '../spec/command.ts';
import type { Endpoint } from '../spec/endpoint.ts';
import { resolveName } from '../spec/names.ts';
import type { TaskCommand } from '../tasks/context.ts';
import { type AreaTasks, tasks } from '../tasks/index.ts';
import { flagsFor } from './argv/conditions.ts';
import { describeTask } from './tasks.ts';

/** A loaded area with its tasks. */
export interface LoadedArea {
  readonly entry: Entry;
  readonly doc?: string;
  /** The endpoints as the command line presents them. */
  readonly endpoints: readonly Endpoint[];
  /** The tasks that run in place of a single request, by command name. */
  readonly runners: AreaTasks['runners'];
  /** Commands that are tasks. */
  readonly commands: readonly TaskCommand[];
}

export async function loadArea(entry: Entry): Promise<LoadedArea> {
  const [{ default: area }, own] = await Promise.all([entry.load(), tasks[entry.name]?.()]);
  return {
    entry,
    ...area,
    endpoints: own?.present?.(area.endpoints) ?? area.endpoints,
    runners: own?.runners ?? {},
    commands: own?.commands ?? [],
  };
}

/** Find the description of a command or task of an area by its name or an alias. */
export function describedIn(area: LoadedArea, word: string): Command | undefined {
  const name = resolveName(
    word,
    area.commands.map((task) => task.name),
  );
  const task = area.commands.find((one) => one.name === name);
  return commandIn(area, word) ?? (task && describeTask(area.entry.name, task));
}

/** Find a command of an area that sends requests of its endpoints, by its name or an alias. */
export function commandIn({ entry, endpoints }: LoadedArea, word: string): Command | undefined {
  const name = resolveName(word, endpoints.map(commandName));
  const [first, ...others] = endpoints.filter((endpoint) => commandName(endpoint) === name);
  return first && endpointCommand(entry.name, [first, ...others], flagsFor);
}

/** Describe an area with all of its commands. */
export function describeArea({ entry, doc, endpoints, commands }: LoadedArea): AreaGroup {
  const { name, summary, theme, aliases } = entry;
  return {
    name,
    summary,
    theme,
    ...(aliases ? { aliases } : {}),
    ...(doc === undefined ? {} : { doc }),
    commands: [
      ...endpointCommands(name, endpoints, flagsFor),
      ...commands.map((task) => describeTask(name, task)),
    ],
  };
}
