/** `--wait`, `migrations watch`, `report` and `verify`: the entities of a migration, their failures, and whether everything arrived. */
import { getMigration, listEntities, listFailures } from '../../api/migrations.ts';
import { Failure, forPerson } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { type Note, type Result, rowsResult, sayNote } from '../../spec/result.ts';
import { groupBy, isRecord, part } from '../../support/record.ts';
import type { Response, TaskContext } from '../context.ts';
import { allRows } from '../engine/codecs.ts';
import { attributeOf, fetchUntilEnd, timeoutOf } from '../engine/wait.ts';

const entitiesCall = ({ slots }: Call): Call => ({ endpoint: listEntities, slots, values: {} });

async function readEntities(task: TaskContext, migration: Call): Promise<Row[]> {
  const rows = await allRows(task.rows(entitiesCall(migration), { mayChange: true }));
  return rows.sort((a, b) => Number(a['id']) - Number(b['id']));
}

const textOf = (row: Row, name: string): string => String(row[name] ?? '');

/** `group legacy` */
const entityName = (row: Row): string =>
  `${textOf(row, 'entity_type')} ${textOf(row, 'source_full_path')}`.trim();

const defaultSeconds = 3600;

function total(row: Row, name: 'source' | 'imported'): number {
  const stats = isRecord(row['stats']) ? Object.values(row['stats']) : [];
  return stats.reduce((sum: number, one) => sum + (Number(isRecord(one) ? one[name] : 0) || 0), 0);
}

const outcomeOf = (row: Row) => ({
  id: row['id'],
  status: row['status'],
  entity_type: row['entity_type'],
  source_full_path: row['source_full_path'],
  destination_full_path: row['destination_full_path'],
  imported: total(row, 'imported'),
  source: total(row, 'source'),
  has_failures: row['has_failures'] === true,
});

const isOpen = (status: unknown): boolean => status === 'created' || status === 'started';

/** The entities with failures, and those that are not finished. Open ones count only after the end of the migration. */
const failedOf = (migration: Row, entities: readonly Row[]): Row[] =>
  entities.filter(
    ({ status, has_failures }) =>
      has_failures === true || (status !== 'finished' && !(isOpen(status) && isOpen(migration['status']))),
  );

/** Wait for the end of a migration, and return it, with a failure if it or an entity failed. @param start its state */
export async function waitForMigration(task: TaskContext, id: string, start: Response): Promise<Result> {
  const call = { endpoint: getMigration, slots: { id }, values: {} };
  const polled = {
    name: `migration ${id}`,
    resume: task.resumeCommand(['migrations', 'get', id, '--wait']),
    fetch: () => task.call(call),
    start,
    stateOf({ value }: Response) {
      const status = attributeOf(value, 'status');
      return { status, ended: !isOpen(status) };
    },
  };
  const { value, late } = await fetchUntilEnd(task, polled, timeoutOf(task));
  const failure = late ?? failureOf(task, id, value.value, await readEntities(task, call));
  const notes: Note[] = [{ how: 'done', text: `Finished migration ${id}` }];
  return task.response(value, getMigration, failure ? { failure } : { notes });
}

/** Follow the migration, and return its entities, with a failure if it or an entity failed. */
export async function watchMigration(task: TaskContext): Promise<Result> {
  const timeout = timeoutOf(task, defaultSeconds);
  const call = await task.prepare({ endpoints: [getMigration] });
  const id = call.slots['id'] ?? '';
  if (task.dryRun) return task.requests([call, entitiesCall(call)]);
  const arrow = task.unicode ? '→' : '->';
  /** The entities that have ended. Each is reported once. */
  const reported = new Set<unknown>();
  const polled = {
    name: `migration ${id}`,
    resume: task.resumeCommand(['migrations', 'watch', id]),
    // The status is read first: entities that are read after the end are final.
    fetch: async () => ({
      migration: (await task.call(call)).value,
      entities: await readEntities(task, call),
    }),
    stateOf({ migration, entities }: { migration: Row; entities: readonly Row[] }) {
      const status = textOf(migration, 'status');
      const open = entities.filter((row) => isOpen(row['status']));
      for (const row of entities) {
        if (open.includes(row) || reported.has(row['id'])) continue;
        reported.add(row['id']);
        task.note(`${row['status']}: ${entityName(row)} ${arrow} ${textOf(row, 'destination_full_path')}`);
      }
      const ended = `${entities.length - open.length} of ${counted(entities.length, 'entity')} ended`;
      const next = open.find((row) => row['status'] === 'started') ?? open[0];
      const current = next === undefined ? '' : `, copying ${entityName(next)}`;
      return { status: `${status}, ${ended}${current}`, ended: !isOpen(status) };
    },
  };
  const { value, late } = await fetchUntilEnd(task, polled, timeout);
  const { migration, entities } = value;
  const rows = entities.map(outcomeOf);
  const failure = late ?? failureOf(task, id, migration, entities);
  if (failure) return rowsResult(rows, task.command.prints, { failure });
  const text = `Finished migration ${id}: ${counted(entities.length, 'entity')}`;
  return rowsResult(rows, task.command.prints, { notes: [{ how: 'done', text }] });
}

/** The failure of a migration, of its entities or of their parts; undefined without one. @param more a problem with its parts */
function failureOf(task: TaskContext, id: string, migration: Row, entities: readonly Row[], more = '') {
  const { status, has_failures } = migration;
  const failed = failedOf(migration, entities).length;
  const problems = [
    status === 'finished' ? '' : `migration ${id} is ${status}`,
    entities.length === 0 ? `migration ${id} has no entities` : '',
    failed > 0 ? `${failed} of ${counted(entities.length, 'entity')} of migration ${id} failed` : '',
    more,
    has_failures === true ? `migration ${id} has failures` : '',
  ];
  const problem = problems.find((text) => text !== '');
  const hint = forPerson(`for the failures: ${task.resumeCommand(['migrations', 'report', id])}`);
  return problem === undefined ? undefined : new Failure('unsuccessful', problem, { hint });
}

/** The failures of an entity. A service may list them in their own call only. */
async function failuresOf(task: TaskContext, { slots }: Call, entity: Row): Promise<Row[]> {
  const inline = Array.isArray(entity['failures']) ? entity['failures'].filter(isRecord) : [];
  if (inline.length > 0 || (entity['has_failures'] === false && entity['status'] !== 'failed')) return inline;
  const entity_id = textOf(entity, 'id');
  const call: Call = { endpoint: listFailures, slots: { ...slots, entity_id }, values: {} };
  return allRows(task.rows(call, { mayChange: true }));
}

/** Group failures by class and relation, the most frequent first. */
export function groupFailures(failures: readonly (readonly [entity: string, failure: Row])[]) {
  const keyOf = (row: Row) => JSON.stringify([textOf(row, 'exception_class'), textOf(row, 'relation')]);
  const found = [...groupBy(failures, ([, failure]) => keyOf(failure)).values()].map((alike) => {
    const failure = alike[0]?.[1] ?? {};
    return {
      exception_class: textOf(failure, 'exception_class'),
      relation: textOf(failure, 'relation'),
      count: alike.length,
      entities: [...new Set(alike.map(([entity]) => entity))],
      exception_message: textOf(failure, 'exception_message'),
      correlation_id_value: textOf(failure, 'correlation_id_value'),
    };
  });
  return found.sort((a, b) => b.count - a.count);
}

export async function reportFailures(task: TaskContext): Promise<Result> {
  const call = await task.prepare({ endpoints: [getMigration] });
  if (task.dryRun) return task.requests([call, entitiesCall(call)]);
  const { value } = await task.call(call);
  const entities = await readEntities(task, call);
  const failures: [string, Row][] = [];
  for (const entity of entities)
    for (const failure of await failuresOf(task, call, entity))
      failures.push([textOf(entity, 'source_full_path'), failure]);
  const failed = failedOf(value, entities).length;
  const text = `Migration ${call.slots['id']} (${value['status']}): ${counted(failures.length, 'failure')}, ${failed} of ${counted(entities.length, 'entity')} failed`;
  return rowsResult(groupFailures(failures), task.command.prints, { notes: [{ how: 'say', text }] });
}

/** The parts that no migration copies, whatever its result. */
const neverCopied =
  'never copied: variables with their values, webhooks with their tokens, tokens and keys, runners, container images and packages';

const measures = ['source', 'fetched', 'imported'];

/** The parts of an entity. A part without counts is known by its failures. One more row says that the entity is incomplete if no part does. */
function partsOf({ source_full_path, status, stats, has_failures }: Row, failures: readonly Row[]) {
  const counts = isRecord(stats) ? stats : {};
  const failing = failures.map((row) => textOf(row, 'relation'));
  const relations = new Set([...Object.keys(counts), ...failing]);
  const entity = String(source_full_path);
  const parts = [...relations].map((relation) => {
    const count = part(isRecord(counts[relation]) ? counts[relation] : {}, measures);
    const { source, fetched, imported } = count;
    const failed = failing.filter((one) => one === relation).length;
    const isWhole = source === fetched && source === imported && failed === 0;
    const result = !isWhole ? 'missing' : source === null ? 'unknown' : 'ok';
    return { result, entity, relation: relation || null, ...count, failures: failed };
  });
  if (parts.some(({ result }) => result !== 'ok')) return parts;
  const isFinished = status === 'finished';
  if (isFinished && has_failures !== true && parts.length > 0) return parts;
  const result = isFinished ? 'unknown' : String(status ?? 'unknown');
  return [...parts, { result, entity, relation: null, ...part({}, measures), failures: 0 }];
}

/** Compare the counts of each part, with a failure if something is missing or the migration has not finished. */
export async function verifyMigration(task: TaskContext): Promise<Result> {
  const call = await task.prepare({ endpoints: [getMigration] });
  if (task.dryRun) return task.requests([call, entitiesCall(call)]);
  const { value } = await task.call(call);
  const entities = await readEntities(task, call);
  const rows: ReturnType<typeof partsOf> = [];
  for (const entity of entities) rows.push(...partsOf(entity, await failuresOf(task, call, entity)));
  const missing = rows.filter(({ result }) => result !== 'ok').length;
  const id = String(call.slots['id']);
  const parts = `${missing} of ${counted(rows.length, 'part')} of migration ${id} missing, different or unknown`;
  return rowsResult(rows, task.command.prints, {
    notes: [sayNote(`${counted(entities.length, 'entity')} read; ${neverCopied}`)],
    failure: failureOf(task, id, value, entities, missing > 0 ? parts : ''),
  });
}
