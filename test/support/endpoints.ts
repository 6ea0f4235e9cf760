import type { Entry } from '../../src/api/index.ts';
import { loadArea } from '../../src/cli/areas.ts';
import type { Endpoint } from '../../src/spec/endpoint.ts';

/** The endpoints of an area as the command line presents them. */
export async function endpointsOf(entry: Entry): Promise<Endpoint[]> {
  return (await loadArea(entry)).commands.flatMap(({ endpoints }) => endpoints);
}
