/** Rows and columns in, text out. Only what a format needs is loaded, and only when it prints. */
import type { Format } from './formats.ts';
import { jsonGuard, textGuard } from './guard.ts';
import { passthrough } from './json/passthrough.ts';
import type { Numbers } from './json/values.ts';
import type { CreateOutput, OutputOptions } from './model.ts';
import type { Printer } from './printer.ts';
import { printed } from './printer.ts';
import { rawOutput } from './raw.ts';
import { type Shown, Sink } from './sink.ts';

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
