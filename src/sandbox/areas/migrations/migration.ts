/** Progress of migrations. It follows from the clock: only the start and the outcome are stored. */

import { subgroup } from '../../../webhooks/payloads.ts';
import type { AnyRow, Group, Project } from '../../core/rows.ts';
import { iso } from '../../core/time.ts';
import type { World } from '../../core/world.ts';

/** Final state of an entity. A `stuck` one never ends. */
export type Outcome = 'finished' | 'failed' | 'stuck';
export type Status = 'created' | 'started' | 'finished' | 'failed' | 'canceled';

export interface Migration extends AnyRow {
  user_id: number;
  source_url: string;
  created_at: string;
  canceled_at: string | null;
}

export interface Entity extends AnyRow {
  bulk_import_id: number;
  entity_type: 'group' | 'project';
  source_full_path: string;
  destination_slug: string;
  destination_name: string;
  destination_namespace: string;
  namespace_id: number | null;
  project_id: number | null;
  created_at: string;
  outcome: Outcome;
  /** The error if the group or project could not be created. */
  obstacle?: string;
}

/** Milliseconds from creation until a migration starts, its entities end, and it ends. */
const start = 2_000;
const entityEnd = 4_000;
const end = 6_000;

const later = (time: string, ms: number): string => iso(Date.parse(time) + ms);

interface Stage {
  readonly status: Status;
  readonly since: string;
}

function entityAt(entity: Entity, at: number): Stage {
  const age = at - Date.parse(entity.created_at);
  if (age < start) return { status: 'created', since: entity.created_at };
  if (age < entityEnd || entity.outcome === 'stuck')
    return { status: 'started', since: later(entity.created_at, start) };
  return { status: entity.outcome, since: later(entity.created_at, entityEnd) };
}

const hasEnded = ({ status }: Stage): boolean => status === 'finished' || status === 'failed';

/** Return the stage of an entity. Canceling a migration fails its unfinished entities. */
export function entityStage(entity: Entity, migration: Migration, now: number): Stage {
  if (migration.canceled_at === null) return entityAt(entity, now);
  const stage = entityAt(entity, Date.parse(migration.canceled_at));
  return hasEnded(stage) ? stage : { status: 'failed', since: migration.canceled_at };
}

/** Return the stage of a migration. It fails if all of its entities fail. */
export function migrationStage(migration: Migration, entities: readonly Entity[], now: number): Stage {
  const { created_at, canceled_at } = migration;
  if (canceled_at !== null) return { status: 'canceled', since: canceled_at };
  const age = now - Date.parse(created_at);
  if (age < start) return { status: 'created', since: created_at };
  const stages = entities.map((entity) => entityAt(entity, now));
  if (age < end || !stages.every(hasEnded)) return { status: 'started', since: later(created_at, start) };
  const failed = stages.every(({ status }) => status === 'failed');
  return { status: failed ? 'failed' : 'finished', since: later(created_at, end) };
}

export function hasFailed(entity: Entity, stage: Stage): boolean {
  // A canceled one did not get that far.
  const isOver = stage.since === later(entity.created_at, entityEnd);
  return stage.status === 'failed' && entity.outcome === 'failed' && isOver;
}

/** Return the counts per relation. They depend only on the path, so that they are stable. */
export function statsOf(entity: Entity, stage: Stage): Record<string, object> {
  if (!hasEnded(stage)) return {};
  const size = entity.source_full_path.length;
  const relations =
    entity.entity_type === 'group' ? { labels: 3, milestones: 1, badges: 0 } : { labels: 2, issues: 9 };
  const failed = stage.status === 'failed';
  return Object.fromEntries(
    Object.entries(relations).map(([name, base]) => {
      const source = base * (1 + (size % 5));
      return [name, { source, fetched: source, imported: failed ? 0 : source }];
    }),
  );
}

export function failureOf(entity: Entity, migration: Migration) {
  const missing = entity.source_full_path.includes('missing');
  return {
    relation: entity.entity_type,
    step: 'extractor',
    exception_message:
      entity.obstacle ??
      (missing
        ? `Unsuccessful response 404 from ${migration.source_url}: ${entity.source_full_path} was not found`
        : `Unsuccessful response 503 from ${migration.source_url}`),
    exception_class: entity.obstacle ? 'ActiveRecord::RecordInvalid' : 'BulkImports::NetworkError',
    correlation_id_value: `sandbox-${migration.id}-${entity.id}`,
    created_at: later(entity.created_at, entityEnd),
    pipeline_class: `BulkImports::${entity.entity_type === 'group' ? 'Groups' : 'Projects'}::Pipelines::EntityPipeline`,
    pipeline_step: 'extractor',
    source_url: `${migration.source_url.replace(/(?<!\/)\/+$/, '')}/${entity.source_full_path}`,
    source_title: entity.source_full_path.replace(/^.*\//, ''),
  };
}

function isTaken(world: World, path: string): boolean {
  const same = (other: string) => other.toLowerCase() === path.toLowerCase();
  return (
    world.table<Group>('groups').find((row) => same(row.full_path)) !== undefined ||
    world.table<Project>('projects').find((row) => same(row.path_with_namespace)) !== undefined
  );
}

function createTarget(
  world: World,
  entity: Entity,
  user_id: number,
  created_at: string,
): Partial<Omit<Entity, 'id'>> {
  const { destination_namespace: namespace, destination_slug: path } = entity;
  const parent = world.table<Group>('groups').find((group) => group.full_path === namespace);
  const full_path = `${namespace}/${path}`;
  if (!parent) return { outcome: 'failed', obstacle: `${namespace} no longer exists` };
  if (isTaken(world, full_path))
    return { outcome: 'failed', obstacle: `${full_path} has already been taken` };
  const { visibility } = parent;
  const common = { name: entity.destination_name, path, visibility, description: '', created_at };
  if (entity.entity_type === 'group') {
    const group = world.table<Group>('groups').insert({ ...common, full_path, parent_id: parent.id });
    world.emit({
      kind: 'subgroup_events',
      group_id: parent.id,
      user_id,
      payload: () => subgroup(parent, group),
    });
    return { namespace_id: group.id };
  }
  const location = { path_with_namespace: full_path, group_id: parent.id, default_branch: 'main' };
  return { project_id: world.table<Project>('projects').insert({ ...common, ...location }).id };
}

export function finishMigrations(world: World): void {
  const table = world.table<Entity>('migration_entities');
  const isOpen = ({ outcome, namespace_id, project_id }: Entity) =>
    outcome === 'finished' && namespace_id === null && project_id === null;
  for (const entity of table.filter(isOpen)) {
    const migration = world.table<Migration>('migrations').get(entity.bulk_import_id);
    const stage = migration && entityStage(entity, migration, world.now());
    if (migration && stage?.status === 'finished')
      table.update(entity, createTarget(world, entity, migration.user_id, stage.since));
  }
}
