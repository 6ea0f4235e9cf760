import type { Cell, HorizontalAlignment } from 'cli-table3';
import { sentenceCase } from '../../support/column.ts';
import type { OutputOptions, Terminal } from '../model.ts';
import type { Printer } from '../printer.ts';
import type { ColumnReader } from './cells.ts';
import { fitColumns } from './fit.ts';
import { painter } from './paint.ts';
import { GAP, isNumeric, type TableLayout, tabular } from './table.ts';
import { briefTime } from './time.ts';
import { Measure } from './width.ts';
import { wrapWords } from './wrap.ts';

/** Rows per call of the table library, whose time grows faster than linearly. */
const CHUNK = 100;

/** The lines of a table, none of which are drawn. */
const lines =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid';
const noLines = Object.fromEntries(lines.split(' ').map((part) => [part, '']));

interface Shown extends ColumnReader {
  /** The position of its cells in a row. */
  readonly at: number;
  readonly width: number;
  readonly align: HorizontalAlignment;
  readonly shorten: (text: string) => string;
}

/**
 * Create a table for a terminal: without borders, with a bold header, and with columns that fit the width of the terminal. The
 * first page determines the columns; they grow if cells of later pages are wider and the line has room.
 */
export async function screen(options: OutputOptions, terminal: Terminal): Promise<Printer> {
  const paint = await painter(options.color && !terminal.accessible);
  const measure = new Measure();
  const list = (inner: OutputOptions) => screen(inner, inner.terminal ?? terminal);
  if (terminal.accessible) return blocks(options, { paint, measure, list });
  const { default: Table } = await import('cli-table3');
  const ellipsis = terminal.unicode ? '…' : '...';
  let columns: readonly Shown[] = [];

  const format = (rows: readonly (readonly Cell[])[], widths: readonly number[]): string => {
    const table = new Table({
      chars: { ...noLines, middle: GAP },
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
      colWidths: [...widths],
      colAligns: columns.map(({ align }) => align),
    });
    table.push(...rows.map((cells) => [...cells]));
    return `${table.toString().replace(/(?<! ) +$/gm, '')}\n`;
  };
  const cell = (text: string, { name, kind, width }: Shown, link: string | undefined): Cell => {
    if (name === options.wrap) return wrapWords(text, width, measure, 'split').join('\n');
    const fitting = kind === 'time' && text.length > width ? briefTime(text) : text;
    const content = paint.cell(kind, measure.cut(fitting, width, ellipsis));
    return link !== undefined && linked.test(name) && text !== '' ? { content, href: link } : content;
  };
  const chunk = (rows: readonly (readonly string[])[], links: readonly (string | undefined)[]): string => {
    columns = grown(columns, rows, terminal.width, measure);
    const texts = rows.map((row) => columns.map(({ at, shorten }) => shorten(row[at]!)));
    // An identifier that is wider than the room on the line moves the rest of its rows.
    const widest = measure.widest(texts);
    const widths = columns.map((column, index) =>
      isIdentifying(column) ? Math.max(column.width, widest[index]!) : column.width,
    );
    const cells = texts.map((row, at) =>
      row.map((text, index) => cell(text, { ...columns[index]!, width: widths[index]! }, links[at])),
    );
    return format(cells, widths);
  };

  return tabular(options, {
    paint,
    measure,
    list,
    spread: 'once',
    begin(selected, cells) {
      columns = arrange(selected, cells, options, terminal.width, measure);
      const hidden = selected.filter((_, at) => columns.every((one) => one.at !== at));
      options.onHidden?.(hidden.map(({ label }) => label));
    },
    header: () =>
      format(
        [columns.map(({ label }) => paint.name(label))],
        columns.map(({ width }) => width),
      ),
    lines(cells, links) {
      let text = '';
      for (let from = 0; from < cells.length; from += CHUNK)
        text += chunk(cells.slice(from, from + CHUNK), links.slice(from, from + CHUNK));
      return text;
    },
  });
}

/** The columns that link to the web page of their row. */
const linked = /^(?:i?id|name|title|username|tag_name)$/;

type Rows = readonly (readonly string[])[];

const isIdentifying = ({ kind, at }: Shown): boolean => kind === 'id' || (kind === 'name' && at === 0);

function arrange(
  columns: readonly ColumnReader[],
  cells: Rows,
  options: OutputOptions,
  width: number,
  measure: Measure,
): readonly Shown[] {
  const labels = measure.widest([columns.map(({ label }) => (options.header ? label : ''))]);
  const shorteners = columns.map(({ kind }, at) => (kind === 'id' ? shortSha(cells, at) : asIs));
  const texts = cells.map((row) => row.map((text, at) => shorteners[at]!(text)));
  const full = measure.widest(texts);
  const isTime = (at: number): boolean => (columns[at]!.kind ?? 'time') === 'time';
  const brief = measure.widest(
    texts.map((row) => row.map((text, at) => (isTime(at) ? briefTime(text) : text))),
  );
  // Every key of an unknown object is a column: only its first id is worth keeping.
  const isDeclared = options.columns.length > 0 || options.fields !== undefined;
  const fit = fitColumns(
    columns.map(({ name, kind }, at) => ({
      kind: name === options.wrap || (kind === 'id' && at > 0 && !isDeclared) ? 'text' : kind,
      label: labels[at]!,
      cell: full[at]!,
      brief: brief[at]!,
      filled: texts.some((row) => row[at] !== ''),
      keep:
        options.fields !== undefined ||
        options.allFields === true ||
        name === options.wrap ||
        options.columns.some(({ path, keep }) => path === name && keep === true),
    })),
    width,
    GAP.length,
  );
  return columns.flatMap((column, at): Shown[] => {
    const room = fit.widths[at];
    if (room === undefined) return [];
    const shorten = fit.brief && isTime(at) ? briefTime : shorteners[at]!;
    const align = isNumeric(column.kind, cells, at) ? 'right' : 'left';
    return [{ ...column, at, width: room, align, shorten }];
  });
}

/** Widen the columns for the cells of a later page, as far as the line has room. Identifiers and names come first. */
function grown(columns: readonly Shown[], rows: Rows, width: number, measure: Measure): readonly Shown[] {
  const widest = measure.widest(rows.map((row) => columns.map(({ at, shorten }) => shorten(row[at]!))));
  const used = columns.reduce((sum, column) => sum + column.width, GAP.length * (columns.length - 1));
  let room = Math.max(0, width - used);
  const widths = columns.map((column) => column.width);
  const isName = ({ kind }: Shown) => kind === 'id' || kind === 'name';
  for (const isFirst of [true, false])
    for (const [index, column] of columns.entries()) {
      const more =
        isName(column) === isFirst ? Math.min(room, Math.max(0, widest[index]! - column.width)) : 0;
      widths[index]! += more;
      room -= more;
    }
  return columns.map((column, index) => ({ ...column, width: widths[index]! }));
}

const asIs = (text: string): string => text;

/** Shorten commit ids, which are identified by their first digits. */
function shortSha(cells: Rows, column: number): (text: string) => string {
  const isSha = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64}|)$/.test(text);
  return cells.every((row) => isSha(row[column]!)) ? (text) => text.slice(0, 8) : asIs;
}

/** Format rows for a screen reader: one field per line, and a blank line between rows. */
function blocks(options: OutputOptions, layout: Pick<TableLayout, 'paint' | 'measure' | 'list'>): Printer {
  let labels: readonly string[] = [];
  let first = true;
  return tabular(options, {
    ...layout,
    begin(columns) {
      labels = columns.map(({ label }) => sentenceCase(label));
    },
    header: () => '',
    lines(cells) {
      const rows = cells.map((texts) => texts.map((text, column) => fact(labels[column]!, text)).join(''));
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
