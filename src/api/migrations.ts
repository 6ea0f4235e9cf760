import { area, inArea } from '../spec/compose.ts';
import { listOf, one, wholeListOf } from '../spec/endpoint.ts';
import { bool, choice, datetime, hash, int, object, rows, secret, text, url } from '../spec/field.ts';

export const migration = {
  id: int('Migration id'),
  status: choice(['created', 'started', 'finished', 'failed', 'canceled'], 'Status'),
  source_type: text('Type of the source service'),
  source_url: url('URL of the source instance'),
  created_at: datetime('Creation time'),
  updated_at: datetime('Time of the last change'),
  has_failures: bool('At least one item was not copied'),
};

const relation = text('Part of the entity, such as labels');
const cause = {
  exception_message: text('Error message'),
  exception_class: text('Class of the exception'),
  correlation_id_value: text('Correlation id in the logs of the service'),
};

const entity = {
  id: int('Entity id'),
  bulk_import_id: int('Migration id'),
  status: choice(['created', 'started', 'finished', 'failed'], 'Status'),
  entity_type: choice(['group', 'project'], 'Type of the source'),
  source_full_path: text('Full path on the source instance'),
  destination_full_path: text('Full path on this instance'),
  destination_name: text('Last part of the new path', { deprecated: 'use destination_slug' }),
  destination_slug: text('Last part of the new path'),
  destination_namespace: text('Full path of the parent group'),
  parent_id: int('Entity id of the parent group', { nullable: true }),
  namespace_id: int('Id of the new group', { nullable: true }),
  project_id: int('Id of the new project', { nullable: true }),
  created_at: datetime('Creation time'),
  updated_at: datetime('Time of the last change'),
  failures: rows('Failures of the copy', {
    relation,
    step: text('Name of the failed step'),
    ...cause,
    created_at: datetime('Time of the failure'),
    pipeline_class: text('Pipeline class of the step'),
    pipeline_step: text('Type of the step: extractor, transformer or loader'),
  }),
  migrate_projects: bool('Projects of the group included'),
  migrate_memberships: bool('Members included'),
  has_failures: bool('At least one item was not copied'),
  stats: object('Source, fetched and imported counts for each part, such as labels'),
};

const failure = {
  relation,
  ...cause,
  source_url: url('Web page of the item on the source instance', { nullable: true }),
  source_title: text('Title of the item on the source instance', { nullable: true }),
};

const filters = {
  status: choice(['created', 'started', 'finished', 'failed'], 'Only results with this status'),
  sort: choice(['asc', 'desc'], 'Sort by creation time: asc for oldest first, desc for newest first', {
    default: 'desc',
  }),
};

const columns = [
  'id',
  'status',
  { path: 'has_failures', label: 'FAILURES' },
  { path: 'source_url', label: 'SOURCE' },
  'created_at',
  'updated_at',
] as const;
const entityColumns = [
  'status',
  { path: 'entity_type', label: 'TYPE' },
  { path: 'source_full_path', label: 'SOURCE' },
  { path: 'destination_full_path', label: 'DESTINATION' },
  { path: 'has_failures', label: 'FAILURES' },
  'updated_at',
] as const;

const endpoint = inArea('migrations', {
  noun: 'migration',
  fields: migration,
  columns,
  details: columns,
  slots: { entity_id: int('Entity id from `migrations entities`') },
  sample: '23',
});

export const listMigrations = endpoint('GET bulk_imports', {
  summary: 'List migrations, newest first',
  takes: filters,
  examples: { 'List failed migrations': '--status failed' },
});

export const getMigration = endpoint('GET bulk_imports/:id', {
  background: 'outcome',
  examples: { 'Print only the status for a script': '22 --fields status -o tsv --no-header' },
});

export const listEntities = endpoint('GET bulk_imports/:id/entities', {
  summary: 'List groups and projects of a migration',
  takes: filters,
  noun: 'entity',
  returns: listOf(entity),
  columns: ['id', ...entityColumns],
  examples: { 'List failed groups and projects': '22 --status failed' },
});

export const listFailures = endpoint('GET bulk_imports/:id/entities/:entity_id/failures', {
  summary: 'Show failures of a group or project in a migration',
  noun: 'failure',
  returns: { ...wholeListOf(failure), orOne: true },
  columns: [
    { path: 'relation', kind: 'name' },
    { path: 'source_title', label: 'TITLE' },
    { path: 'exception_class', label: 'ERROR' },
    { path: 'exception_message', label: 'MESSAGE' },
    { path: 'correlation_id_value', label: 'CORRELATION' },
    { path: 'source_url', label: 'SOURCE' },
  ],
  examples: {
    'Print the correlation ids for a log search': '22 221 --fields correlation_id_value -o tsv --no-header',
  },
});

export const createMigration = endpoint('POST bulk_imports', {
  summary: 'Copy groups or projects from another instance',
  doc: 'The service copies in the background. Use `migrations get` and `migrations entities` to check the progress. Copying a single project is in beta.',
  takes: {
    configuration: hash(
      'Source instance and its access token',
      {
        url: url('Base URL of the source instance', { required: true }),
        access_token: secret('Access token for the source instance', { required: true }),
      },
      { required: true },
    ),
    entities: rows(
      'Groups and projects to copy, with their destinations',
      {
        source_type: choice(['group_entity', 'project_entity'], 'Type of the source', { required: true }),
        source_full_path: text('Full path on the source instance', { required: true }),
        destination_slug: text('Last part of the new path', { required: true }),
        destination_namespace: text('Full path of an existing group for the copy', { required: true }),
        destination_name: text('Last part of the new path', { deprecated: 'use destination_slug' }),
        migrate_projects: bool('Projects of the group included; ignored for a project', { default: true }),
        migrate_memberships: bool('Members included', { default: true }),
      },
      { required: true },
    ),
  },
  background: 'outcome',
  done: 'Started migration {id} from {configuration.url}',
  examples: {
    'Copy a group with its projects, with the source token from a file':
      '--configuration url=https://old.example.com --source-token-file notes.txt --entity source_type=group_entity,source_full_path=tools,destination_slug=tools,destination_namespace=acme',
  },
});

export default area(
  [
    listMigrations,
    getMigration,
    listEntities,
    endpoint('GET bulk_imports/entities', {
      command: 'all-entities',
      summary: 'List groups and projects of all migrations',
      takes: filters,
      noun: 'entity',
      returns: listOf(entity),
      columns: ['id', { path: 'bulk_import_id', label: 'MIGRATION', kind: 'id' }, ...entityColumns],
      examples: {
        'Print the source and destination paths as CSV':
          '--status finished --fields source_full_path,destination_full_path --csv',
      },
    }),
    endpoint('GET bulk_imports/:id/entities/:entity_id', {
      command: 'entity',
      summary: 'Show one group or project of a migration',
      returns: one(entity),
      examples: { 'Print the number of copied items of each type': '21 211 --fields stats --json' },
    }),
    listFailures,
    createMigration,
    endpoint('POST bulk_imports/:id/cancel', {
      summary: 'Cancel a migration',
      confirm: 'yes',
      done: 'Canceled migration {id}',
    }),
  ],
  'A migration copies groups and projects from another instance by direct transfer. This instance downloads the data from the source instance. Each copied group or project is an entity of the migration.',
);
