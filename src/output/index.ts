/** Rows and columns in, text out. Only what a format needs is loaded, and only when it prints. */
import type { Writable } from 'node:stream';
import type { Format } from './formats.ts';
import { jsonGuard, textGuard } from './guard.ts';
import { passthrough } from './json/passthrough.ts';
import type { PageResult } from './json/rows.ts';
import type { Numbers } from './json/values.ts';
import type { Printer } from './printer.ts';
import { printed } from './printer.ts';
import { rawOutput } from './raw.ts';
import { type Shown, Sink } from './sink.ts';

/** How a column's values are shown to a person. `lines` is a list of lines of text, which stand below one another. */
export type ColumnKind = 'text' | 'number' | 'bool' | 'status' | 'time' | 'lines';

export interface Column {
  /** Dotted path into a row: `commit.author_email`. */
  readonly path: string;
  readonly kind: ColumnKind;
}

export interface OutputOptions {
  readonly format: Format;
  /** `--fields`: dotted paths; chooses and orders columns or keys. */
  readonly fields?: readonly string[];
  /** What a table shows when `fields` is absent; with neither, every key of the first row. Also gives the kind of a field. */
  readonly columns: readonly Column[];
  readonly header: boolean;
  readonly csvSafe: boolean;
  /** Whether standard output is a terminal; then its width in columns. */
  readonly terminal?: {
    readonly width: number;
    readonly color: boolean;
    readonly accessible: boolean;
    readonly unicode: boolean;
  };
  readonly color: boolean;
  readonly time: 'iso' | 'relative' | 'local';
  readonly now: () => number;
  /** Rows to print at most. */
  readonly limit?: number;
  /** Many pages may come: what makes these fast is worth some time in advance. */
  readonly long?: boolean;
  /** A table's column, by its path, whose long texts go on in further lines on a terminal. The others are cut. */
  readonly wrap?: string;
  /** Keys of an object whose values a person is not shown: they were typed unseen. Other formats print them. */
  readonly unseen?: readonly string[];
}

export interface Output {
  /** Rows printed so far: also those of a page that failed halfway. */
  readonly rows: number;
  /**
   * One page of a list: JSON text of an array, at any chunk boundary. Resolves with the rows printed so far; `full` once
   * `limit` is reached, and `more` where this very page holds rows beyond it. Reading stops there.
   */
  page(body: AsyncIterable<Uint8Array>): Promise<PageResult>;
  /** After the last page. Not called after a failure: a broken-off array stays visibly open. */
  endList(): Promise<{ readonly rows: number }>;
  /** One JSON object (or any other JSON value). */
  object(body: AsyncIterable<Uint8Array>): Promise<void>;
  /** Bytes as they are. */
  raw(body: AsyncIterable<Uint8Array>): Promise<void>;
}

export type CreateOutput = (options: OutputOptions, out: Writable) => Output;

type PrinterFormat = Exclude<Format, 'raw'>;

const printers: Readonly<
  Record<PrinterFormat, (options: OutputOptions, numbers: Numbers) => Promise<Printer>>
> = {
  table: async (options, numbers) => {
    if (!options.terminal) return (await import('./table/table.ts')).table(options, numbers);
    return (await import('./table/screen.ts')).screen(options, options.terminal, numbers);
  },
  json: async (options, numbers) => (await import('./json/selected.ts')).chosenJson(options, numbers),
  ndjson: async (options, numbers) => (await import('./json/selected.ts')).chosenLines(options, numbers),
  csv: async (options, numbers) => (await import('./delimited.ts')).csv(options, numbers),
  tsv: async (options, numbers) => (await import('./delimited.ts')).tsv(options, numbers),
  yaml: async (options) => (await import('./yaml.ts')).yaml(options),
};

/** Formats that do not judge each value for a terminal: what they write is made safe on its way there. */
const guards: Readonly<Partial<Record<Format, () => Shown>>> = {
  json: () => jsonGuard,
  ndjson: () => jsonGuard,
  csv: () => textGuard('csv'),
  tsv: () => textGuard('tsv'),
  raw: () => textGuard('raw'),
};

/**
 * Print answers in one format. Every method throws Failure `broken` where the answer is not what the API promises, an
 * Error with the code EPIPE where the reader went away, and any other error of `out` as it is.
 */
export const createOutput: CreateOutput = (options, out) => {
  const { format } = options;
  const sink = new Sink(out, options.terminal && guards[format]?.());
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  if (format === 'raw') return rawOutput(sink, limit);
  if (!options.fields && format === 'json')
    return passthrough(sink, options.terminal ? 'indented' : 'json', limit, options.long);
  if (!options.fields && format === 'ndjson') return passthrough(sink, 'ndjson', limit, options.long);
  const columns = format === 'yaml' ? [] : options.columns.map(({ path }) => path);
  const paths = options.fields ?? (columns.length > 0 ? columns : undefined);
  return printed(sink, limit, paths, (numbers) => printers[format](options, numbers));
};

/** Our own objects as the JSON text of a list, for `page`: built-in commands print through the same path. */
export async function* rowsBody(rows: readonly unknown[]): AsyncIterable<Uint8Array> {
  yield Buffer.from(JSON.stringify(rows));
}

/** Our own object as JSON text, for `object`. */
export async function* valueBody(value: unknown): AsyncIterable<Uint8Array> {
  yield Buffer.from(JSON.stringify(value));
}

export { printable } from './text.ts';
