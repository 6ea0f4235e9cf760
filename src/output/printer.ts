import { keepMembers } from './json/layout.ts';
import type { RowConsumer } from './json/rows.ts';
import { takeRows, takeValue } from './json/rows.ts';
import { asTooLarge, Numbers } from './json/values.ts';
import type { Output, PageResult, Tally } from './model.ts';
import { passBytes, type Sink } from './sink.ts';

/** A format that needs parsed values. */
export interface Printer {
  /** Format one or more rows. The first call gets the first page, or its first MiB. */
  rows(rows: readonly unknown[]): string | Promise<string>;
  /** Return the text after the last row. */
  end(rows: number): string;
  object(value: unknown): string | Promise<string>;
}

const BATCH = 1024 * 1024;
const COMMA = 0x2c;

/**
 * Create an output that parses rows in batches, so that memory does not grow with the length of a list.
 * @param paths the paths that are read of a row; undefined for all
 * @param native see `takeRows`
 */
export function printed(
  sink: Sink,
  limit: number,
  paths: readonly string[] | undefined,
  native: number,
  createPrinter: (numbers: Numbers) => Promise<Printer>,
  objects?: boolean | undefined,
): Output {
  const numbers = new Numbers();
  let loading: Promise<Printer> | undefined;
  const printer = (): Promise<Printer> => {
    loading ??= createPrinter(numbers);
    return loading;
  };
  const consumer = parseRows(numbers, paths, async (rows) => sink.write(await (await printer()).rows(rows)));
  const tally = { rows: 0, objects };
  return {
    get rows() {
      return tally.rows;
    },
    page: (body) =>
      takeRows(body, consumer, tally, limit, native).catch((error: unknown) => {
        throw asTooLarge(error);
      }),
    async endList() {
      await sink.write((await printer()).end(tally.rows));
      await sink.settle();
      return { rows: tally.rows };
    },
    async object(body) {
      const { bytes, scanner } = await takeValue(body);
      if (scanner.inexact) await numbers.load();
      try {
        const value = numbers.parse(bytes.toString(), scanner.inexact);
        await sink.write(await (await printer()).object(value));
      } catch (error) {
        throw asTooLarge(error);
      }
      await sink.settle();
    },
    raw: (body) => passBytes(body, sink),
  };
}

/**
 * Read the values of a JSON array in batches. Numbers keep their digits.
 * @param tally counts the rows, up to `limit`
 */
export function readBatches(
  body: AsyncIterable<Uint8Array>,
  numbers: Numbers,
  use: (rows: readonly unknown[]) => Promise<void>,
  {
    tally = { rows: 0 },
    limit = Number.POSITIVE_INFINITY,
  }: { tally?: Tally; limit?: number | undefined } = {},
): Promise<PageResult> {
  return takeRows(body, parseRows(numbers, undefined, use), tally, limit).catch((error: unknown) => {
    throw asTooLarge(error);
  });
}

/** Parse rows in batches: with a single call unless a number needs the exact parser. */
function parseRows(
  numbers: Numbers,
  paths: readonly string[] | undefined,
  print: (rows: readonly unknown[]) => Promise<void>,
): RowConsumer {
  // A key can contain dots itself.
  const keys = new Set(paths?.flatMap((path) => [path, ...path.split('.', 1)]));
  const wanted = [...keys].map((key) => Buffer.from(key));
  let bounds: number[] = [];
  let flags: boolean[] = [];
  return {
    batch: BATCH,
    page: print,
    before(gathered) {
      if (gathered.length > 0) gathered.push(COMMA);
    },
    after(gathered, from, { inexact }) {
      if (paths) gathered.length = keepMembers(gathered.bytes, from, gathered.length, wanted);
      bounds.push(from, gathered.length);
      flags.push(inexact);
    },
    async flush(gathered) {
      if (flags.length === 0) return;
      const { bytes, length } = gathered;
      let rows: unknown[];
      if (flags.includes(true)) {
        await numbers.load();
        rows = flags.map((inexact, row) =>
          numbers.parse(bytes.toString('utf8', bounds[row * 2], bounds[row * 2 + 1]), inexact),
        );
      } else {
        rows = numbers.parseRows(`[${bytes.toString('utf8', 0, length)}]`);
      }
      gathered.length = 0;
      bounds = [];
      flags = [];
      await print(rows);
    },
  };
}
