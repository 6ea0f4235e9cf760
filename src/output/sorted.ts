/** `--sort-by`: keeps the rows of a list, and prints them in order at its end. */
import { reader } from './fields.ts';
import { takeRows } from './json/rows.ts';
import { asTooLarge, Numbers } from './json/values.ts';
import type { Output, SortKey } from './model.ts';
import { sortedIndices } from './order.ts';

const BATCH = 64 * 1024;

/**
 * Sort the rows that are printed to an output. Their bytes stay as received.
 * @param limit maximum rows over all pages; no more are kept
 */
export function sorted(output: Output, keys: readonly SortKey[], limit = Number.POSITIVE_INFINITY): Output {
  const numbers = new Numbers();
  const readers = keys.map(({ path }) => reader(path));
  const values: unknown[][] = keys.map(() => []);
  const rows: Buffer[] = [];
  const tally = { rows: 0 };
  /** The end of each gathered row, and whether it contains numbers that need the exact parser. */
  let ends: { readonly at: number; readonly inexact: boolean }[] = [];
  return {
    get rows() {
      return output.rows;
    },
    page: (body) =>
      takeRows(
        body,
        {
          batch: BATCH,
          after: (gathered, _, { inexact }) => void ends.push({ at: gathered.length, inexact }),
          async flush(gathered) {
            const bytes = gathered.take();
            let from = 0;
            // Not again if a row fails.
            const bounds = ends;
            ends = [];
            for (const { at, inexact } of bounds) {
              const row = bytes.subarray(from, at);
              from = at;
              if (inexact) await numbers.load();
              const parsed = numbers.parse(row.toString('utf8'), inexact);
              for (const [key, read] of readers.entries()) values[key]!.push(read(parsed));
              rows.push(row);
            }
          },
        },
        tally,
        limit,
      ).catch((error: unknown) => {
        throw asTooLarge(error);
      }),
    async endList() {
      await output.page(asList(sortedIndices(keys, values).map((index) => rows[index]!)));
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
