import { nativeJsonBytes } from '../../support/runtime.ts';
import type { Output, OutputOptions, PageResult, Tally } from '../model.ts';
import { passBytes, type Sink } from '../sink.ts';
import { compact, indent } from './layout.ts';
import type { RowConsumer } from './rows.ts';
import { takeRows, takeValue } from './rows.ts';
import { Scanner } from './scanner.ts';
import { passRows } from './spans.ts';
import { warmUp } from './warm-up.ts';

const COMMA = 0x2c;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const OPEN = 0x5b;
const BATCH = 64 * 1024;

/** How rows are combined into a list. */
interface Layout {
  page(body: AsyncIterable<Uint8Array>, tally: Tally, limit: number): Promise<PageResult>;
  /** Return the text after the last row. */
  end(rows: number): string;
  object(bytes: Uint8Array, multiline: boolean): Uint8Array;
}

/** Print `json` and `ndjson` without `--fields`: the bytes of each row as received. */
export function passthrough(
  sink: Sink,
  layout: 'json' | 'indented' | 'ndjson',
  limit: number,
  { long, objects }: Pick<OutputOptions, 'long' | 'objects'>,
): Output {
  // While the first request is in flight.
  if (long) setImmediate(warmUp);
  const { page, end, object } = layouts[layout](sink, nativeJsonBytes(long));
  const tally = { rows: 0, objects };
  return {
    get rows() {
      return tally.rows;
    },
    page: (body) => page(body, tally, limit),
    async endList() {
      await sink.write(end(tally.rows));
      await sink.settle();
      return { rows: tally.rows };
    },
    async object(body) {
      const { bytes, scanner } = await takeValue(body);
      await sink.write(object(bytes, scanner.multiline));
      await sink.write('\n');
      await sink.settle();
    },
    async raw(body) {
      await passBytes(body, sink);
    },
  };
}

const byRow =
  (consumer: RowConsumer): Layout['page'] =>
  (body, tally, limit) =>
    takeRows(body, consumer, tally, limit);

const layouts: Readonly<Record<'json' | 'indented' | 'ndjson', (sink: Sink, native: number) => Layout>> = {
  json(sink, native) {
    const scanner = new Scanner('list');
    return {
      page: (body, tally, limit) => passRows(body, scanner, sink, tally, limit, native),
      end: (rows) => (rows === 0 ? '[]\n' : '\n]\n'),
      object: (bytes) => bytes,
    };
  },

  indented: (sink) => ({
    page: byRow({
      batch: BATCH,
      before(gathered, row) {
        gathered.push(row === 0 ? OPEN : COMMA);
        gathered.push(NEWLINE);
        gathered.push(SPACE);
        gathered.push(SPACE);
      },
      after(gathered, from) {
        const indented = indent(gathered.bytes.subarray(from, gathered.length), 1);
        gathered.length = from;
        gathered.append(indented, 0, indented.length);
      },
      flush: (gathered) => sink.write(gathered.take()),
    }),
    end: (rows) => (rows === 0 ? '[]\n' : '\n]\n'),
    object: (bytes) => indent(bytes),
  }),

  ndjson: (sink) => ({
    page: byRow({
      batch: BATCH,
      after(gathered, from, { multiline }) {
        if (multiline) gathered.length = compact(gathered.bytes, from, gathered.length);
        gathered.push(NEWLINE);
      },
      flush: (gathered) => sink.write(gathered.take()),
    }),
    end: () => '',
    object: (bytes, multiline) => (multiline ? bytes.subarray(0, compact(bytes, 0, bytes.length)) : bytes),
  }),
};
