import { cellText, isNumber, type Reading, readings } from './cells.ts';
import type { OutputOptions } from './index.ts';
import type { Printer } from './printer.ts';
import type { Numbers } from './values.ts';

/** A record of cells as one line, its end included. */
type Line = (cells: readonly string[]) => string;

/** What a spreadsheet may run as a formula. */
const formula = /^[=+\-@\t\r]/;

/** Comma-separated values: RFC 4180, lines ended by CRLF, quoted only where needed. */
export async function csv(options: OutputOptions, numbers: Numbers): Promise<Printer> {
  const { stringify } = await import('csv-stringify/sync');
  const line: Line = (cells) =>
    // A lone empty cell is quoted: readers skip an empty line.
    stringify([[...cells]], {
      record_delimiter: '\r\n',
      quoted_match: /[\r\n]/,
      quoted_empty: cells.length === 1,
    });
  return delimited(options, numbers, line);
}

const tabEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Tab-separated values: a tab, a line break or a backslash within a cell is written `\t`, `\n`, `\r`, `\\`. */
export function tsv(options: OutputOptions, numbers: Numbers): Printer {
  const escaped = (cell: string): string => cell.replace(/[\\\t\n\r]/g, (char) => tabEscapes[char]!);
  return delimited(options, numbers, (cells) => `${cells.map(escaped).join('\t')}\n`);
}

function delimited(options: OutputOptions, numbers: Numbers, line: Line): Printer {
  const defuse = (text: string): string => (options.csvSafe && formula.test(text) ? `'${text}` : text);
  const cell = (value: unknown): string => {
    const text = cellText(value, numbers);
    return isNumber(value) ? text : defuse(text);
  };
  const lines = (rows: readonly unknown[], columns: readonly Reading[]): string =>
    rows.map((row) => line(columns.map(({ read }) => cell(read(row))))).join('');
  const header = (columns: readonly Reading[]): string =>
    options.header ? line(columns.map(({ name }) => defuse(name))) : '';
  let columns: readonly Reading[] | undefined;
  const printer: Printer = {
    rows(rows) {
      if (columns) return lines(rows, columns);
      columns = readings(options, rows[0]);
      return header(columns) + lines(rows, columns);
    },
    end(rows) {
      const given = options.fields ?? options.columns.map(({ path }) => path);
      return rows === 0 && options.header && given.length > 0 ? line(given) : '';
    },
    object: (value) => printer.rows(Array.isArray(value) ? value : [value]),
  };
  return printer;
}
