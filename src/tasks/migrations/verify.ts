/** `migrations verify`: whether everything of the source arrived. */
import { getMigration } from '../../api/migrations.ts';
import { Failure } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import type { Row } from '../../spec/resource.ts';
import { type Result, rowsResult, sayNote } from '../../spec/result.ts';
import { isRecord } from '../../support/record.ts';
import type { TaskContext } from '../context.ts';
import { entitiesCall, failuresOf, readEntities } from './entities.ts';
import { verified } from './wait.ts';

/** What a migration never copies, whatever its result. */
const neverCopied =
  'never copied: variables with their values, webhooks with their tokens, tokens and keys, runners, container images and packages';

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The parts of an entity. A part without counts is known by its failures. */
export function partsOf({ source_full_path, stats }: Row, failures: readonly Row[]) {
  const counts = isRecord(stats) ? stats : {};
  const relations = new Set([...Object.keys(counts), ...failures.map(({ relation }) => String(relation))]);
  return [...relations].map((relation) => {
    const count = isRecord(counts[relation]) ? counts[relation] : {};
    const [source, fetched, imported] = ['source', 'fetched', 'imported'].map((name) =>
      numberOf(count[name]),
    );
    const failed = failures.filter((row) => row['relation'] === relation).length;
    const isWhole = source === fetched && source === imported && failed === 0;
    const entity = String(source_full_path);
    return {
      result: isWhole ? 'ok' : 'missing',
      entity,
      relation,
      source,
      fetched,
      imported,
      failures: failed,
    };
  });
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
  const name = `migration ${call.slots['id']}`;
  const failed = entities.filter(({ status }) => status === 'failed').length;
  const problem =
    value['status'] !== 'finished'
      ? `${name} is ${value['status']}`
      : failed > 0
        ? `${failed} of ${counted(entities.length, 'entity')} of ${name} failed`
        : missing > 0
          ? `${missing} of ${counted(rows.length, 'part')} of ${name} did not arrive as a whole`
          : undefined;
  const hint = `for the failures: ${task.resumeCommand(['migrations', 'report', String(call.slots['id'])])}`;
  return rowsResult(rows, verified, {
    notes: [sayNote(`${counted(entities.length, 'entity')} read; ${neverCopied}`)],
    failure: problem === undefined ? undefined : new Failure('unsuccessful', problem, { hint }),
  });
}
