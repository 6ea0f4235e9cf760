/** Prints responses in any format. Each format is loaded when it first prints. */

import type { Writable } from 'node:stream';
import type { Format } from '../support/text/formats.ts';
import { jsonGuard, textGuard } from './guard.ts';
import { indentedJson, json, ndjson, selecting } from './json/print.ts';
import { PageReader } from './json/rows.ts';
import type { Output, OutputOptions } from './model.ts';
import { parsing, printed, type RowFormat } from './printer.ts';
import { type Filter, passBytes, Sink } from './sink.ts';

const filters: Readonly<Partial<Record<Format, () => Filter>>> = {
  json: () => jsonGuard,
  ndjson: () => jsonGuard,
  csv: textGuard,
  tsv: textGuard,
  raw: textGuard,
};

/**
 * Print responses in one format. Every method throws Failure `server_error` if the response does not have the documented
 * shape, an Error with code EPIPE if the reader closed the pipe, and any other error of `out` unchanged.
 */
export function createOutput(options: OutputOptions, out: Writable): Output {
  const { format, terminal, limit = Number.POSITIVE_INFINITY } = options;
  const sink = new Sink(out, terminal && filters[format]?.());
  if (format === 'raw') return rawOutput(sink, limit, terminal !== undefined);
  return printed(sink, limit, formatOf(format, options), options);
}

function formatOf(format: Exclude<Format, 'raw'>, options: OutputOptions): RowFormat {
  const { fields, terminal } = options;
  switch (format) {
    case 'json':
      return selecting(fields, terminal ? indentedJson : json);
    case 'ndjson':
      return selecting(fields, ndjson);
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

/**
 * Print responses unchanged, even if they are not JSON. Pages are never cut: after the limit is reached no further page is read.
 * @param onTerminal end a list with a line break, because a note or the prompt of the shell follows
 */
function rawOutput(sink: Sink, limit: number, onTerminal: boolean): Output {
  const tally = { rows: 0 };
  let last: number | undefined;
  return {
    tally,
    async page(body) {
      let page: PageReader | undefined = new PageReader(tally, Number.POSITIVE_INFINITY, async () => {});
      const stopCounting = () => {
        page = undefined;
      };
      for await (const chunk of body) {
        await sink.write([chunk]);
        last = chunk.at(-1) ?? last;
        await page?.add(chunk).catch(stopCounting);
      }
      await page?.end().catch(stopCounting);
      const result = { rows: tally.rows, full: tally.rows >= limit, more: false };
      return page ? result : { ...result, isUncounted: true };
    },
    async endList() {
      if (onTerminal && last !== undefined && last !== 0x0a) await sink.write(['\n']);
    },
    object: (body) => passBytes(body, sink),
  };
}
