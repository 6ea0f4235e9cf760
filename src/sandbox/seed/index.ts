/** The deterministic content of a new sandbox. */
import { appearance } from '../areas/appearance/seed.ts';
import { approvals } from '../areas/approval-rules/seed.ts';
import { badges } from '../areas/badges/seed.ts';
import { branches } from '../areas/branches/seed.ts';
import { broadcasts } from '../areas/broadcasts/seed.ts';
import { contextCommits } from '../areas/context-commits/seed.ts';
import { dependencyExports } from '../areas/dependency-exports/seed.ts';
import { epics } from '../areas/epics/seed.ts';
import { errorTracking } from '../areas/error-tracking/seed.ts';
import { hooks } from '../areas/hooks/seed.ts';
import { jobs } from '../areas/jobs/seed.ts';
import { license } from '../areas/license/seed.ts';
import { migrations } from '../areas/migrations/seed.ts';
import { notifications } from '../areas/notifications/seed.ts';
import { releases } from '../areas/releases/seed.ts';
import { snippets } from '../areas/snippets/seed.ts';
import { uploads } from '../areas/uploads/seed.ts';
import { users } from '../areas/users/seed.ts';
import { variables } from '../areas/variables/seed.ts';
import { wikis } from '../areas/wikis/seed.ts';
import { changedAt } from '../conditional.ts';
import type { World } from '../core/behavior.ts';
import type { AnyRow } from '../core/rows.ts';
import { people } from './people.ts';
import { namespaces } from './projects.ts';
import { applyScale, type Scale } from './scale.ts';
import type { Seeder } from './seeder.ts';

/** In this order: later seeders read the tables of earlier ones. */
const seeders: readonly Seeder[] = [
  people,
  namespaces,
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

export function seed(world: World, scale: Scale = {}): void {
  for (const fill of seeders) fill(world);
  applyScale(world, scale);
  const isUndated = (row: AnyRow) => changedAt(row) === undefined;
  for (const name of world.store.names) {
    const table = world.table(name);
    for (const row of table.filter(isUndated)) table.update(row, { changed_at: world.time() });
  }
}
