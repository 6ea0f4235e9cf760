/**
 * A seed file: rows that are laid over the seeded ones.
 *
 *     { "tables": { "variables": [ { "project_id": 100, "key": "REGION", "value": "north" } ],
 *                   "projects": [ { "id": 101, "visibility": "public" } ] } }
 *
 * A row with the id of one that exists changes the attributes that it names; any other row is added.
 */
import { createReadStream } from 'node:fs';
import { Failure, usage } from '../../errors.ts';
import { errnoText } from '../../support/errno.ts';
import { type Hash, isHash } from '../core/params.ts';
import type { Route } from '../core/router.ts';
import type { Store } from '../store/store.ts';

const wrong = (what: string) =>
  usage(`the seed file ${what}`, 'its shape: {"tables": {"<table>": [{"id": 1, "<attribute>": ...}]}}');

/** Bytes of a seed file. */
const sizeLimit = 100 * 1024 * 1024;

/** The content of a seed file. @throws Failure `usage` where it can't be read, or is not JSON */
export async function readSeed(path: string): Promise<unknown> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { end: sizeLimit })) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (bytes.byteLength > sizeLimit) throw usage(`the seed file is larger than 100 MiB: ${path}`);
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof Failure) throw error;
    const why = error instanceof SyntaxError ? 'it is not JSON' : errnoText(error);
    throw usage(`the seed file can't be read: ${path}: ${why}`);
  }
}

/** Attributes of the tables that are empty in a new state. */
const unseeded: Readonly<Record<string, readonly string[]>> = {
  approvals: [],
  spam_logs: ['user_id', 'created_at'],
  wiki_attachments: ['group_id', 'path', 'branch', 'file'],
};

/** The attributes that a row of a table may have; undefined for an unknown table. */
function attributesOf(name: string, store: Store, calls: readonly Route[]): Set<string> | undefined {
  const own = calls.filter(({ area }) => area.replaceAll('-', '_') === name.replaceAll('-', '_'));
  const isOrdinary = own.some(({ area, behavior }) => area === name && !behavior);
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

function checkNames(name: string, rows: readonly Hash[], store: Store, calls: readonly Route[]): void {
  const known = attributesOf(name, store, calls);
  if (!known) {
    const all = [...new Set([...store.names, ...Object.keys(unseeded)])].sort();
    throw usage(`the seed file names an unknown table: ${name}`, `known tables: ${all.join(', ')}`);
  }
  for (const attribute of rows.flatMap((row) => Object.keys(row))) {
    if (known.has(attribute)) continue;
    throw usage(
      `the seed file names an unknown attribute of ${name}: ${attribute}`,
      `known attributes: ${[...known].sort().join(', ')}`,
    );
  }
}

/**
 * @param calls the calls of the catalogue, which name the attributes of an area's rows
 * @throws Failure `usage` where the file has another shape, or names an unknown table or attribute; nothing is changed then
 */
export function mergeSeed(store: Store, content: unknown, calls: readonly Route[]): void {
  if (!isHash(content) || !isHash(content['tables'])) throw wrong('has no "tables"');
  for (const [name, rows] of Object.entries(content['tables'])) {
    if (!Array.isArray(rows) || !rows.every(isHash))
      throw wrong(`has no list of rows under ${JSON.stringify(name)}`);
    for (const { id } of rows as Hash[]) {
      if (id !== undefined && !(Number.isSafeInteger(id) && (id as number) > 0)) {
        throw wrong(`has an id that is no positive whole number under ${JSON.stringify(name)}`);
      }
    }
    checkNames(name, rows, store, calls);
  }
  for (const [name, rows] of Object.entries(content['tables'] as Record<string, Hash[]>)) {
    const table = store.table(name);
    for (const row of rows) {
      const known = table.get(row['id'] as number | undefined);
      if (known) table.update(known, row);
      else table.insert(row);
    }
  }
}
