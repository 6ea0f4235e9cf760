import type { Seeder } from '../../seed/seeder.ts';
import type { ProtectedBranch } from './protection.ts';

/** Protected branches. The branches themselves are in the seeded repositories. */
export const branches: Seeder = (world) => {
  const table = world.table<ProtectedBranch>('protected_branches');
  for (const [project_id, name] of [
    [100, 'main'],
    [100, 'release/1.x'],
    [101, 'main'],
    [102, 'main'],
  ] as const) {
    table.insert({
      project_id,
      name,
      push_access_level: 40,
      merge_access_level: 40,
      unprotect_access_level: 40,
      allow_force_push: false,
    });
  }
};
