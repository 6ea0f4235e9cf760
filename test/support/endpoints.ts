import { areas, type Entry } from '../../src/api/index.ts';
import { commandName } from '../../src/spec/command.ts';
import type { Endpoint } from '../../src/spec/endpoint.ts';
import { tasks } from '../../src/tasks/index.ts';

/** The endpoints of an area as the command line presents them, in the order of its file. */
export async function endpointsOf(entry: Entry): Promise<readonly Endpoint[]> {
  const [area, own] = await Promise.all([entry.load(), tasks[entry.name]?.()]);
  const { endpoints } = area.default;
  return own?.present ? endpoints.flatMap(own.present) : endpoints;
}

/** Every endpoint as the command line presents it, with its name in messages: `badges list (group)`. */
export const presented = (
  await Promise.all(
    areas.map(async (entry) =>
      (
        await endpointsOf(entry)
      ).map((endpoint) => ({
        entry,
        endpoint,
        title: `${entry.name} ${commandName(endpoint)}${endpoint.scope ? ` (${endpoint.scope.name})` : ''}`,
        reads: endpoint.method === 'GET' || endpoint.method === 'HEAD',
      })),
    ),
  )
).flat();
