import type { Numbers } from './json/values.ts';
import type { OutputOptions } from './model.ts';
import type { Printer } from './printer.ts';
import { cellText, isNumber, type Reading, readings } from './table/cells.ts';

/** Records of cells as lines, their ends included. */
type Lines = (records: string[][]) => string;

/** What a spreadsheet may run as a formula. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** Comma-separated values: RFC 4180, lines ended by CRLF, quoted only where needed. */
export async function csv(options: OutputOptions, numbers: Numbers): Promise<Printer> {
  const { stringify } = await import('csv-stringify/sync');
  const lines: Lines = (records) =>
    // A lone empty cell is quoted: readers skip an empty line.
    stringify(records, {
      record_delimiter: '\r\n',
      quoted_match: /[\r\n]/,
      quoted_empty: records[0]?.length === 1,
    });
  return delimited(options, numbers, lines);
}

const tabEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Tab-separated values: a tab, a line break or a backslash within a cell is written `\t`, `\n`, `\r`, `\\`. */
export function tsv(options: OutputOptions, numbers: Numbers): Printer {
  const escaped = (cell: string): string => cell.replace(/[\\\t\n\r]/g, (char) => tabEscapes[char]!);
  return delimited(options, numbers, (records) =>
    records.map((cells) => `${cells.map(escaped).join('\t')}\n`).join(''),
  );
}

function delimited(options: OutputOptions, numbers: Numbers, lines: Lines): Printer {
  const defuse = (text: string): string => (options.csvSafe && formula.test(text) ? `'${text}` : text);
  const cell = (value: unknown): string => {
    const text = cellText(value, numbers);
    return isNumber(value) ? text : defuse(text);
  };
  let columns: readonly Reading[] | undefined;
  const printer: Printer = {
    rows(rows) {
      const begun = columns !== undefined;
      const chosen = columns ?? readings(options, rows[0]);
      columns = chosen;
      const records = rows.map((row) => chosen.map(({ read }) => cell(read(row))));
      if (!begun && options.header) records.unshift(chosen.map(({ name }) => defuse(name)));
      return lines(records);
    },
    end(rows) {
      const given = options.fields ?? options.columns.map(({ path }) => path);
      return rows === 0 && options.header && given.length > 0 ? lines([given.map(defuse)]) : '';
    },
    object: (value) =>
      Array.isArray(value) && value.length === 0 ? printer.end(0) : printer.rows(asRows(value)),
  };
  return printer;
}

function asRows(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
