import type { Entry } from '../../src/api/index.ts';
import type { Endpoint } from '../../src/spec/endpoint.ts';
import { tasks } from '../../src/tasks/index.ts';

/** The endpoints of an area as the command line presents them, in the order of its file. */
export async function endpointsOf(entry: Entry): Promise<readonly Endpoint[]> {
  const [area, own] = await Promise.all([entry.load(), tasks[entry.name]?.()]);
  const { endpoints } = area.default;
  return own?.present?.(endpoints) ?? endpoints;
}
