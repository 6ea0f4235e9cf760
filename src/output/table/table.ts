import { isRecord } from '../../support/record.ts';
import type { OutputOptions } from '../model.ts';
import type { Printer } from '../printer.ts';
import { aligner, isNumeric } from './align.ts';
import { type ColumnReader, columnReaders, displayText, wordsOfList } from './cells.ts';
import { type CreatePrinter, detail } from './detail.ts';
import { type Paint, painter } from './paint.ts';
import { Measure } from './width.ts';
import { spread } from './wrap.ts';

/** Formats rows of cells. */
export interface TableLayout {
  readonly paint: Paint;
  readonly measure: Measure;
  /** Creates a printer with the same layout. */
  readonly list: CreatePrinter;
  /** Whether single-line cells beside multiline cells are repeated on each line. If unset, rows are not split into lines. */
  readonly spread?: 'each' | 'once';
  /** Called once with the cells of the first page. */
  begin(columns: readonly ColumnReader[], cells: readonly (readonly string[])[]): void;
  header(): string;
  /** @param links the web page of each row, if the terminal shows links */
  lines(cells: readonly (readonly string[])[], links: readonly (string | undefined)[]): string;
}

/** The web page of a row. Characters beyond these could end the link, or be measured as text. */
function linkOf(row: unknown): string | undefined {
  const url = isRecord(row) ? row['web_url'] : undefined;
  return typeof url === 'string' && /^https?:\/\/[-\w/#&.:=?%@~]{1,2000}$/.test(url) ? url : undefined;
}

/** Create a printer of rows in a table layout, and of single objects as a detail view. */
export function tabular(options: OutputOptions, layout: TableLayout): Printer {
  const display = { time: options.time, now: options.now, words: wordsOfList(options.terminal) };
  let columns: readonly ColumnReader[] | undefined;
  const printer: Printer = {
    async rows(rows) {
      const isFirst = columns === undefined;
      const selected = columns ?? columnReaders(options, rows);
      columns = selected;
      const texts = rows.map((row) =>
        selected.map(({ kind, read }) => displayText(read(row), kind, display)),
      );
      const split = texts.map((row) => (layout.spread ? spread(row, layout.spread === 'each') : [row]));
      const cells = split.flat();
      const links = options.terminal?.links
        ? split.flatMap((lines, at) => lines.map(() => linkOf(rows[at])))
        : [];
      for (const row of cells) await layout.measure.prepare(row);
      if (!isFirst) return layout.lines(cells, links);
      await layout.measure.prepare(selected.map(({ label }) => label));
      layout.begin(selected, cells);
      return (options.header ? layout.header() : '') + layout.lines(cells, links);
    },
    end: () => '',
    object(value) {
      if (!Array.isArray(value)) return detail(value, options, layout.paint, layout.list);
      return value.length > 0 ? printer.rows(value) : '';
    },
  };
  return printer;
}

/**
 * Create a table for a pipe: aligned columns, separated by two spaces, never cut. The first page determines the widths; a
 * wider cell on a later page shifts the rest of its line.
 */
export async function table(options: OutputOptions): Promise<Printer> {
  const measure = new Measure();
  const paint = await painter(options.color);
  let columns: readonly ColumnReader[] = [];
  let line: ReturnType<typeof aligner> = aligner(measure, [], []);
  return tabular(options, {
    paint,
    measure,
    list: table,
    spread: 'each',
    begin(selected, cells) {
      columns = selected;
      const labels = columns.map(({ label }) => label);
      const widths = measure.widest(options.header ? [labels, ...cells] : cells);
      const right = columns.map(({ kind }, column) => isNumeric(kind, cells, column));
      line = aligner(measure, widths, right);
    },
    header: () =>
      `${line(
        columns.map(({ label }) => label),
        paint.header,
      )}\n`,
    lines: (cells) =>
      cells
        .map((texts) => `${line(texts, (text, column) => paint.cell(columns[column]!.kind, text))}\n`)
        .join(''),
  });
}
