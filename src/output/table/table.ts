import type { Numbers } from '../json/values.ts';
import type { OutputOptions } from '../model.ts';
import type { Printer } from '../printer.ts';
import { printable } from '../text.ts';
import { type Reading, readings, shownText } from './cells.ts';
import { detail } from './detail.ts';
import { type Paint, painter } from './paint.ts';
import { Measure } from './width.ts';
import { spread } from './wrap.ts';

const GAP = '  ';

/** A way of setting rows of cells. */
export interface Setting {
  readonly paint: Paint;
  readonly measure: Measure;
  /** What cells of one line do beside one of several: stand on each of its lines, or on the first. Absent, a row is handed on whole. */
  readonly spread?: 'each' | 'once';
  /** Called once, with the first page's cells, before the lines of any. */
  begin(columns: readonly Reading[], names: readonly string[], cells: readonly (readonly string[])[]): void;
  header(names: readonly string[]): string;
  lines(cells: readonly (readonly string[])[]): string;
}

/** Rows as text for a person, whatever the setting; one object as a detail view. */
export function tabular(options: OutputOptions, numbers: Numbers, setting: Setting): Printer {
  const showing = { time: options.time, now: options.now, numbers };
  let columns: readonly Reading[] | undefined;
  const printer: Printer = {
    async rows(rows) {
      const begun = columns !== undefined;
      const chosen = columns ?? readings(options, rows[0]);
      columns = chosen;
      const texts = rows.map((row) => chosen.map(({ kind, read }) => shownText(read(row), kind, showing)));
      const cells = setting.spread ? texts.flatMap((row) => spread(row, setting.spread === 'each')) : texts;
      for (const row of cells) await setting.measure.prepare(row);
      if (begun) return setting.lines(cells);
      const names = chosen.map(({ name }) => printable(name).toUpperCase());
      await setting.measure.prepare(names);
      setting.begin(chosen, names, cells);
      return (options.header ? setting.header(names) : '') + setting.lines(cells);
    },
    end: () => '',
    object(value) {
      if (!Array.isArray(value)) return detail(value, options, showing, setting.paint);
      return value.length > 0 ? printer.rows(value) : '';
    },
  };
  return printer;
}

/**
 * A table for a pipe: aligned columns, two spaces between, nothing cut. The widths are those of the first page; a wider
 * cell further down moves the rest of its line.
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
