import { type Reading, readings, type Showing, shownText } from './cells.ts';
import { detail } from './detail.ts';
import type { OutputOptions } from './index.ts';
import { type Paint, painter } from './paint.ts';
import type { Printer } from './printer.ts';
import type { Numbers } from './values.ts';
import { Measure } from './width.ts';

const GAP = '  ';

/**
 * A table for a pipe: aligned columns, two spaces between, nothing cut. The widths are those of the first page; a wider
 * cell further down moves the rest of its line.
 */
export async function table(options: OutputOptions, numbers: Numbers): Promise<Printer> {
  const showing: Showing = { time: options.time, now: options.now, numbers };
  const measure = new Measure();
  const paint: Paint = await painter(options.color);
  let columns: readonly Reading[] | undefined;
  let widths: readonly number[] = [];

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

  const printer: Printer = {
    async rows(rows) {
      columns ??= readings(options, rows[0]);
      const chosen = columns;
      const cells = rows.map((row) => chosen.map(({ kind, read }) => shownText(read(row), kind, showing)));
      for (const texts of cells) await measure.prepare(texts);
      let text = '';
      if (widths.length === 0) {
        const names = chosen.map(({ name }) => name.toUpperCase());
        widths = names.map((name, column) =>
          cells.reduce(
            (widest, texts) => Math.max(widest, measure.width(texts[column]!)),
            options.header ? measure.width(name) : 0,
          ),
        );
        if (options.header) text += line(names, paint.header);
      }
      const painted = (cell: string, column: number): string =>
        chosen[column]!.kind === 'status' ? paint.status(cell) : cell;
      for (const texts of cells) text += line(texts, painted);
      return text;
    },
    end: () => '',
    object: (value) => (isList(value) ? printer.rows(value) : detail(value, options, showing, paint)),
  };
  return printer;
}

/** Whether a value is shown best as rows. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}
