import type { Seeder } from '../../seed/seeder.ts';
import type { Release } from './release.ts';

type Draft = readonly [project: number, author: number, tag: string, name: string, notes: string, at: string];

const drafts: readonly Draft[] = [
  [100, 2, 'v1.0.0', 'Rocket 1.0', '- Fuel is counted\n- A countdown', '2026-02-06T10:00:00.000Z'],
  [102, 3, 'v0.9.0', 'Probe 0.9', 'The first that measures', '2026-02-20T10:00:00.000Z'],
  [
    100,
    3,
    'v1.1.0',
    'Rocket 1.1',
    '- Missions have names\n- Empty tanks stop the engine',
    '2026-03-10T10:00:00.000Z',
  ],
];

/** Two releases of acme/rocket, and one of a project in a subgroup. */
export const releases: Seeder = (world) => {
  for (const [project_id, author_id, tag_name, name, description, at] of drafts) {
    world
      .table<Release>('releases')
      .insert({ project_id, author_id, tag_name, name, description, created_at: at, released_at: at });
  }
};
