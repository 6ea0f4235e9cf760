import { usage } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import { attempt } from '../../support/errno.ts';
import { placeholder } from '../../support/placeholders.ts';
import { ExactNumber, isRecord } from '../../support/record.ts';
import { suggest } from '../../support/suggest.ts';
import { parseExactly } from '../../support/text/exact-json.ts';

type Cells = Readonly<Record<string, string>>;

/** Read rows of csv with a header, or of ndjson, which starts with a brace. @throws Failure `usage` */
export async function readRows(text: string, name: string) {
  if (/^\s*\[\s*\{/.test(text))
    throw usage(`${name} is a JSON array`, "write one object per line: jq -c '.[]' rows.json > rows.ndjson");
  return /\.(ndjson|jsonl)$/i.test(name) || /^\s*\{/.test(text) ? fromLines(text, name) : fromCsv(text, name);
}

async function fromCsv(text: string, name: string) {
  const [columns = [], ...records] = await parseCsv(text, name);
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice !== undefined) throw usage(`${name} has two columns ${JSON.stringify(twice)}`);
  const rows = records.map((cells, at) => {
    if (cells.length !== columns.length)
      throw usage(
        `${name}, row ${at + 1}: ${counted(cells.length, 'cell')}, but ${counted(columns.length, 'column')}`,
      );
    return Object.fromEntries(columns.map((column, cell) => [column, cells[cell] as string]));
  });
  return { columns, rows };
}

function fromLines(text: string, name: string) {
  const columns = new Set<string>();
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const rows = lines.map((line, at) => {
    const place = `${name}, row ${at + 1}`;
    const value = attempt(() => parseExactly(line));
    if (value === undefined) throw usage(`${place} is not valid JSON`);
    if (!isRecord(value)) throw usage(`${place} is not a JSON object`);
    const cells = Object.entries(value).flatMap(([key, cell]) => {
      columns.add(key);
      const isScalar = cell !== null && (typeof cell !== 'object' || cell instanceof ExactNumber);
      return isScalar ? [[key, String(cell)]] : [];
    });
    return Object.fromEntries(cells);
  });
  return { columns: [...columns], rows };
}

/** Read comma-separated values (RFC 4180). Lines without any character are skipped. @throws Failure `usage` with the line of a wrong quote */
async function parseCsv(text: string, name: string): Promise<string[][]> {
  const { parse, CsvError } = await import('csv-parse/sync');
  try {
    const recordDelimiter = ['\r\n', '\n', '\r'];
    return parse(text, { recordDelimiter, relaxColumnCount: true, skipEmptyLines: true });
  } catch (error) {
    if (error instanceof CsvError)
      throw usage(`${name}, line ${error['lines']}: a quote is not closed, or text is before or after it`);
    throw error;
  }
}

const piece = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

/**
 * Find the placeholders of a command line, `{column}`.
 * @returns the words with a placeholder for each of the columns
 * @throws Failure `usage` for an unmatched brace; `{{` and `}}` are literal braces
 */
export function templateOf(typed: readonly string[]) {
  const columns: string[] = [];
  const words = typed.map((word) =>
    word.replace(piece, (text: string, column?: string) => {
      if (column !== undefined) return placeholder(columns.push(column) - 1);
      if (text.length === 2) return text.charAt(0);
      throw usage(`unmatched ${text} in ${JSON.stringify(word)}`, `use ${text}${text} for a literal brace`);
    }),
  );
  return { words, columns };
}

/** The cell of a row for a placeholder. @throws Failure `usage` for an unknown column, and for a row without a value */
export function cellOf(row: Cells, column: string, columns: readonly string[]): string {
  if (!columns.includes(column))
    throw usage(`the rows have no column ${JSON.stringify(column)}`, [
      ...suggest(column, columns),
      ...(columns.length > 0 ? [`columns: ${columns.join(', ')}`] : []),
      `use {{${column}}} for literal braces`,
    ]);
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  if (value === undefined) throw usage(`no value for {${column}}: it must be text, a number or a boolean`);
  return value;
}
