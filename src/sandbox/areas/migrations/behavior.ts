import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { invalidAt } from '../../core/http-error.ts';
import { ordered } from '../../core/order.ts';
import type { Hash } from '../../core/params.ts';
import type { Group } from '../../core/rows.ts';
import { hasRoleIn } from '../../core/visibility.ts';
import {
  type Entity,
  entityStage,
  failureOf,
  hasFailed,
  type Migration,
  migrationStage,
  statsOf,
} from './migration.ts';

const entitiesOf = (ctx: RequestContext, { id }: Migration): Entity[] =>
  ctx.table<Entity>('migration_entities').filter((row) => row.bulk_import_id === id);

/** One's own migrations; an administrator sees all. */
const isMine = (ctx: RequestContext, row: Migration): boolean =>
  ctx.hasRole('administrator') || row.user_id === ctx.requireUser().id;

function meant(ctx: RequestContext): Migration {
  const row = ctx.table<Migration>('migrations').get(ctx.slots.number('id'));
  if (!row || !isMine(ctx, row)) throw ctx.notFound('Migration');
  return row;
}

function meantEntity(ctx: RequestContext, migration: Migration): Entity {
  const id = ctx.slots.number('entity_id');
  const row = entitiesOf(ctx, migration).find((entity) => entity.id === id);
  if (!row) throw ctx.notFound('Entity');
  return row;
}

function view(ctx: RequestContext, row: Migration) {
  const entities = entitiesOf(ctx, row);
  const { status, since } = migrationStage(row, entities, ctx.now());
  const has_failures = entities.some((entity) => hasFailed(entity, entityStage(entity, row, ctx.now())));
  return { ...row, status, updated_at: since, has_failures };
}

function viewEntity(ctx: RequestContext, row: Entity) {
  const migration = ctx.table<Migration>('migrations').get(row.bulk_import_id) as Migration;
  const stage = entityStage(row, migration, ctx.now());
  const has_failures = hasFailed(row, stage);
  return {
    ...row,
    status: stage.status,
    destination_name: row.destination_name ?? row.destination_slug,
    destination_full_path: `${row.destination_namespace}/${row.destination_slug}`,
    updated_at: stage.since,
    failures: has_failures ? [failureOf(row, migration)] : [],
    has_failures,
    stats: statsOf(row, stage),
  };
}

type Listed = { readonly id: number; readonly status: string; readonly created_at: string };

/** By creation date, then id, the newest first unless asked otherwise. */
function chosen<T extends Listed>(ctx: RequestContext, rows: readonly T[]): T[] {
  const status = ctx.params.text('status');
  const wanted = rows.filter((row) => status === undefined || row.status === status);
  return ordered(wanted, (row) => Date.parse(row.created_at), ctx.params.text('sort'));
}

const pathPattern = /^[A-Za-z0-9_.][\w.-]*(\/[A-Za-z0-9_.][\w.-]*)*$/;
const slugPattern = /^[A-Za-z0-9_][\w.-]*$/;

function sourceUrl(configuration: Hash): URL {
  if (!String(configuration['access_token']).trim())
    throw invalidAt(['configuration', 'access_token'], "can't be blank");
  const text = String(configuration['url']);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw invalidAt(['configuration', 'url'], 'must be an http or https URL');
}

/** The URL as it was given, but for a name and a password in it. */
function withoutCredentials(url: URL, given: string): string {
  if (!url.username && !url.password) return given;
  const clean = new URL(url);
  clean.username = '';
  clean.password = '';
  return given.endsWith('/') ? clean.href : clean.href.replace(/\/$/, '');
}

/** @throws HttpError 400 where a path is none, 422 where the destination can't be written */
function draft(ctx: RequestContext, source: URL, given: Hash): Omit<Entity, 'id' | 'bulk_import_id'> {
  const text = (name: string, otherwise?: string) => String(given[name] ?? otherwise);
  const path = text('source_full_path');
  const slug = text('destination_slug');
  if (!pathPattern.test(path)) {
    throw invalidAt(
      ['entities', 'source_full_path'],
      'must be a relative path and not include protocol, sub-domain, or domain information',
    );
  }
  if (!slugPattern.test(slug))
    throw invalidAt(['entities', 'destination_slug'], 'is not a path of a group or project');
  const namespace = text('destination_namespace');
  const destination = ctx
    .table<Group>('groups')
    .find((group) => group.full_path.toLowerCase() === namespace.toLowerCase());
  if (!hasRoleIn(ctx, destination, 'maintainer')) {
    throw ctx.httpError(
      422,
      `Import failed. Destination '${namespace}' is invalid, or you don't have permission.`,
    );
  }
  const fails = source.hostname === 'fail.example' || path.includes('missing');
  return {
    entity_type: text('source_type') === 'group_entity' ? 'group' : 'project',
    source_full_path: path,
    destination_slug: slug,
    destination_name: text('destination_name', slug),
    destination_namespace: destination?.full_path as string,
    parent_id: null,
    namespace_id: null,
    project_id: null,
    migrate_projects: given['migrate_projects'] !== false,
    migrate_memberships: given['migrate_memberships'] !== false,
    created_at: ctx.time(),
    outcome: fails ? 'failed' : 'finished',
  };
}

export const migrations = behaviors('migrations', {
  list: (ctx) => {
    const mine = ctx.table<Migration>('migrations').filter((row) => isMine(ctx, row));
    return ctx.list(
      chosen(
        ctx,
        mine.map((row) => view(ctx, row)),
      ),
    );
  },

  get: (ctx) => ctx.one(view(ctx, meant(ctx))),

  entities: (ctx) => {
    const rows = entitiesOf(ctx, meant(ctx)).map((row) => viewEntity(ctx, row));
    return ctx.list(chosen(ctx, rows));
  },

  'all-entities': (ctx) => {
    const mine = ctx.table<Migration>('migrations').filter((row) => isMine(ctx, row));
    const rows = mine.flatMap((row) => entitiesOf(ctx, row)).map((row) => viewEntity(ctx, row));
    return ctx.list(chosen(ctx, rows));
  },

  entity: (ctx) => ctx.one(viewEntity(ctx, meantEntity(ctx, meant(ctx)))),

  failures: (ctx) => {
    const [failure] = viewEntity(ctx, meantEntity(ctx, meant(ctx))).failures;
    return failure ? ctx.one(failure) : ctx.json(200, []);
  },

  /** The source's token is looked at and forgotten: the sandbox asks no other service. */
  create: (ctx) => {
    const configuration = ctx.params.hash('configuration') as Hash;
    const source = sourceUrl(configuration);
    const drafts = (ctx.params.rows('entities') as Hash[]).map((row) => draft(ctx, source, row));
    if (drafts.length === 0) throw invalidAt(['entities'], "can't be blank");
    const migration = ctx.table<Migration>('migrations').insert({
      user_id: ctx.requireUser().id,
      source_type: 'service',
      source_url: withoutCredentials(source, String(configuration['url'])),
      created_at: ctx.time(),
      canceled_at: null,
    });
    const entities = ctx.table<Entity>('migration_entities');
    for (const row of drafts) entities.insert({ ...row, bulk_import_id: migration.id });
    return ctx.one(view(ctx, migration));
  },

  cancel: (ctx) => {
    const row = meant(ctx);
    const { status } = view(ctx, row);
    if (status === 'finished' || status === 'failed')
      throw ctx.badRequest(`a migration that has ${status} can't be canceled`);
    if (status !== 'canceled') ctx.table<Migration>('migrations').update(row, { canceled_at: ctx.time() });
    return ctx.one(view(ctx, row), 200);
  },
});
