/** The world of a fresh sandbox: the same each time. A seeder fills tables; the order is that of the list. */
import type { World } from '../behaviour.ts';
import { changedAt } from '../conditional.ts';
import type { AnyRow } from '../rows.ts';
import { appearance } from './appearance.ts';
import { approvals } from './approvals.ts';
import { badges } from './badges.ts';
import { branches } from './branches.ts';
import { broadcasts } from './broadcasts.ts';
import { contextCommits } from './context-commits.ts';
import { dependencyExports } from './dependency-exports.ts';
import { epics } from './epics.ts';
import { errorTracking } from './error-tracking.ts';
import { hooks } from './hooks.ts';
import { jobs } from './jobs.ts';
import { license } from './license.ts';
import { migrations } from './migrations.ts';
import { notifications } from './notifications.ts';
import { people } from './people.ts';
import { places } from './places.ts';
import { releases } from './releases.ts';
import { snippets } from './snippets.ts';
import { uploads } from './uploads.ts';
import { users } from './users.ts';
import { variables } from './variables.ts';
import { wikis } from './wikis.ts';

export type Seeder = (world: World) => void;

const seeders: readonly Seeder[] = [
  people,
  places,
  branches,
  jobs,
  variables,
  license,
  appearance,
  contextCommits,
  dependencyExports,
  epics,
  errorTracking,
  hooks,
  migrations,
  notifications,
  releases,
  approvals,
  badges,
  broadcasts,
  snippets,
  uploads,
  users,
  wikis,
];

export function seed(world: World): void {
  for (const fill of seeders) fill(world);
  const isUndated = (row: AnyRow) => changedAt(row) === undefined;
  for (const name of world.store.names) {
    const table = world.table(name);
    for (const row of table.filter(isUndated)) table.update(row, { changed_at: world.time() });
  }
}
