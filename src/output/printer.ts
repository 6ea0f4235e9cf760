import { itemTooLarge, type JsonValue, type Rows, readValue, sizes, takeRows } from './json/rows.ts';
import { asTooLarge, exact } from './json/values.ts';
import type { Output, OutputOptions, PageResult, Tally } from './model.ts';
import type { Sink } from './sink.ts';
import { inSlices, isTurnDue, turn } from './turn.ts';

type Text = readonly (Uint8Array | string)[];

export interface RowFormat {
  /** Whether a value of more than `sizes.value` is printed as received, without parsing it. */
  readonly streams?: boolean;
  rows(rows: Rows, isFirst: boolean): Text | Promise<Text>;
  end(rows: number): string | Promise<string>;
  object(value: JsonValue): Text | Promise<Text>;
}

/** Formats values. Each number that a JavaScript number would change is an ExactNumber. */
export interface Printer {
  /** Format one or more rows. The first call gets the first page, or its first MiB. */
  rows(rows: readonly unknown[]): string | Promise<string>;
  end(rows: number): string;
  object(value: unknown): string | Promise<string>;
}

/** Return a format that parses rows. The printer is loaded when it first prints. */
export function parsing(createPrinter: () => Promise<Printer>): RowFormat {
  let loading: Promise<Printer> | undefined;
  const printer = (): Promise<Printer> => {
    loading ??= createPrinter();
    return loading;
  };
  return {
    async rows(rows) {
      const { rows: format } = await printer();
      return inSlices(await exactRows(rows), format);
    },
    end: async (rows) => (await printer()).end(rows),
    object: async ({ bytes, value }) => [
      await (await printer()).object(await exact(bytes.toString(), value)),
    ],
  };
}

/** Create an output that processes rows in batches, so that memory does not grow with the length of a list. */
export function printed(
  sink: Sink,
  limit: number,
  format: RowFormat,
  { objects, check }: Pick<OutputOptions, 'objects' | 'check'>,
): Output {
  const tally = { rows: 0, objects, check };
  let isFirst = true;
  const printRows = async (rows: Rows): Promise<void> => {
    const text = await format.rows(rows, isFirst);
    isFirst = false;
    await sink.write(text);
  };
  return {
    tally,
    page: (body) => takeRows(body, tally, limit, printRows).catch(asTooLarge),
    async endList() {
      await sink.write([await format.end(tally.rows)]);
    },
    object: (body) => printValue(body, sink, format, check).catch(asTooLarge),
  };
}

async function printValue(
  body: AsyncIterable<Uint8Array>,
  sink: Sink,
  format: RowFormat,
  check: OutputOptions['check'],
): Promise<void> {
  const held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (isTurnDue()) await turn();
    held.push(chunk);
    size += chunk.length;
    if (size <= sizes.value) continue;
    if (!format.streams) throw itemTooLarge('use -o json, which does not parse the response');
    await sink.write(held.splice(0));
  }
  if (size > sizes.value) await sink.write([...held, '\n']);
  else {
    const read = readValue(Buffer.concat(held));
    check?.([read.value].flat());
    await sink.write(await format.object(read));
  }
}

/**
 * Read the values of a JSON array in batches. Numbers keep their digits.
 * @param tally counts the rows, up to `limit`
 */
export function readBatches(
  body: AsyncIterable<Uint8Array>,
  use: (rows: readonly unknown[]) => Promise<void>,
  {
    tally = { rows: 0 },
    limit = Number.POSITIVE_INFINITY,
  }: { tally?: Tally; limit?: number | undefined } = {},
): Promise<PageResult> {
  const useRows = async (rows: Rows) => void (await inSlices(await exactRows(rows), use));
  return takeRows(body, tally, limit, useRows).catch(asTooLarge);
}

export async function exactRows({ bytes, values }: Rows): Promise<readonly unknown[]> {
  return (await exact(`[${bytes}]`, values)) as readonly unknown[];
}
