import type { Seeder } from '../../seed/seeder.ts';
import type { Badge } from './handlers.ts';

type Draft = readonly [id: number, project: number | null, group: number | null, name: string, host: string];

const drafts: readonly Draft[] = [
  [81, 100, null, 'build', 'ci.example'],
  [82, 100, null, 'coverage', 'coverage.example'],
  [91, null, 10, 'quality', 'quality.example'],
];

/** Two badges of acme/rocket, and one of the group acme. */
export const badges: Seeder = (world) => {
  for (const [id, project_id, group_id, name, host] of drafts) {
    const link_url = `https://${host}/%{project_path}?ref=%{default_branch}`;
    const image_url = `https://${host}/%{project_path}/%{default_branch}.svg`;
    world.table<Badge>('badges').insert({ id, project_id, group_id, name, link_url, image_url });
  }
};
