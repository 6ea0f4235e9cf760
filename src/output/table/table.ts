import type { Numbers } from '../json/values.ts';
import type { OutputOptions } from '../model.ts';
import type { Printer } from '../printer.ts';
import { printable } from '../text.ts';
import { type ColumnReader, columnReaders, displayText } from './cells.ts';
import { detail } from './detail.ts';
import { type Paint, painter } from './paint.ts';
import { Measure } from './width.ts';
import { spread } from './wrap.ts';

const GAP = '  ';

/** Formats rows of cells. */
export interface TableLayout {
  readonly paint: Paint;
  readonly measure: Measure;
  /** Whether single-line cells beside multiline cells are repeated on each line. If unset, rows are not split into lines. */
  readonly spread?: 'each' | 'once';
  /** Called once with the cells of the first page. */
  begin(
    columns: readonly ColumnReader[],
    names: readonly string[],
    cells: readonly (readonly string[])[],
  ): void;
  header(names: readonly string[]): string;
  lines(cells: readonly (readonly string[])[]): string;
}

/** Create a printer of rows in a table layout, and of single objects as a detail view. */
export function tabular(options: OutputOptions, numbers: Numbers, layout: TableLayout): Printer {
  const display = { time: options.time, now: options.now, numbers };
  let columns: readonly ColumnReader[] | undefined;
  const printer: Printer = {
    async rows(rows) {
      const isFirst = columns === undefined;
      const selected = columns ?? columnReaders(options, rows[0]);
      columns = selected;
      const texts = rows.map((row) =>
        selected.map(({ kind, read }) => displayText(read(row), kind, display)),
      );
      const cells = layout.spread ? texts.flatMap((row) => spread(row, layout.spread === 'each')) : texts;
      for (const row of cells) await layout.measure.prepare(row);
      if (!isFirst) return layout.lines(cells);
      const names = selected.map(({ name }) => printable(name).toUpperCase());
      await layout.measure.prepare(names);
      layout.begin(selected, names, cells);
      return (options.header ? layout.header(names) : '') + layout.lines(cells);
    },
    end: () => '',
    object(value) {
      if (!Array.isArray(value)) return detail(value, options, display, layout.paint);
      return value.length > 0 ? printer.rows(value) : '';
    },
  };
  return printer;
}

/**
 * Create a table for a pipe: aligned columns, separated by two spaces, never cut. The first page determines the widths; a
 * wider cell on a later page shifts the rest of its line.
 */
export async function table(options: OutputOptions, numbers: Numbers): Promise<Printer> {
  const measure = new Measure();
  const paint = await painter(options.color);
  let widths: readonly number[] = [];
  let status: readonly boolean[] = [];

  const line = (texts: readonly string[], painted: (text: string, column: number) => string): string => {
    const last = texts.length - 1;
    let out = '';
    for (let column = 0; column < last; column++) {
      const text = texts[column]!;
      const spaces = Math.max(0, widths[column]! - measure.width(text));
      out += painted(text, column) + ' '.repeat(spaces) + GAP;
    }
    return `${out}${painted(texts[last]!, last)}\n`;
  };
  const painted = (text: string, column: number): string => (status[column] ? paint.status(text) : text);

  return tabular(options, numbers, {
    paint,
    measure,
    spread: 'each',
    begin(columns, names, cells) {
      widths = measure.widest(options.header ? [names, ...cells] : cells);
      status = columns.map(({ kind }) => kind === 'status');
    },
    header: (names) => line(names, paint.header),
    lines: (cells) => cells.map((texts) => line(texts, painted)).join(''),
  });
}
