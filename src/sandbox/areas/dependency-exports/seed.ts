import type { Seeder } from '../../seed/seeder.ts';
import type { DependencyExport } from './handlers.ts';

/** An export of the administrator that is ready. */
export const dependencyExports: Seeder = (world) => {
  const now = world.time();
  world
    .table<DependencyExport>('dependency_exports')
    .insert({ id: 95, author_id: 1, pipeline_id: 1010, created_at: now, ready_at: now });
};
