/** Migrations from other instances (section 4.3). */
import { hasRoleIn } from '../../core/access.ts';
import { type Collection, collection, createRow, findRow, rowsOf } from '../../core/collection.ts';
import { type AreaHandlers, type Context, jsonResponse, one } from '../../core/context.ts';
import { badRequest, httpError, invalidAt } from '../../core/http-error.ts';
import { defined } from '../../core/lookup.ts';
import type { Hash } from '../../core/request/params.ts';
import type { Group } from '../../core/rows.ts';
import { cannotBeBlank, isHttpUrl } from '../../core/validation.ts';
import {
  type Entity,
  entityStage,
  failureOf,
  hasFailed,
  type Migration,
  migrationStage,
  statsOf,
} from './migration.ts';

const entitiesOf = (ctx: Context, { id }: Migration): Entity[] =>
  ctx.table<Entity>('migration_entities').filter((row) => row.bulk_import_id === id);

function view(ctx: Context, row: Migration) {
  const entities = entitiesOf(ctx, row);
  const { status, since } = migrationStage(row, entities, ctx.now());
  const has_failures = entities.some((entity) => hasFailed(entity, entityStage(entity, row, ctx.now())));
  return { ...row, status, updated_at: since, has_failures };
}

function entityView(ctx: Context, row: Entity) {
  const migration = defined(ctx.table<Migration>('migrations').get(row.bulk_import_id));
  const stage = entityStage(row, migration, ctx.now());
  const has_failures = hasFailed(row, stage);
  return {
    ...row,
    status: stage.status,
    destination_full_path: `${row.destination_namespace}/${row.destination_slug}`,
    updated_at: stage.since,
    failures: has_failures ? [failureOf(row, migration)] : [],
    has_failures,
    stats: statsOf(row, stage),
  };
}

const pathPattern = /^[A-Za-z0-9_.][\w.-]*(\/[A-Za-z0-9_.][\w.-]*)*$/;
const slugPattern = /^[A-Za-z0-9_][\w.-]*$/;

function sourceUrl(configuration: Hash): string {
  if (!String(configuration['access_token']).trim())
    throw invalidAt(['configuration', 'access_token'], ...cannotBeBlank);
  const url = String(configuration['url']);
  if (!isHttpUrl(url) || !/^https?:\/\//i.test(url))
    throw invalidAt(['configuration', 'url'], 'must be an http or https URL');
  // A user name and password are not stored.
  return url.replace(/^(\w+:\/\/)[^/?#\\]*@/, '$1');
}

function newEntity(ctx: Context, source: string, given: Hash): Omit<Entity, 'id' | 'bulk_import_id'> {
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
    throw httpError(
      422,
      `Import failed. Destination '${namespace}' is invalid, or you don't have permission.`,
    );
  }
  const fails = new URL(source).hostname === 'fail.example' || path.includes('missing');
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

const migrated: Collection<Migration> = {
  table: 'migrations',
  visible: (ctx, row) => ctx.hasRole('administrator') || row.user_id === ctx.requireUser().id,
  filters: { status: (value, ctx) => (row) => view(ctx, row).status === value },
  order: '-created_at',
  view,
  changes: (ctx) => {
    return {
      user_id: ctx.requireUser().id,
      source_type: 'service',
      source_url: sourceUrl(defined(ctx.params.hash('configuration'))),
      created_at: ctx.time(),
      canceled_at: null,
    };
  },
};

const entities: Collection<Entity> = {
  table: 'migration_entities',
  title: 'Entity',
  rows: (ctx) => {
    const parents = ctx.slots.has('id') ? [findRow(ctx, migrated)] : rowsOf(ctx, migrated);
    return parents.flatMap((parent) => entitiesOf(ctx, parent));
  },
  find: ({ slots }, rows) => rows.find(({ id }) => id === slots.number('entity_id')),
  filters: { status: (value, ctx) => (row) => entityView(ctx, row).status === value },
  order: '-created_at',
  view: entityView,
};

export const migrations: AreaHandlers = {
  area: 'migrations',
  collection: collection(migrated),
  handlers: {
    entities: collection(entities),
    'all-entities': collection(entities),
    entity: collection(entities),

    failures: (ctx) => {
      const [failure] = entityView(ctx, findRow(ctx, entities)).failures;
      return failure ? one(ctx, failure) : jsonResponse(200, []);
    },

    /** The token of the source is validated but not stored: the sandbox contacts no other service. */
    create: async (ctx) => {
      const source = sourceUrl(defined(ctx.params.hash('configuration')));
      const rows = defined(ctx.params.list<Hash>('entities')).map((row) => newEntity(ctx, source, row));
      if (rows.length === 0) throw invalidAt(['entities'], ...cannotBeBlank);
      const migration = await createRow(ctx, migrated);
      const table = ctx.table<Entity>('migration_entities');
      for (const row of rows) table.insert({ ...row, bulk_import_id: migration.id });
      return one(ctx, migration, migrated);
    },

    cancel: (ctx) => {
      const row = findRow(ctx, migrated);
      const { status } = view(ctx, row);
      if (status === 'finished' || status === 'failed')
        throw badRequest(`a ${status} migration cannot be canceled`);
      if (status !== 'canceled') ctx.table<Migration>('migrations').update(row, { canceled_at: ctx.time() });
      return one(ctx, row, migrated, 200);
    },
  },
};
