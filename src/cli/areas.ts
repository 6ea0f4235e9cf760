/** The areas of the API as groups of commands. */
import { areas, type Entry, type Theme } from '../api/index.ts';
import { endpointCommands } from '../spec/command.ts';
import { tasks } from '../tasks/index.ts';
import { flagsFor } from './argv/conditions.ts';
import type { RunnableGroup } from './builtin/define.ts';
import { inSession, taskCommandOf } from './tasks.ts';

/** Find an area by its name or an alias. */
export function findArea(name: string | undefined): Entry | undefined {
  return areas.find((entry) => entry.name === name || entry.aliases?.includes(name ?? ''));
}

/** Load an area with the commands of its endpoints and its tasks. */
export async function loadArea(entry: Entry): Promise<RunnableGroup & { readonly theme: Theme }> {
  const { load, ...facts } = entry;
  const [area, own] = await Promise.all([load(), tasks[entry.name]?.()]);
  const { endpoints, ...more } = area.default;
  const presented = own?.present?.(endpoints) ?? endpoints;
  return {
    ...facts,
    ...more,
    commands: [
      ...endpointCommands(entry.name, presented, flagsFor).map((command) => {
        const task = own?.runners[command.name];
        return inSession(task ? { ...command, task } : command);
      }),
      ...(own?.commands ?? []).map((task) => taskCommandOf(entry.name, task)),
    ],
  };
}
