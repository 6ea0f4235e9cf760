/** The tasks of `svc migrations`. `create` takes the token of the source, which must not be on the command line. */
import { createMigration, listEntities } from '../../api/migrations.ts';
import { forPerson, usage } from '../../errors.ts';
import { computedRows } from '../../spec/compose.ts';
import { type Endpoint, returnedFields } from '../../spec/endpoint.ts';
import { int, keysOf, list, pick, text } from '../../spec/field.ts';
import type { Call, Values } from '../../spec/request.ts';
import { isRecord } from '../../support/record.ts';
import { type Response, type Task, type TaskContext, type TaskLine, taskCommand } from '../context.ts';
import { waitTimeout } from '../engine/flags.ts';
import { attributeOf, waitable } from '../engine/wait.ts';

const variable = 'SVC_SOURCE_TOKEN';
const tokenLimit = 64 * 1024;

/** Add a flag for the source token. */
export function present(one: Endpoint) {
  if (one !== createMigration) return one;
  const { configuration, ...takes } = one.takes;
  const { url } = keysOf(configuration) ?? {};
  return {
    ...one,
    doc: `${one.doc} The access token for the source is read from ${variable}.`,
    usage: `A file or a hidden prompt can provide it instead, but not the command line, which other users can read.`,
    takes: {
      ...(configuration && url ? { configuration: { ...configuration, keys: { url } } } : {}),
      source_token_file: text(
        `File that contains the access token for the source (default: ${variable}, or a hidden prompt)`,
        { placeholder: 'path', local: true },
      ),
      ...takes,
    },
  };
}

/** Reject a token on the command line, without repeating it. */
function rejectLiteral({ fields: { configuration }, options: { data } }: TaskLine): void {
  // A comma does not separate keys here, so a token after one would become part of the URL.
  const isLiteral =
    (typeof configuration === 'object' && configuration.some((word) => /(^|,)access_token=/.test(word))) ||
    (data?.includes('access_token') === true && !data.startsWith('@'));
  if (isLiteral)
    throw usage('the token of the source must not be on the command line, which other users can read', [
      ...forPerson(`use --source-token-file <path> or ${variable}, or run this on a terminal for a prompt`),
      'request not sent',
    ]);
}

async function sourceToken(task: TaskContext): Promise<string> {
  const file = task.line.fields['source_token_file'];
  if (typeof file === 'string') {
    const bytes = await task.read(file, '--source-token-file', tokenLimit);
    return checked(Buffer.from(bytes).toString('utf8'), `--source-token-file ${file}`);
  }
  const given = task.env(variable);
  if (given) return checked(given, variable);
  const typed = await task.askSecret('Access token for the source (hidden): ');
  if (typed !== undefined) return checked(typed, 'the token');
  throw usage(
    'the access token for the source is missing',
    forPerson(`set ${variable}, or use migrations create with --source-token-file <path>`),
  );
}

function checked(typed: string, from: string): string {
  const token = typed.trim();
  if (token === '' || token === '-') throw usage(`${from} contains no token`);
  if (/[\0-\x1f\x7f]/.test(token))
    throw usage(`${from} contains more than a token`, 'expected a single line');
  return token;
}

async function prepareCreation(task: TaskContext): Promise<Call> {
  const { line } = task;
  rejectLiteral(line);
  const { source_token_file: file, ...fields } = line.fields;
  const { slots, values } = await task.prepare(file === undefined ? {} : { line: { fields } });
  const { configuration } = values;
  const source = isRecord(configuration) ? (configuration as Values) : {};
  const given = file === undefined ? source['access_token'] : undefined;
  const access_token = String(given ?? (await sourceToken(task)));
  task.conceal([access_token]);
  return {
    endpoint: createMigration,
    slots,
    values: { ...values, configuration: { ...source, access_token } },
  };
}

const waitForMigration = async (task: TaskContext, id: string, start: Response) =>
  (await import('./entities.ts')).waitForMigration(task, id, start);

const create: Task = waitable(async (task, call) => {
  const created = await task.call(call);
  task.confirmed(call, created);
  return waitForMigration(task, attributeOf(created.value, 'id'), created);
}, prepareCreation);

const get: Task = waitable(async (task, call) =>
  waitForMigration(task, call.slots['id'] ?? '', await task.call(call)),
);

export const runners = { create, get };

const entity = returnedFields(listEntities);

/** The rows of `migrations watch`. */
const outcomes = computedRows(
  'entity',
  {
    ...pick(entity, 'id', 'status', 'entity_type', 'source_full_path', 'destination_full_path'),
    imported: int('Number of items that were copied'),
    source: int('Number of items on the source instance'),
    ...pick(entity, 'has_failures'),
  },
  {
    entity_type: { label: 'TYPE' },
    source_full_path: { label: 'SOURCE' },
    destination_full_path: { label: 'DESTINATION' },
    source: { label: 'ITEMS' },
    has_failures: { label: 'FAILURES' },
  },
);

/** The rows of `migrations report`. */
const groups = computedRows(
  'failure',
  {
    exception_class: text('Class of the exception'),
    relation: text('Part of the entity, such as labels'),
    count: int('Number of failures'),
    entities: list(text('Path'), 'Full paths of the groups and projects on the source instance'),
    exception_message: text('Message of the first failure'),
    correlation_id_value: text('Correlation id of the first failure in the logs of the service'),
  },
  {
    exception_class: { label: 'ERROR', kind: 'name' },
    exception_message: { label: 'MESSAGE' },
    correlation_id_value: { label: 'CORRELATION' },
  },
);

/** The rows of `migrations verify`. */
const verified = computedRows(
  'part',
  {
    result: text(
      'ok, missing if the counts differ or something failed, unknown without counts, or the status of an entity that is not finished',
    ),
    entity: text('Full path on the source instance'),
    relation: text('Part of the entity, such as labels', { nullable: true }),
    source: int('Items on the source instance', { nullable: true }),
    fetched: int('Items that were read', { nullable: true }),
    imported: int('Items that arrived', { nullable: true }),
    failures: int('Failures of this part'),
  },
  { result: { kind: 'mark' }, entity: { keep: true }, relation: { keep: true } },
);

const of = { id: int('Migration id from `migrations list`', { suggest: 'migrations/list/id' }) };

const watchCommand = taskCommand({
  name: 'watch',
  polls: true,
  args: '<id>',
  of,
  summary: 'Follow a migration to its end; exit 9 if it or one of its entities failed',
  doc: 'Reports each group and project when it has ended, and prints all of them at the end.',
  exits: ['unsuccessful'],
  flags: { 'wait-timeout': waitTimeout('Time to wait for the migration to end') },
  prints: outcomes,
  tool: {
    flags: ['wait-timeout'],
    summary: 'Wait until a migration has ended, and list its groups and projects',
    doc: 'The status of each row says whether it succeeded.',
    wait: 50,
  },
  examples: {
    'Follow a migration': '21',
    'Print the new paths for a script': '21 --fields destination_full_path -o tsv --no-header',
  },
  run: async (task) => (await import('./entities.ts')).watchMigration(task),
});

const reportCommand = taskCommand({
  name: 'report',
  args: '<id>',
  of,
  summary: 'List the failures of a migration, grouped by error and relation',
  doc: 'Message and correlation id are those of the first failure of each group. `migrations failures` lists the failures of one group or project.',
  prints: groups,
  tool: { flags: [] },
  examples: {
    'Show why a migration failed': '22',
    'Export the groups to a spreadsheet': '22 --csv --csv-safe',
  },
  run: async (task) => (await import('./entities.ts')).reportFailures(task),
});

const verifyCommand = taskCommand({
  name: 'verify',
  args: '<id>',
  of,
  summary: 'Compare what a migration copied with its source; exit 9 if something is missing',
  doc: 'Compares the counts of the source with those that were fetched and imported, for each part of each group and project, and names what the API never copies.',
  exits: ['unsuccessful'],
  prints: verified,
  tool: { flags: [], summary: 'Compare what a migration copied with its source' },
  examples: {
    'Check that everything arrived': '21',
    'Print the counts as csv': '21 --fields relation,source,imported -o csv',
  },
  run: async (task) => (await import('./entities.ts')).verifyMigration(task),
});

export const commands = [watchCommand, reportCommand, verifyCommand];
