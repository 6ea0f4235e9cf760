import type { Cell, HorizontalAlignment } from 'cli-table3';
import type { Reading } from './cells.ts';
import type { OutputOptions } from './index.ts';
import { painter } from './paint.ts';
import type { Printer } from './printer.ts';
import { tabular } from './table.ts';
import { printable } from './text.ts';
import type { Numbers } from './values.ts';
import { fitWidths, Measure } from './width.ts';

export type Terminal = NonNullable<OutputOptions['terminal']>;

const GAP = '  ';
/** Rows that the table library sets at once: its time grows faster than their number. */
const CHUNK = 100;
const number = /^(-|-?\d[\d.]*(?:[eE][+-]?\d+)?)$/;

const edges = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
];
const inner = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'];
const noLines = Object.fromEntries([...edges, ...inner].map((part) => [part, '']));

/**
 * A table for a terminal: no lines drawn, the header bold, columns cut to fit the width. The widths are those of the
 * first page. Names and other texts give way first; numbers, statuses and times last.
 */
export async function screen(options: OutputOptions, terminal: Terminal, numbers: Numbers): Promise<Printer> {
  const paint = await painter(options.color);
  const measure = new Measure();
  if (terminal.accessible) return blocks(options, numbers, await painter(false), measure);
  const { default: Table } = await import('cli-table3');
  const ellipsis = terminal.unicode ? '…' : '...';
  let columns: readonly Reading[] = [];
  let widths: readonly number[] = [];
  let aligns: readonly HorizontalAlignment[] = [];

  const set = (rows: readonly (readonly Cell[])[]): string => {
    const table = new Table({
      chars: { ...noLines, middle: GAP },
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
      colWidths: [...widths],
      colAligns: [...aligns],
    });
    table.push(...rows.map((cells) => [...cells]));
    return `${table.toString().replace(/ +$/gm, '')}\n`;
  };
  const cell = (text: string, column: number): Cell => {
    const { name, kind } = columns[column]!;
    if (name === options.wrap) return { content: text, wordWrap: true };
    const cut = measure.cut(text, widths[column]!, ellipsis);
    return kind === 'status' ? paint.status(cut) : cut;
  };

  return tabular(options, numbers, {
    paint,
    measure,
    begin(chosen, names, cells) {
      columns = chosen;
      const numeric = chosen.map(
        ({ kind }, column) =>
          kind === 'number' || (kind === undefined && cells.every((texts) => number.test(texts[column]!))),
      );
      aligns = numeric.map((is) => (is ? 'right' : 'left'));
      widths = fitWidths(
        measure.widest(cells),
        options.header ? measure.widest([names]) : [],
        chosen.map(({ kind }, column) => numeric[column]! || (kind !== undefined && kind !== 'text')),
        terminal.width - GAP.length * (chosen.length - 1),
      );
    },
    header: (names) =>
      set([names.map((name, column) => paint.header(measure.cut(name, widths[column]!, ellipsis)))]),
    lines(cells) {
      let text = '';
      for (let from = 0; from < cells.length; from += CHUNK) {
        text += set(cells.slice(from, from + CHUNK).map((texts) => texts.map(cell)));
      }
      return text;
    },
  });
}

/** For a screen reader: one fact a line, a blank line between rows. */
function blocks(
  options: OutputOptions,
  numbers: Numbers,
  paint: Awaited<ReturnType<typeof painter>>,
  measure: Measure,
): Printer {
  let names: readonly string[] = [];
  let first = true;
  return tabular(options, numbers, {
    paint,
    measure,
    begin(columns) {
      names = columns.map(({ name }) => printable(name));
    },
    header: () => '',
    lines(cells) {
      const rows = cells.map((texts) => texts.map((text, column) => `${names[column]}: ${text}\n`).join(''));
      const before = first ? '' : '\n';
      first = false;
      return before + rows.join('\n');
    },
  });
}
