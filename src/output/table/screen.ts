import type { Cell, HorizontalAlignment } from 'cli-table3';
import type { Numbers } from '../json/values.ts';
import type { ColumnKind, OutputOptions, Terminal } from '../model.ts';
import type { Printer } from '../printer.ts';
import { printable } from '../text.ts';
import type { Reading } from './cells.ts';
import { painter } from './paint.ts';
import { tabular } from './table.ts';
import { briefTime } from './time.ts';
import { cramped, fitWidths, type Grip, Measure, total } from './width.ts';
import { wrapWords } from './wrap.ts';

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
  let headers: readonly string[] = [];
  let widths: readonly number[] = [];
  let aligns: readonly HorizontalAlignment[] = [];
  let shorten: readonly (Shortening['say'] | undefined)[] = [];
  const short = (text: string, column: number): string => shorten[column]?.(text) ?? text;

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
  const cell = (whole: string, column: number): Cell => {
    const { name, kind } = columns[column]!;
    const width = widths[column]!;
    const text = short(whole, column);
    if (name === options.wrap) return wrapWords(text, width, measure, 'split').join('\n');
    const cut = measure.cut(text, width, ellipsis);
    return kind === 'status' ? paint.status(cut) : cut;
  };

  return tabular(options, numbers, {
    paint,
    measure,
    spread: 'once',
    begin(chosen, given, cells) {
      columns = chosen;
      headers = given;
      const numeric = chosen.map(
        ({ kind }, column) => kind === 'number' || (kind === undefined && isNumeric(cells, column)),
      );
      aligns = numeric.map((is) => (is ? 'right' : 'left'));
      const room = terminal.width - GAP.length * (chosen.length - 1);
      let widest = measure.widest(cells);
      const titles = () => (options.header ? measure.widest([headers]) : []);
      const shortenBy = (known: readonly Shortening[]): void => {
        shorten = chosen.map(({ kind }, column) => shortenerOf(known, kind, cells, column));
        widest = measure.widest(cells.map((texts) => texts.map(short)));
      };
      // What can be said in fewer letters is, before much is cut.
      if (total(widest, titles()) > room) headers = shortened(given);
      if (total(widest, titles()) > room) shortenBy([commits]);
      const grips = chosen.map(({ kind }, column) =>
        numeric[column] ? 'rigid' : gripOf(kind, shorten[column]),
      );
      widths = fitWidths(widest, titles(), grips, room);
      if (!cramped(widths, widest, grips)) return;
      shortenBy([commits, times]);
      widths = fitWidths(widest, titles(), grips, room);
    },
    header: () =>
      set([headers.map((name, column) => paint.header(cutHeader(name, widths[column]!, measure, ellipsis)))]),
    lines(cells) {
      let text = '';
      for (let from = 0; from < cells.length; from += CHUNK) {
        text += set(cells.slice(from, from + CHUNK).map((texts) => texts.map(cell)));
      }
      return text;
    },
  });
}

type Rows = readonly (readonly string[])[];

function isNumeric(cells: Rows, column: number): boolean {
  const some = cells.some((texts) => texts[column] !== '-');
  return some && cells.every((texts) => number.test(texts[column]!));
}

/** A way of saying some values in fewer letters. */
interface Shortening {
  readonly fits: (text: string, kind: ColumnKind | undefined) => boolean;
  readonly say: (text: string) => string;
}

/** The first digits of a commit id name it as well. */
const commits: Shortening = {
  fits: (text) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text),
  say: (text) => text.slice(0, 8),
};

const times: Shortening = {
  fits: (text, kind) => kind === 'time' || briefTime(text) !== text,
  say: briefTime,
};

function shortenerOf(
  known: readonly Shortening[],
  kind: ColumnKind | undefined,
  cells: Rows,
  column: number,
): Shortening['say'] | undefined {
  const texts = cells.map((row) => row[column]!).filter((text) => text !== '' && text !== '-');
  return known.find(({ fits }) => texts.length > 0 && texts.every((text) => fits(text, kind)))?.say;
}

function gripOf(kind: ColumnKind | undefined, short: Shortening['say'] | undefined): Grip {
  if (short) return 'rigid';
  if (kind === 'status') return 'word';
  return kind === undefined || kind === 'text' || kind === 'lines' ? 'text' : 'rigid';
}

/** Without what leads to it, where no other column has the same name: `COMMIT.AUTHOR_NAME` is `AUTHOR_NAME`. */
function shortened(names: readonly string[]): string[] {
  const last = names.map((name) => name.slice(name.lastIndexOf('.') + 1));
  return names.map((name, column) => {
    const own = last[column]!;
    return own !== '' && last.filter((one) => one === own).length === 1 ? own : name;
  });
}

/** A dotted name is told by its end. */
function cutHeader(name: string, width: number, measure: Measure, ellipsis: string): string {
  const tail = name.slice(name.lastIndexOf('.') + 1);
  const whole = measure.width(name) <= width || measure.width(tail) > width - ellipsis.length;
  if (whole || !/^[\x20-\x7e]*$/.test(name)) return measure.cut(name, width, ellipsis);
  return ellipsis + name.slice(ellipsis.length - width);
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
      const rows = cells.map((texts) => texts.map((text, column) => fact(names[column]!, text)).join(''));
      const before = first ? '' : '\n';
      first = false;
      return before + rows.join('\n');
    },
  });
}

/** A name and its value; each line of a longer value is a line of its own. */
function fact(name: string, text: string): string {
  if (!text.includes('\n')) return `${name}: ${text}\n`;
  return `${name}:\n${text.replace(/^/gm, '  ')}\n`;
}
