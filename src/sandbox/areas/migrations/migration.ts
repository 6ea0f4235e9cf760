/** How far a migration has come by the sandbox's clock: nothing of it is stored but when it began and how it will end. */
import type { Row } from '../../core/rows.ts';

/** How an entity ends: `stuck` never does. */
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
  /** Why it failed at its end. */
  obstacle?: string;
}

/** Milliseconds after which each begins and ends. */
const start = 2_000;
const entityEnd = 4_000;
const end = 6_000;

const later = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

interface Stage {
  readonly status: Status;
  /** When it came to this. */
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

/** An entity that was under way when its migration was canceled has failed. */
export function entityStage(entity: Entity, migration: Migration, now: number): Stage {
  if (migration.canceled_at === null) return entityAt(entity, now);
  const stage = entityAt(entity, Date.parse(migration.canceled_at));
  return hasEnded(stage) ? stage : { status: 'failed', since: migration.canceled_at };
}

/** A migration has failed where every entity of it has. */
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

/** Whether something of the entity could not be copied, and that is known by now. */
export function hasFailed(entity: Entity, stage: Stage): boolean {
  return stage.status === 'failed' && entity.outcome === 'failed';
}

/** What copying comes to, for each part: the same for the same path. */
export function statsOf(entity: Entity, stage: Stage): Record<string, object> {
  if (!hasEnded(stage)) return {};
  const size = entity.source_full_path.length;
  const parts =
    entity.entity_type === 'group' ? { labels: 3, milestones: 1, badges: 0 } : { labels: 2, issues: 9 };
  const failed = stage.status === 'failed';
  return Object.fromEntries(
    Object.entries(parts).map(([name, each]) => {
      const source = each * (1 + (size % 5));
      return [name, { source, fetched: source, imported: failed ? 0 : source }];
    }),
  );
}

/** What is told of an entity that failed. */
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
    source_url: `${migration.source_url.replace(/\/+$/, '')}/${entity.source_full_path}`,
    source_title: entity.source_full_path.split('/').at(-1) as string,
  };
}
