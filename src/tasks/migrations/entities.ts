/** The entities of a migration, for `migrations watch` and `migrations report`. */
import { getMigration, listEntities } from '../../api/migrations.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import type { TaskContext } from '../context.ts';

/** Validate the id of the command line. @throws Failure `usage` */
export function prepareMigration(task: TaskContext): Promise<Call> {
  return task.prepare({ endpoints: [getMigration] });
}

export const entitiesCall = ({ slots }: Call): Call => ({ endpoint: listEntities, slots, values: {} });

/** Read the entities, oldest first. */
export async function readEntities(task: TaskContext, migration: Call): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of task.rows(entitiesCall(migration))) rows.push(row);
  return rows.sort((a, b) => Number(a['id']) - Number(b['id']));
}

export const textOf = (row: Row, name: string): string => {
  const value = row[name];
  return value === null || value === undefined ? '' : String(value);
};

/** `group legacy` */
export const entityName = (row: Row): string =>
  `${textOf(row, 'entity_type')} ${textOf(row, 'source_full_path')}`.trim();
