/** The areas by name. Used at start, so nothing else is imported. */
import { areas, type Entry } from '../api/index.ts';

/** Find an area by its name or an alias. */
export function findArea(name: string | undefined): Entry | undefined {
  return areas.find((entry) => entry.name === name || entry.aliases?.includes(name ?? ''));
}
