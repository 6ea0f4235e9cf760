/** `migrations report`: the failures of a migration, grouped by class and relation. */
import { listFailures } from '../../api/migrations.ts';
import { counted } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { type Result, rowsResult } from '../../spec/result.ts';
import { isRecord } from '../../support/record.ts';
import type { TaskContext } from '../context.ts';
import { entitiesCall, prepareMigration, readEntities, textOf } from './entities.ts';
import { groups } from './outputs.ts';

interface Group {
  readonly exception_class: string;
  readonly relation: string;
  count: number;
  readonly entities: string[];
  readonly exception_message: string;
  readonly correlation_id_value: string;
}

/** The failures of an entity. A service may list them in their own call only. */
async function failuresOf(task: TaskContext, { slots }: Call, entity: Row): Promise<Row[]> {
  const inline = Array.isArray(entity['failures']) ? entity['failures'].filter(isRecord) : [];
  if (inline.length > 0 || entity['has_failures'] !== true) return inline;
  const call: Call = {
    endpoint: listFailures,
    slots: { ...slots, entity_id: textOf(entity, 'id') },
    values: {},
  };
  const value: unknown = JSON.parse(await task.text(call));
  return (Array.isArray(value) ? value : [value]).filter(isRecord);
}

/** Group failures by class and relation, the most frequent first. */
export function groupFailures(failures: readonly (readonly [entity: string, failure: Row])[]): Group[] {
  const byKey = new Map<string, Group>();
  for (const [entity, failure] of failures) {
    const exception_class = textOf(failure, 'exception_class');
    const relation = textOf(failure, 'relation');
    const key = JSON.stringify([exception_class, relation]);
    const known = byKey.get(key);
    if (known) {
      known.count += 1;
      if (!known.entities.includes(entity)) known.entities.push(entity);
      continue;
    }
    byKey.set(key, {
      exception_class,
      relation,
      count: 1,
      entities: [entity],
      exception_message: textOf(failure, 'exception_message'),
      correlation_id_value: textOf(failure, 'correlation_id_value'),
    });
  }
  return [...byKey.values()].sort((a, b) => b.count - a.count);
}

/** Read the failures, and group them. */
export async function reportFailures(task: TaskContext): Promise<Result> {
  const call = await prepareMigration(task);
  if (task.dryRun) return task.requests([call, entitiesCall(call)]);
  const status = textOf((await task.call(call)).value, 'status');
  const entities = await readEntities(task, call);
  const failures: [string, Row][] = [];
  for (const entity of entities)
    for (const failure of await failuresOf(task, call, entity))
      failures.push([textOf(entity, 'source_full_path'), failure]);
  const failed = entities.filter((row) => row['status'] === 'failed').length;
  const text = `Migration ${call.slots['id']} (${status}): ${counted(failures.length, 'failure')}, ${failed} of ${counted(entities.length, 'entity')} failed`;
  return rowsResult(groupFailures(failures), groups, { notes: [{ how: 'say', text }] });
}
