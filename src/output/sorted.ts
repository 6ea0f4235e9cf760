/** `--sort-by`: keeps the rows of a list, and prints them in order at its end. */
import { reader } from './fields.ts';
import { cutRows, type Rows, takeRows } from './json/rows.ts';
import { asTooLarge } from './json/values.ts';
import type { Output, SortKey } from './model.ts';
import { sortedIndices } from './order.ts';
import { exactRows } from './printer.ts';

const BATCH = 64 * 1024;

/**
 * Sort the rows that are printed to an output. Their bytes stay as received.
 * @param limit maximum rows over all pages; no more are kept
 */
export function sorted(output: Output, keys: readonly SortKey[], limit = Number.POSITIVE_INFINITY): Output {
  const readers = keys.map(({ path }) => reader(path));
  const values: unknown[][] = keys.map(() => []);
  const rows: Buffer[] = [];
  const tally = { rows: 0 };
  const keep = async (page: Rows): Promise<void> => {
    for (const value of await exactRows(page))
      for (const [key, read] of readers.entries()) values[key]!.push(read(value));
    for (const row of cutRows(page)) rows.push(row);
  };
  return {
    get rows() {
      return output.rows;
    },
    page: (body) => takeRows(body, tally, limit, keep).catch(asTooLarge),
    async endList() {
      const sort = async () => sortedIndices(keys, values).map((index) => rows[index]!);
      await output.page(asList(await sort().catch(asTooLarge)));
      return output.endList();
    },
    object: (body) => output.object(body),
    raw: (body) => output.raw(body),
  };
}

async function* asList(rows: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [Buffer.from('[')];
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    pieces.push(...(index > 0 ? [Buffer.from(',\n')] : []), row);
    bytes += row.length;
    if (bytes < BATCH) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
  }
  yield Buffer.concat([...pieces, Buffer.from(']')]);
}
