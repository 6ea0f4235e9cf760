/** Migrations from other instances (section 4.3). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { invalidAt } from '../../core/http-error.ts';
import { defined, findById } from '../../core/lookup.ts';
import { ordered } from '../../core/order.ts';
import type { Hash } from '../../core/request/params.ts';
import type { Group } from '../../core/rows.ts';
import { cannotBeBlank, isHttpUrl } from '../../core/validation.ts';
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

/** Return the migrations of the caller. Administrators see all. */
const migrationsOf = (ctx: RequestContext): Migration[] =>
  ctx
    .table<Migration>('migrations')
    .filter((row) => ctx.hasRole('administrator') || row.user_id === ctx.requireUser().id);

const findMigration = (ctx: RequestContext): Migration => findById(ctx, migrationsOf(ctx), 'id', 'Migration');

const findEntity = (ctx: RequestContext): Entity =>
  findById(ctx, entitiesOf(ctx, findMigration(ctx)), 'entity_id', 'Entity');

function view(ctx: RequestContext, row: Migration) {
  const entities = entitiesOf(ctx, row);
  const { status, since } = migrationStage(row, entities, ctx.now());
  const has_failures = entities.some((entity) => hasFailed(entity, entityStage(entity, row, ctx.now())));
  return { ...row, status, updated_at: since, has_failures };
}

function entityView(ctx: RequestContext, row: Entity) {
  const migration = defined(ctx.table<Migration>('migrations').get(row.bulk_import_id));
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

/** Filter by status and sort by creation date, newest first by default. */
function filterAndSort<T extends Listed>(ctx: RequestContext, rows: readonly T[]): T[] {
  const status = ctx.params.text('status');
  const wanted = rows.filter((row) => status === undefined || row.status === status);
  return ordered(wanted, (row) => Date.parse(row.created_at), ctx.params.text('sort'));
}

const pathPattern = /^[A-Za-z0-9_.][\w.-]*(\/[A-Za-z0-9_.][\w.-]*)*$/;
const slugPattern = /^[A-Za-z0-9_][\w.-]*$/;

function sourceUrl(configuration: Hash): URL {
  if (!String(configuration['access_token']).trim())
    throw invalidAt(['configuration', 'access_token'], ...cannotBeBlank);
  const text = String(configuration['url']);
  if (!isHttpUrl(text)) throw invalidAt(['configuration', 'url'], 'must be an http or https URL');
  return new URL(text);
}

/** Return a URL unchanged except for a user name and password in it. */
function withoutCredentials(url: URL, given: string): string {
  if (!url.username && !url.password) return given;
  const clean = new URL(url);
  clean.username = '';
  clean.password = '';
  return given.endsWith('/') ? clean.href : clean.href.replace(/\/$/, '');
}

/** Return the row of a new entity. @throws HttpError 400 if a path is invalid, 422 if the caller cannot write to the destination */
function newEntity(ctx: RequestContext, source: URL, given: Hash): Omit<Entity, 'id' | 'bulk_import_id'> {
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
    throw invalidAt(['entities', 'destination_slug'], 'must be the path of a group or project');
  const namespace = text('destination_namespace');
  const destination = ctx
    .table<Group>('groups')
    .find((group) => group.full_path.toLowerCase() === namespace.toLowerCase());
  if (!destination || !hasRoleIn(ctx, destination, 'maintainer')) {
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
    destination_namespace: destination.full_path,
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
    const rows = migrationsOf(ctx).map((row) => view(ctx, row));
    return ctx.list(filterAndSort(ctx, rows));
  },

  get: (ctx) => ctx.one(view(ctx, findMigration(ctx))),

  entities: (ctx) => {
    const rows = entitiesOf(ctx, findMigration(ctx)).map((row) => entityView(ctx, row));
    return ctx.list(filterAndSort(ctx, rows));
  },

  'all-entities': (ctx) => {
    const entities = migrationsOf(ctx).flatMap((row) => entitiesOf(ctx, row));
    const rows = entities.map((row) => entityView(ctx, row));
    return ctx.list(filterAndSort(ctx, rows));
  },

  entity: (ctx) => ctx.one(entityView(ctx, findEntity(ctx))),

  failures: (ctx) => {
    const [failure] = entityView(ctx, findEntity(ctx)).failures;
    return failure ? ctx.one(failure) : ctx.json(200, []);
  },

  /** The token of the source is validated but not stored: the sandbox contacts no other service. */
  create: (ctx) => {
    const configuration = defined(ctx.params.hash('configuration'));
    const source = sourceUrl(configuration);
    const rows = defined(ctx.params.rows('entities')).map((row) => newEntity(ctx, source, row));
    if (rows.length === 0) throw invalidAt(['entities'], ...cannotBeBlank);
    const migration = ctx.table<Migration>('migrations').insert({
      user_id: ctx.requireUser().id,
      source_type: 'service',
      source_url: withoutCredentials(source, String(configuration['url'])),
      created_at: ctx.time(),
      canceled_at: null,
    });
    const entities = ctx.table<Entity>('migration_entities');
    for (const row of rows) entities.insert({ ...row, bulk_import_id: migration.id });
    return ctx.one(view(ctx, migration));
  },

  cancel: (ctx) => {
    const row = findMigration(ctx);
    const { status } = view(ctx, row);
    if (status === 'finished' || status === 'failed')
      throw ctx.badRequest(`a ${status} migration cannot be canceled`);
    if (status !== 'canceled') ctx.table<Migration>('migrations').update(row, { canceled_at: ctx.time() });
    return ctx.one(view(ctx, row), 200);
  },
});
