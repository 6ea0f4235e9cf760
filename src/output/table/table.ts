import type { ColumnKind } from '../../support/column.ts';
import { isRecord } from '../../support/record.ts';
import type { OutputOptions } from '../model.ts';
import type { Printer } from '../printer.ts';
import { type ColumnReader, displayText, listColumns, wordsOfList } from './cells.ts';
import type { CreatePrinter } from './detail.ts';
import { type Paint, painter } from './paint.ts';
import { Measure } from './width.ts';
import { spread } from './wrap.ts';

export interface TableLayout {
  readonly paint: Paint;
  readonly measure: Measure;
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
  const columnsFor = listColumns(options);
  const printer: Printer = {
    async rows(rows) {
      const { columns, isFirst } = columnsFor(rows);
      const texts = rows.map((row) => columns.map(({ kind, read }) => displayText(read(row), kind, display)));
      const split = texts.map((row) => (layout.spread ? spread(row, layout.spread === 'each') : [row]));
      const cells = split.flat();
      const links = options.terminal?.links
        ? split.flatMap((lines, at) => lines.map(() => linkOf(rows[at])))
        : [];
      for (const row of cells) await layout.measure.prepare(row);
      if (!isFirst) return layout.lines(cells, links);
      await layout.measure.prepare(columns.map(({ label }) => label));
      layout.begin(columns, cells);
      return (options.header ? layout.header() : '') + layout.lines(cells, links);
    },
    end: () => '',
    async object(value) {
      if (Array.isArray(value)) return value.length > 0 ? printer.rows(value) : '';
      const { detail } = await import('./detail.ts');
      return detail(value, options, layout.paint, layout.list);
    },
  };
  return printer;
}

export const GAP = '  ';

export function isNumeric(
  kind: ColumnKind | undefined,
  cells: readonly (readonly string[])[],
  column: number,
): boolean {
  if (kind !== undefined) return ['number', 'share', 'duration', 'size'].includes(kind);
  const texts = cells.map((row) => row[column]!).filter((text) => text !== '' && text !== '-');
  return texts.length > 0 && texts.every((text) => /^-?\d[\d.]*(?:[eE][+-]?\d+)?$/.test(text));
}

/**
 * Create a table for a pipe: aligned columns, separated by two spaces, never cut, without spaces at the end of a line. The first page
 * determines the widths; a wider cell on a later page shifts the rest of its line.
 */
export async function table(options: OutputOptions): Promise<Printer> {
  const measure = new Measure();
  const paint = await painter(options.color);
  let columns: readonly ColumnReader[] = [];
  let widths: readonly number[] = [];
  let right: readonly boolean[] = [];
  const line = (texts: readonly string[], painted: (text: string, column: number) => string): string => {
    let whole = '';
    let spaces = 0;
    for (const [column, text] of texts.entries()) {
      const rest = Math.max(0, widths[column]! - measure.width(text));
      if (right[column]) spaces += rest;
      if (text !== '') {
        whole += ' '.repeat(spaces) + painted(text, column);
        spaces = 0;
      }
      spaces += GAP.length + (right[column] ? 0 : rest);
    }
    return `${whole}\n`;
  };
  const labels = () => columns.map(({ label }) => label);
  return tabular(options, {
    paint,
    measure,
    list: table,
    spread: 'each',
    begin(selected, cells) {
      columns = selected;
      widths = measure.widest(options.header ? [labels(), ...cells] : cells);
      right = columns.map(({ kind }, column) => isNumeric(kind, cells, column));
    },
    header: () => line(labels(), paint.name),
    lines: (cells) =>
      cells.map((texts) => line(texts, (text, column) => paint.cell(columns[column]!.kind, text))).join(''),
  });
}
