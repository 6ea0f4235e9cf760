import { area, paging } from '../spec/compose.ts';
import { endpoint, listOf, one, oneOrMore } from '../spec/endpoint.ts';
import { bool, choice, datetime, hash, int, object, rows, secret, text, url } from '../spec/field.ts';

const migration = {
  id: int('Migration id'),
  status: choice(['created', 'started', 'finished', 'failed', 'canceled'], 'How far it has come'),
  source_type: text('Kind of service that it copies from'),
  source_url: url('Instance that it copies from'),
  created_at: datetime('When it was asked for'),
  updated_at: datetime('When it last changed'),
  has_failures: bool('Something in it could not be copied'),
};

const entity = {
  id: int('Entity id'),
  bulk_import_id: int('Migration that it is part of'),
  status: choice(['created', 'started', 'finished', 'failed'], 'How far it has come'),
  entity_type: choice(['group', 'project'], 'What is copied'),
  source_full_path: text('Where it is on the source'),
  destination_full_path: text('Where it comes to be here'),
  destination_name: text('Last part of the new path', { deprecated: 'use destination_slug' }),
  destination_slug: text('Last part of the new path'),
  destination_namespace: text('Group that it is put in'),
  parent_id: int('Entity of the group above it', { nullable: true }),
  namespace_id: int('Group that it became', { nullable: true }),
  project_id: int('Project that it became', { nullable: true }),
  created_at: datetime('When it was asked for'),
  updated_at: datetime('When it last changed'),
  failures: rows('What could not be copied', {
    relation: text('Part of the entity: labels, for one'),
    step: text('Step that failed'),
    exception_message: text('What went wrong'),
    exception_class: text('Class of the error'),
    correlation_id_value: text('What to search the logs of the service for'),
    created_at: datetime('When it failed'),
    pipeline_class: text('Class that ran the step'),
    pipeline_step: text('extractor, transformer or loader'),
  }),
  migrate_projects: bool('The projects of the group are copied too'),
  migrate_memberships: bool('The members are copied too'),
  has_failures: bool('Something in it could not be copied'),
  stats: object('Counts for each part (labels, for one): source, fetched, imported'),
};

const failure = {
  relation: text('Part of the entity: labels, for one'),
  exception_message: text('What went wrong'),
  exception_class: text('Class of the error'),
  correlation_id_value: text('What to search the logs of the service for'),
  source_url: url('Page of the item on the source', { nullable: true }),
  source_title: text('Title of the item on the source', { nullable: true }),
};

const filters = {
  status: choice(['created', 'started', 'finished', 'failed'], 'Only those that have come this far'),
  sort: choice(['asc', 'desc'], 'Oldest first (asc) or newest first', { default: 'desc' }),
  ...paging,
};

const id = int('Migration id, as `migrations list` shows it', { placeholder: 'id' });
const entityId = int('Entity id, as `migrations entities` shows it', { placeholder: 'id' });
const section = '4.3';
const columns = ['id', 'status', 'has_failures', 'source_url', 'created_at', 'updated_at'] as const;
const entityColumns = [
  'id',
  'status',
  'entity_type',
  'source_full_path',
  'destination_full_path',
  'has_failures',
  'updated_at',
] as const;

const calls = [
  endpoint('GET bulk_imports', {
    section,
    command: 'list',
    summary: 'List migrations, newest first',
    takes: filters,
    returns: listOf(migration),
    columns,
    examples: [
      { does: 'The latest', run: 'migrations list' },
      { does: 'Those that failed', run: 'migrations list --status failed' },
    ],
  }),
  endpoint('GET bulk_imports/:id', {
    section,
    command: 'get <id>',
    summary: 'Show one migration',
    slots: { id },
    returns: one(migration),
    columns,
    later: 'outcome',
    examples: [
      { does: 'How far it has come', run: 'migrations get 21' },
      {
        does: 'The status alone, for a script',
        run: 'migrations get 22 --fields status -o tsv --no-header',
      },
    ],
  }),
  endpoint('GET bulk_imports/:id/entities', {
    section,
    command: 'entities <id>',
    summary: 'List the groups and projects of one migration',
    slots: { id },
    takes: filters,
    returns: listOf(entity),
    columns: entityColumns,
    examples: [
      { does: 'What is copied where', run: 'migrations entities 21' },
      { does: 'Only those that failed', run: 'migrations entities 22 --status failed' },
    ],
  }),
  endpoint('GET bulk_imports/entities', {
    section,
    command: 'all-entities',
    summary: 'List the groups and projects of all migrations',
    takes: filters,
    returns: listOf(entity),
    columns: [entityColumns[0], 'bulk_import_id', ...entityColumns.slice(1)],
    examples: [
      { does: 'The latest', run: 'migrations all-entities' },
      {
        does: 'What was copied where, as CSV',
        run: 'migrations all-entities --status finished --fields source_full_path,destination_full_path --csv',
      },
    ],
  }),
  endpoint('GET bulk_imports/:id/entities/:entity_id', {
    section,
    command: 'entity <id> <entity-id>',
    summary: 'Show one group or project of a migration',
    slots: { id, entity_id: entityId },
    returns: one(entity),
    examples: [
      { does: 'Everything known of it', run: 'migrations entity 21 211' },
      { does: 'How many of each kind were copied', run: 'migrations entity 21 211 --fields stats --json' },
    ],
  }),
  endpoint('GET bulk_imports/:id/entities/:entity_id/failures', {
    section,
    command: 'failures <id> <entity-id>',
    summary: 'Show what could not be copied, and why',
    slots: { id, entity_id: entityId },
    returns: oneOrMore(failure),
    columns: [
      'relation',
      'source_title',
      'exception_class',
      'exception_message',
      'correlation_id_value',
      'source_url',
    ],
    examples: [
      { does: 'What went wrong', run: 'migrations failures 22 221' },
      {
        does: 'What to search the logs of the service for',
        run: 'migrations failures 22 221 --fields correlation_id_value -o tsv --no-header',
      },
    ],
  }),
  endpoint('POST bulk_imports', {
    section,
    command: 'create',
    summary: 'Copy groups or projects from another instance',
    doc: 'The service copies in the background: follow it with `migrations get` and `migrations entities`. Copying a single project is in beta.',
    takes: {
      configuration: hash(
        'The instance to copy from',
        {
          url: url('Base URL of the source instance', { required: true }),
          access_token: secret('Access token for the source instance', { required: true }),
        },
        { required: true },
      ),
      entities: rows(
        'What to copy, and where to',
        {
          source_type: choice(['group_entity', 'project_entity'], 'What is copied', { required: true }),
          source_full_path: text('Full path on the source', { required: true }),
          destination_slug: text('Last part of the new path', { required: true }),
          destination_namespace: text('Full path of the group to put it in, which must exist', {
            required: true,
          }),
          destination_name: text('Last part of the new path', { deprecated: 'use destination_slug' }),
          migrate_projects: bool('Copy the projects of the group too; of no effect on a project', {
            default: true,
          }),
          migrate_memberships: bool('Copy the members too', { default: true }),
        },
        { required: true },
      ),
    },
    returns: one(migration),
    columns,
    later: 'outcome',
    examples: [
      {
        does: 'One group with its projects; the token of the source is in a file',
        run: 'migrations create --configuration url=https://old.example.com --source-token-file notes.txt --entity source_type=group_entity,source_full_path=tools,destination_slug=tools,destination_namespace=acme',
      },
      {
        does: 'A project, without its members',
        run: 'migrations create --configuration url=https://old.example.com --source-token-file notes.txt --entity source_type=project_entity,source_full_path=tools/cli,destination_slug=cli,destination_namespace=acme,migrate_memberships=false',
      },
    ],
  }),
  endpoint('POST bulk_imports/:id/cancel', {
    section,
    command: 'cancel <id>',
    summary: 'Stop a migration',
    slots: { id },
    returns: one(migration),
    columns,
    confirm: 'yes',
    examples: [
      { does: 'Without being asked', run: 'migrations cancel 23 --yes' },
      { does: 'See the request before it is made', run: 'migrations cancel 23 --dry-run' },
    ],
  }),
] as const;

export const [, getMigration, , , , , createMigration] = calls;

export default area(
  calls,
  'A migration copies groups and projects from another instance by direct transfer: this instance fetches them itself.',
);
