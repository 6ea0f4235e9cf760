import type { Cell, HorizontalAlignment } from 'cli-table3';
import type { Numbers } from '../json/values.ts';
import type { ColumnKind, OutputOptions, Terminal } from '../model.ts';
import type { Printer } from '../printer.ts';
import { printable } from '../text.ts';
import type { ColumnReader } from './cells.ts';
import { painter } from './paint.ts';
import { tabular } from './table.ts';
import { briefTime } from './time.ts';
import { cramped, fitWidths, Measure, type Priority, total } from './width.ts';
import { wrapWords } from './wrap.ts';

const GAP = '  ';
/** Rows per call of the table library, whose time grows faster than linearly. */
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
 * Create a table for a terminal: without borders, with a bold header, and with columns cut to the width of the terminal.
 * The first page determines the column widths. Texts shrink first; numbers, statuses and times last.
 */
export async function screen(options: OutputOptions, terminal: Terminal, numbers: Numbers): Promise<Printer> {
  const paint = await painter(options.color);
  const measure = new Measure();
  if (terminal.accessible) return blocks(options, numbers, await painter(false), measure);
  const { default: Table } = await import('cli-table3');
  const ellipsis = terminal.unicode ? '…' : '...';
  let columns: readonly ColumnReader[] = [];
  let headers: readonly string[] = [];
  let widths: readonly number[] = [];
  let aligns: readonly HorizontalAlignment[] = [];
  let shorten: readonly (Abbreviation['apply'] | undefined)[] = [];
  const short = (text: string, column: number): string => shorten[column]?.(text) ?? text;

  const format = (rows: readonly (readonly Cell[])[]): string => {
    const table = new Table({
      chars: { ...noLines, middle: GAP },
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
      colWidths: [...widths],
      colAligns: [...aligns],
    });
    table.push(...rows.map((cells) => [...cells]));
    return `${table.toString().replace(/ +$/gm, '')}\n`;
  };
  const cell = (full: string, column: number): Cell => {
    const { name, kind } = columns[column]!;
    const width = widths[column]!;
    const text = short(full, column);
    if (name === options.wrap) return wrapWords(text, width, measure, 'split').join('\n');
    const cut = measure.cut(text, width, ellipsis);
    return kind === 'status' ? paint.status(cut) : cut;
  };

  return tabular(options, numbers, {
    paint,
    measure,
    spread: 'once',
    begin(selected, names, cells) {
      columns = selected;
      headers = names;
      const numeric = selected.map(
        ({ kind }, column) => kind === 'number' || (kind === undefined && isNumeric(cells, column)),
      );
      aligns = numeric.map((is) => (is ? 'right' : 'left'));
      const room = terminal.width - GAP.length * (selected.length - 1);
      let widest = measure.widest(cells);
      const titles = () => (options.header ? measure.widest([headers]) : []);
      const shortenBy = (known: readonly Abbreviation[]): void => {
        shorten = selected.map(({ kind }, column) => shortenerOf(known, kind, cells, column));
        widest = measure.widest(cells.map((texts) => texts.map(short)));
      };
      // Abbreviate before cutting.
      if (total(widest, titles()) > room) headers = shortened(names);
      if (total(widest, titles()) > room) shortenBy([commits]);
      const priorities = selected.map(({ kind }, column) =>
        numeric[column] ? 'rigid' : priorityOf(kind, shorten[column]),
      );
      widths = fitWidths(widest, titles(), priorities, room);
      if (!cramped(widths, widest, priorities)) return;
      shortenBy([commits, times]);
      widths = fitWidths(widest, titles(), priorities, room);
    },
    header: () =>
      format([
        headers.map((name, column) => paint.header(cutHeader(name, widths[column]!, measure, ellipsis))),
      ]),
    lines(cells) {
      let text = '';
      for (let from = 0; from < cells.length; from += CHUNK) {
        text += format(cells.slice(from, from + CHUNK).map((texts) => texts.map(cell)));
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

/** A shorter form of some values. */
interface Abbreviation {
  readonly fits: (text: string, kind: ColumnKind | undefined) => boolean;
  readonly apply: (text: string) => string;
}

/** Commit ids are identified by their first digits. */
const commits: Abbreviation = {
  fits: (text) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text),
  apply: (text) => text.slice(0, 8),
};

const times: Abbreviation = {
  fits: (text, kind) => kind === 'time' || briefTime(text) !== text,
  apply: briefTime,
};

function shortenerOf(
  known: readonly Abbreviation[],
  kind: ColumnKind | undefined,
  cells: Rows,
  column: number,
): Abbreviation['apply'] | undefined {
  const texts = cells.map((row) => row[column]!).filter((text) => text !== '' && text !== '-');
  return known.find(({ fits }) => texts.length > 0 && texts.every((text) => fits(text, kind)))?.apply;
}

function priorityOf(kind: ColumnKind | undefined, short: Abbreviation['apply'] | undefined): Priority {
  if (short) return 'rigid';
  if (kind === 'status') return 'word';
  return kind === undefined || kind === 'text' || kind === 'lines' ? 'text' : 'rigid';
}

/** Remove the prefix of dotted names if the last segment is unique: `COMMIT.AUTHOR_NAME` becomes `AUTHOR_NAME`. */
function shortened(names: readonly string[]): string[] {
  const last = names.map((name) => name.slice(name.lastIndexOf('.') + 1));
  return names.map((name, column) => {
    const own = last[column]!;
    return own !== '' && last.filter((other) => other === own).length === 1 ? own : name;
  });
}

/** Cut a header. Dotted names keep their end, which identifies them. */
function cutHeader(name: string, width: number, measure: Measure, ellipsis: string): string {
  const tail = name.slice(name.lastIndexOf('.') + 1);
  const isPlain = measure.width(name) <= width || measure.width(tail) > width - ellipsis.length;
  if (isPlain || !/^[\x20-\x7e]*$/.test(name)) return measure.cut(name, width, ellipsis);
  return ellipsis + name.slice(ellipsis.length - width);
}

/** Format rows for a screen reader: one field per line, and a blank line between rows. */
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

/** Format a name and its value. Multiline values start on the next line. */
function fact(name: string, text: string): string {
  if (!text.includes('\n')) return `${name}: ${text}\n`;
  return `${name}:\n${text.replace(/^/gm, '  ')}\n`;
}
