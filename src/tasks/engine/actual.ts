/** The actual state: the resources that the service has. */
import { Failure } from '../../errors.ts';
import {
  isSingle,
  type Resource,
  type ResourceCalls,
  type ResourceReader,
  type Row,
  withDefaults,
} from '../../spec/resource.ts';
import { jsonText } from '../../support/json.ts';
import type { TaskContext } from '../context.ts';
import { identityKey, identityNames } from './changes.ts';
import { type Entry, slotsOf, type Target, targetName } from './model.ts';

type Reading = Pick<TaskContext, 'rows' | 'call' | 'text'>;

/**
 * Read every resource of a kind.
 * @param entries the declared resources: only their content is fetched; undefined in an export
 * @throws Failure if the list did not arrive as a whole
 */
export async function readRows(
  task: Reading,
  target: Target,
  resource: Resource,
  { list, get }: ResourceCalls,
  entries?: readonly Entry[],
): Promise<Row[]> {
  const slots = slotsOf(target);
  const endpoint = list ?? get;
  if (!endpoint) return [];
  if (isSingle(resource)) {
    const { value } = await task.call({ endpoint, slots, values: {} });
    return [resource.read?.(value) ?? value];
  }
  const rows: Row[] = [];
  const seen = new Set<string>();
  for await (const row of task.rows({ endpoint, slots, values: resource.listing ?? {} })) {
    // A row that moved to the next page displaced another, which the list therefore lacks.
    if (seen.size === seen.add(jsonText(row)).size)
      throw new Failure(
        'server_error',
        `the ${resource.kind} of ${targetName(target)} changed while they were read`,
        {
          hint: 'nothing was changed; try again',
        },
      );
    if (resource.includes?.(row, target.scope) === false) continue;
    rows.push(withDefaults(resource, resource.read?.(row) ?? row));
  }
  return withContent(resource, rows, slots, readerOf(task), entries);
}

/** Add the attributes and rows that the list does not contain. */
async function withContent(
  resource: Resource,
  rows: readonly Row[],
  slots: Readonly<Record<string, string>>,
  from: ResourceReader,
  entries: readonly Entry[] | undefined,
): Promise<Row[]> {
  const { complete, find } = resource;
  if (!complete && !find) return [...rows];
  const declared = new Map(entries?.map((entry) => [keyOf(resource, entry.attributes), entry.attributes]));
  const whole: Row[] = [];
  for (const row of rows) {
    const entry = declared.get(keyOf(resource, row));
    const isNeeded = complete !== undefined && (entries === undefined || entry !== undefined);
    whole.push(isNeeded ? await complete(row, slots, from, entry) : row);
  }
  for (const { attributes } of (find && entries) ?? []) {
    const found = await find?.(attributes, slots, from);
    if (found) whole.push(found);
  }
  return whole;
}

function keyOf(resource: Resource, row: Row): string {
  return identityKey(resource, identityNames(resource, row) ?? [], row);
}

function readerOf(task: Reading): ResourceReader {
  return {
    text: (endpoint, slots) => unlessMissing(task.text({ endpoint, slots, values: {} })),
    object: async (endpoint, slots) =>
      (await unlessMissing(task.call({ endpoint, slots, values: {} })))?.value,
  };
}

async function unlessMissing<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof Failure && error.exchange?.status === 404) return undefined;
    throw error;
  }
}

/** Whether the caller cannot read a kind: it is forbidden, or the service does not have it. */
export function isUnavailable(error: unknown): error is Failure {
  return error instanceof Failure && (error.exchange?.status === 403 || error.exchange?.status === 404);
}
