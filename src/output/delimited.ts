import type { Numbers } from './json/values.ts';
import type { OutputOptions } from './model.ts';
import type { Printer } from './printer.ts';
import { replaceEach } from './replace-each.ts';
import { type ColumnReader, cellText, columnReaders, isNumber } from './table/cells.ts';

/** Formats records as text, line ends included. */
type FormatRecords = (records: string[][]) => string;

/** The start of a text that a spreadsheet may run as a formula. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** Comma-separated values (RFC 4180) with CRLF line ends, quoted only if necessary. */
export function csv(options: OutputOptions, numbers: Numbers): Printer {
  // A single empty cell is quoted because readers skip empty lines.
  const quoted = (cell: string, isOnly: boolean): string =>
    /[",\r\n]/.test(cell) || (isOnly && cell === '') ? `"${replaceEach(cell, /"/g, () => '""')}"` : cell;
  return delimited(options, numbers, (records) =>
    records.map((cells) => `${cells.map((cell) => quoted(cell, cells.length === 1)).join(',')}\r\n`).join(''),
  );
}

const tabEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Tab-separated values. Tabs, line breaks and backslashes in cells are escaped: `\t`, `\n`, `\r`, `\\`. */
export function tsv(options: OutputOptions, numbers: Numbers): Printer {
  const escaped = (cell: string): string =>
    replaceEach(cell, /[\\\t\n\r]/g, (char) => tabEscapes[char] ?? char);
  return delimited(options, numbers, (records) =>
    records.map((cells) => `${cells.map(escaped).join('\t')}\n`).join(''),
  );
}

function delimited(options: OutputOptions, numbers: Numbers, formatRecords: FormatRecords): Printer {
  const defuse = (text: string): string => (options.csvSafe && formula.test(text) ? `'${text}` : text);
  const cell = (value: unknown): string => {
    const text = cellText(value, numbers);
    return isNumber(value) ? text : defuse(text);
  };
  let columns: readonly ColumnReader[] | undefined;
  const printer: Printer = {
    rows(rows) {
      const isFirst = columns === undefined;
      const selected = columns ?? columnReaders(options, rows);
      columns = selected;
      const records = rows.map((row) => selected.map(({ read }) => cell(read(row))));
      if (isFirst && options.header) records.unshift(selected.map(({ name }) => defuse(name)));
      return formatRecords(records);
    },
    end(rows) {
      const given = options.fields ?? options.columns.map(({ path }) => path);
      return rows === 0 && options.header && given.length > 0 ? formatRecords([given.map(defuse)]) : '';
    },
    object: (value) =>
      Array.isArray(value) && value.length === 0 ? printer.end(0) : printer.rows(asRows(value)),
  };
  return printer;
}

function asRows(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
