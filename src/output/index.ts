/** Prints responses in any format. Each format is loaded when it first prints. */

import type { Writable } from 'node:stream';
import { jsonText } from '../support/json.ts';
import type { Format } from '../support/text/formats.ts';
import { jsonGuard, textGuard } from './guard.ts';
import { indentedJson, json, ndjson, selectedJson, selectedLines } from './json/print.ts';
import type { Output, OutputOptions } from './model.ts';
import { parsing, printed, type RowFormat } from './printer.ts';
import { rawOutput } from './raw.ts';
import { type Filter, Sink } from './sink.ts';

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
export function createOutput(options: OutputOptions, out: Writable): Output {
  const { format, objects, terminal, limit = Number.POSITIVE_INFINITY } = options;
  const sink = new Sink(out, terminal && filters[format]?.());
  if (format === 'raw') return rawOutput(sink, limit, terminal !== undefined);
  return printed(sink, limit, formatOf(format, options), objects);
}

function formatOf(format: Exclude<Format, 'raw'>, options: OutputOptions): RowFormat {
  const { fields, terminal } = options;
  switch (format) {
    case 'json':
      if (fields) return parsing(async () => selectedJson(fields, terminal !== undefined));
      return terminal ? indentedJson : json;
    case 'ndjson':
      return fields ? parsing(async () => selectedLines(fields)) : ndjson;
    case 'csv':
      return parsing(async () => (await import('./delimited.ts')).csv(options));
    case 'tsv':
      return parsing(async () => (await import('./delimited.ts')).tsv(options));
    case 'yaml':
      return parsing(async () => (await import('./yaml.ts')).yaml(options));
    case 'table':
      return parsing(async () =>
        terminal
          ? (await import('./table/screen.ts')).screen(options, terminal)
          : (await import('./table/table.ts')).table(options),
      );
  }
}

/** Return objects of built-in commands as JSON text for `Output.page`. */
export async function* rowsBody(rows: readonly unknown[]): AsyncIterable<Uint8Array> {
  yield Buffer.from(jsonText(rows));
}

/** Return a value of a built-in command as JSON text for `Output.object`. */
export async function* valueBody(value: unknown): AsyncIterable<Uint8Array> {
  yield Buffer.from(jsonText(value));
}
