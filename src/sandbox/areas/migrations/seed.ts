import { defined } from '../../core/lookup.ts';
import type { Seeder } from '../../seed/seeder.ts';
import type { Entity, Migration, Outcome } from './migration.ts';

const runs: readonly (readonly [id: number, user: number, source: string, at: string])[] = [
  [21, 1, 'https://old.example.com/', '2026-01-20T07:30:00.000Z'],
  [22, 1, 'https://fail.example/', '2026-02-03T07:30:00.000Z'],
  [23, 2, 'https://old.example.com/', '2026-03-16T07:30:00.000Z'],
];

type Draft = readonly [
  id: number,
  run: number,
  type: 'group' | 'project',
  path: string,
  slug: string,
  outcome: Outcome,
  target: Partial<Entity>,
];

const parts: readonly Draft[] = [
  [211, 21, 'group', 'legacy', 'legacy', 'finished', { namespace_id: 13 }],
  [212, 21, 'project', 'web/site', 'website', 'finished', { project_id: 101 }],
  [221, 22, 'group', 'vault', 'vault', 'failed', {}],
  [231, 23, 'group', 'archive', 'archive', 'stuck', {}],
];

/** A finished migration, a failed one, and one that never ends. */
export const migrations: Seeder = (world) => {
  for (const [id, user_id, source_url, created_at] of runs) {
    world
      .table<Migration>('migrations')
      .insert({ id, user_id, source_type: 'service', source_url, created_at, canceled_at: null });
  }
  for (const [id, run, entity_type, source_full_path, destination_slug, outcome, target] of parts) {
    const migration = defined(world.table<Migration>('migrations').get(run));
    world.table<Entity>('migration_entities').insert({
      id,
      bulk_import_id: run,
      entity_type,
      source_full_path,
      destination_slug,
      destination_namespace: 'acme',
      parent_id: null,
      namespace_id: null,
      project_id: null,
      migrate_projects: true,
      migrate_memberships: true,
      created_at: migration.created_at,
      outcome,
      ...target,
    });
  }
};
