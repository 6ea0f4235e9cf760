/** Progress of migrations. It follows from the clock: only the start and the outcome are stored. */
import type { Row } from '../../core/rows.ts';
import { iso } from '../../core/time.ts';

/** Final state of an entity. A `stuck` one never ends. */
export type Outcome = 'finished' | 'failed' | 'stuck';
export type Status = 'created' | 'started' | 'finished' | 'failed' | 'canceled';

export interface Migration extends Row {
  user_id: number;
  source_type: string;
  source_url: string;
  created_at: string;
  canceled_at: string | null;
}

export interface Entity extends Row {
  bulk_import_id: number;
  entity_type: 'group' | 'project';
  source_full_path: string;
  destination_slug: string;
  /** Absent from states of earlier versions. */
  destination_name?: string;
  destination_namespace: string;
  parent_id: number | null;
  namespace_id: number | null;
  project_id: number | null;
  migrate_projects: boolean;
  migrate_memberships: boolean;
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

/** Whether an entity has failed by now for a reason other than cancellation. */
export function hasFailed(entity: Entity, stage: Stage): boolean {
  return stage.status === 'failed' && entity.outcome === 'failed';
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
