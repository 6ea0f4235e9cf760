/**
 * Seed files: rows to merge over the seeded ones.
 *
 *     { "tables": { "variables": [ { "project_id": 100, "key": "REGION", "value": "north" } ],
 *                   "projects": [ { "id": 101, "visibility": "public" } ] } }
 *
 * A row with an existing id changes the listed attributes. Any other row is added.
 */
import { createReadStream } from 'node:fs';
import { Failure, tooLarge, usage } from '../../errors.ts';
import { collect, valueLimit } from '../../support/bytes.ts';
import { errnoText } from '../../support/errno.ts';
import { isRecord } from '../../support/record.ts';
import { undeclared } from '../core/collection.ts';
import type { Hash } from '../core/request/params.ts';
import type { Route } from '../core/router.ts';
import type { Store } from '../store/store.ts';

const invalid = (problem: string) =>
  usage(
    `invalid seed file: ${problem}`,
    'write it as {"tables": {"<table>": [{"id": 1, "<attribute>": ...}]}}',
  );

/** Read a seed file. @throws Failure `usage` if it is unreadable or not JSON */
export async function readSeed(path: string): Promise<unknown> {
  try {
    return JSON.parse(
      (
        await collect(createReadStream(path), valueLimit, () => tooLarge(`the seed file ${path}`, valueLimit))
      ).toString('utf8'),
    );
  } catch (error) {
    if (error instanceof Failure) throw error;
    const reason = error instanceof SyntaxError ? 'invalid JSON' : errnoText(error);
    throw usage(`cannot read seed file ${path}: ${reason}`);
  }
}

/** Attributes of tables that are empty in a new state. */
const unseeded: Readonly<Record<string, readonly string[]>> = {
  approvals: [],
  spam_logs: ['user_id', 'created_at'],
  wiki_attachments: ['group_id', 'path', 'branch', 'file'],
};

/** Return the attributes of a table; undefined for an unknown table. */
function attributesOf(name: string, store: Store, routes: readonly Route[]): Set<string> | undefined {
  const own = routes.filter(({ area }) => area.replaceAll('-', '_') === name.replaceAll('-', '_'));
  const isOrdinary = own.some(({ area, handler }) => area === name && handler === undeclared);
  if (!isOrdinary && !store.names.includes(name) && !Object.hasOwn(unseeded, name)) return undefined;
  return new Set([
    'id',
    'project_id',
    'group_id',
    'changed_at',
    ...(unseeded[name] ?? []),
    ...[...store.table(name).values()].flatMap((row) => Object.keys(row)),
    ...own.flatMap(({ endpoint: { returns, takes } }) => [
      ...Object.keys('fields' in returns ? returns.fields : {}),
      ...Object.keys(takes),
    ]),
  ]);
}

function checkNames(name: string, rows: readonly Hash[], store: Store, routes: readonly Route[]): void {
  const known = attributesOf(name, store, routes);
  if (!known) {
    const tables = [...new Set([...store.names, ...Object.keys(unseeded)])].sort();
    throw usage(`unknown table in seed file: ${name}`, `known tables: ${tables.join(', ')}`);
  }
  for (const attribute of rows.flatMap((row) => Object.keys(row))) {
    if (known.has(attribute)) continue;
    throw usage(
      `unknown attribute of ${name} in seed file: ${attribute}`,
      `known attributes: ${[...known].sort().join(', ')}`,
    );
  }
}

interface SeedRow extends Hash {
  readonly id?: number;
}

const hasValidId = (row: Hash): row is SeedRow => {
  const { id } = row;
  return id === undefined || (typeof id === 'number' && Number.isSafeInteger(id) && id > 0);
};

/**
 * Merge the content of a seed file into the tables.
 * @param routes the routes of the catalogue, which define the known attributes
 * @throws Failure `usage` for invalid content, before any table changes
 */
export function mergeSeed(store: Store, content: unknown, routes: readonly Route[]): void {
  const tables = isRecord(content) ? content['tables'] : undefined;
  if (!isRecord(tables)) throw invalid('"tables" is missing');
  const checked = Object.entries(tables).map(([name, rows]): [string, SeedRow[]] => {
    const title = JSON.stringify(name);
    if (!Array.isArray(rows) || !rows.every(isRecord)) throw invalid(`${title} is not a list of rows`);
    if (!rows.every(hasValidId)) throw invalid(`${title} has an id that is not a positive integer`);
    checkNames(name, rows, store, routes);
    return [name, rows];
  });
  for (const [name, rows] of checked) {
    const table = store.table(name);
    for (const row of rows) {
      const known = table.get(row.id);
      if (known) table.update(known, row);
      else table.insert(row);
    }
  }
}
