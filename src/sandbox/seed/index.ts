/** The world of a fresh sandbox: the same each time. A seeder fills tables; the order is that of the list. */
import type { World } from '../behaviour.ts';
import { branches } from './branches.ts';
import { jobs } from './jobs.ts';
import { license } from './license.ts';
import { people } from './people.ts';
import { places } from './places.ts';
import { variables } from './variables.ts';

export type Seeder = (world: World) => void;

const seeders: readonly Seeder[] = [people, places, branches, jobs, variables, license];

export function seed(world: World): void {
  for (const fill of seeders) fill(world);
}
