import { usage } from '../errors.ts';
import type { OutputOptions } from './model.ts';
import type { Printer } from './printer.ts';
import { replaceEach } from './replace-each.ts';
import { cellText, isNumber, listColumns } from './table/cells.ts';

/** Formats records as text, line ends included. */
type FormatRecords = (records: string[][]) => string;

/** The start of a text that a spreadsheet may run as a formula. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** Characters of a cell that csv-stringify escapes in the memory of a small machine. */
const maxCell = 8 * 1024 * 1024;

/** @throws Failure `usage` */
function rejectHuge(records: readonly (readonly string[])[]): void {
  const huge = records.flat().find((cell) => cell.length > maxCell);
  if (huge !== undefined)
    throw usage(
      `a value of ${huge.length} characters is too large for csv`,
      'use -o json, or select other fields with --fields',
    );
}

/** Comma-separated values (RFC 4180) with CRLF line ends, quoted only if necessary. */
export async function csv(options: OutputOptions): Promise<Printer> {
  const { stringify } = await import('csv-stringify/sync');
  const formatRecords: FormatRecords = (records) => {
    rejectHuge(records);
    // A single empty cell is quoted because readers skip empty lines.
    return stringify(records, {
      record_delimiter: '\r\n',
      quoted_match: /[\r\n]/,
      quoted_empty: records[0]?.length === 1,
    });
  };
  return delimited(options, formatRecords);
}

const tabEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Tab-separated values. Tabs, line breaks and backslashes in cells are escaped: `\t`, `\n`, `\r`, `\\`. */
export function tsv(options: OutputOptions): Printer {
  const escaped = (cell: string): string =>
    replaceEach(cell, /[\\\t\n\r]/g, (char) => tabEscapes[char] ?? char);
  return delimited(options, (records) =>
    records.map((cells) => `${cells.map(escaped).join('\t')}\n`).join(''),
  );
}

function delimited(options: OutputOptions, formatRecords: FormatRecords): Printer {
  const defuse = (text: string): string => (options.csvSafe && formula.test(text) ? `'${text}` : text);
  const cell = (value: unknown): string => {
    const text = cellText(value);
    return isNumber(value) ? text : defuse(text);
  };
  const columnsFor = listColumns(options);
  const printer: Printer = {
    rows(rows) {
      const { columns, isFirst } = columnsFor(rows);
      const records = rows.map((row) => columns.map(({ read }) => cell(read(row))));
      if (isFirst && options.header) records.unshift(columns.map(({ name }) => defuse(name)));
      return formatRecords(records);
    },
    end(rows) {
      const given = options.fields ?? options.columns.map(({ path }) => path);
      return rows === 0 && options.header && given.length > 0 ? formatRecords([given.map(defuse)]) : '';
    },
    object: (value) =>
      Array.isArray(value) && value.length === 0 ? printer.end(0) : printer.rows([value].flat()),
  };
  return printer;
}
