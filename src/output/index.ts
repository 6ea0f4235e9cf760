/** Prints responses in any format. Each format is loaded when it first prints. */
import { jsonText } from '../support/json.ts';
import { nativeJsonBytes } from '../support/runtime.ts';
import type { Format } from './formats.ts';
import { jsonGuard, textGuard } from './guard.ts';
import { passthrough } from './json/passthrough.ts';
import type { Numbers } from './json/values.ts';
import type { CreateOutput, OutputOptions } from './model.ts';
import type { Printer } from './printer.ts';
import { printed } from './printer.ts';
import { rawOutput } from './raw.ts';
import { type Filter, Sink } from './sink.ts';

type PrinterFormat = Exclude<Format, 'raw'>;

const printers: Readonly<
  Record<PrinterFormat, (options: OutputOptions, numbers: Numbers) => Promise<Printer>>
> = {
  table: async (options, numbers) => {
    if (!options.terminal) return (await import('./table/table.ts')).table(options, numbers);
    return (await import('./table/screen.ts')).screen(options, options.terminal, numbers);
  },
  json: async (options, numbers) => (await import('./json/selected.ts')).selectedJson(options, numbers),
  ndjson: async (options, numbers) => (await import('./json/selected.ts')).selectedLines(options, numbers),
  csv: async (options, numbers) => (await import('./delimited.ts')).csv(options, numbers),
  tsv: async (options, numbers) => (await import('./delimited.ts')).tsv(options, numbers),
  yaml: async (options) => (await import('./yaml.ts')).yaml(options),
};

/** Terminal filters of the formats that do not filter each value. */
const filters: Readonly<Partial<Record<Format, () => Filter>>> = {
  json: () => jsonGuard,
  ndjson: () => jsonGuard,
  csv: () => textGuard('csv'),
  tsv: () => textGuard('tsv'),
  raw: () => textGuard('raw'),
};

/**
 * Print responses in one format. Every method throws Failure `server_error` if the response does not have the documented
 * shape, an Error with code EPIPE if the reader closed the pipe, and any other error of `out` unchanged.
 */
export const createOutput: CreateOutput = (options, out) => {
  const { format, objects } = options;
  const sink = new Sink(out, options.terminal && filters[format]?.());
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  if (format === 'raw') return rawOutput(sink, limit, options.terminal !== undefined);
  if (!options.fields && format === 'json')
    return passthrough(sink, options.terminal ? 'indented' : 'json', limit, options);
  if (!options.fields && format === 'ndjson') return passthrough(sink, 'ndjson', limit, options);
  const columns = format === 'yaml' ? [] : options.columns.map(({ path }) => path);
  const paths = options.fields ?? (columns.length > 0 && !options.allFields ? columns : undefined);
  const native = nativeJsonBytes(options.long);
  return printed(sink, limit, paths, native, (numbers) => printers[format](options, numbers), objects);
};

/** Return objects of built-in commands as JSON text for `Output.page`. */
export async function* rowsBody(rows: readonly unknown[]): AsyncIterable<Uint8Array> {
  yield Buffer.from(jsonText(rows));
}

/** Return a value of a built-in command as JSON text for `Output.object`. */
export async function* valueBody(value: unknown): AsyncIterable<Uint8Array> {
  yield Buffer.from(jsonText(value));
}
