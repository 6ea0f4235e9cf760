/**
 * A seed file: rows that are laid over the seeded ones.
 *
 *     { "tables": { "variables": [ { "project_id": 100, "key": "REGION", "value": "north" } ],
 *                   "projects": [ { "id": 101, "visibility": "public" } ] } }
 *
 * A row with the id of one that exists changes the attributes that it names; any other row is added.
 */
import { readFile } from 'node:fs/promises';
import { reasonOf, usage } from '../../errors.ts';
import { type Hash, isHash } from '../params.ts';
import type { Store } from '../store.ts';

const wrong = (what: string) =>
  usage(`the seed file ${what}`, 'its shape: {"tables": {"<table>": [{"id": 1, "<attribute>": ...}]}}');

/** The content of a seed file. @throws Failure `usage` where it can't be read, or is not JSON */
export async function readSeed(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error);
    throw usage(`the seed file can't be read: ${path}: ${why}`);
  }
}

/** @throws Failure `usage` where the file has another shape; nothing is changed then */
export function mergeSeed(store: Store, content: unknown): void {
  if (!isHash(content) || !isHash(content['tables'])) throw wrong('has no "tables"');
  for (const [name, rows] of Object.entries(content['tables'])) {
    if (!Array.isArray(rows) || !rows.every(isHash))
      throw wrong(`has no list of rows under ${JSON.stringify(name)}`);
    for (const { id } of rows as Hash[]) {
      if (id !== undefined && !(Number.isSafeInteger(id) && (id as number) > 0)) {
        throw wrong(`has an id that is no positive whole number under ${JSON.stringify(name)}`);
      }
    }
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
