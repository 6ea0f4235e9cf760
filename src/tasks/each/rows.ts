/** The rows of `svc each --rows`. */
import { usage } from '../../errors.ts';
import { literal } from '../../support/literal.ts';
import { ExactNumber, isRecord } from '../../support/record.ts';
import { suggest } from '../../support/suggest.ts';
import { parseExactly } from '../../support/text/exact-json.ts';

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** Read rows of csv with a header, or of ndjson, which starts with a brace. @throws Failure `usage` */
export function readRows(text: string, name: string): Rows {
  if (/^\s*\[\s*\{/.test(text))
    throw usage(`${name} is a JSON array`, "write one object per line: jq -c '.[]' rows.json > rows.ndjson");
  return /\.(ndjson|jsonl)$/i.test(name) || /^\s*\{/.test(text) ? fromLines(text, name) : fromCsv(text, name);
}

function fromCsv(text: string, name: string): Rows {
  const [columns = [], ...records] = parseCsv(text, name);
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice !== undefined) throw usage(`${name} has two columns ${JSON.stringify(twice)}`);
  const [only = ''] = columns;
  if (columns.length === 1 && /[;\t]/.test(only))
    throw usage(`${name} has the single column ${JSON.stringify(only)}`, 'separate the columns with commas');
  const rows = records.map((cells, at) => {
    if (cells.length !== columns.length)
      throw usage(`${name}, row ${at + 1}: ${cells.length} cells, but ${columns.length} columns`);
    return record(columns.map((column, cell) => [column, cells[cell] as string]));
  });
  return { columns, rows };
}

function fromLines(text: string, name: string): Rows {
  const columns = new Set<string>();
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const rows = lines.map((line, at) => {
    const place = `${name}, row ${at + 1}`;
    const value = parsed(line, place);
    for (const key of Object.keys(value)) columns.add(key);
    return record(
      Object.entries(value).flatMap(([key, cell]): [string, string][] => {
        const filled = cellText(cell, `${place}: ${key}`);
        return filled === undefined ? [] : [[key, filled]];
      }),
    );
  });
  return { columns: [...columns], rows };
}

/** Without a prototype, `__proto__` is an ordinary column. */
function record(cells: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.assign(Object.create(null), Object.fromEntries(cells));
}

function parsed(line: string, place: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseExactly(line);
  } catch {
    throw usage(`${place} is not valid JSON`);
  }
  if (!isRecord(value)) throw usage(`${place} is not a JSON object`);
  return value;
}

function cellText(value: unknown, place: string): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'object' || value instanceof ExactNumber) return String(value);
  throw usage(`${place} must be text, a number or a boolean`);
}

/** A cell, quoted or not, and what ends it. */
const cellPattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y;

/**
 * Read comma-separated values (RFC 4180). Lines without any character are skipped.
 * @throws Failure `usage` with the line, for text after a quoted cell and for an open quote
 */
export function parseCsv(text: string, name: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  let isAfterComma = false;
  while (at < text.length || isAfterComma) {
    cellPattern.lastIndex = at;
    const found = cellPattern.exec(text);
    if (!found) throw usage(`${name}, line ${lineAt(text, at)}: a quote is not closed, or text follows it`);
    const [all, quoted, bare = '', end] = found;
    at += all.length;
    record.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    isAfterComma = end === ',';
    if (isAfterComma) continue;
    if (record.length > 1 || record[0] !== '' || quoted !== undefined) records.push(record);
    record = [];
  }
  return records;
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** A word as texts and columns, alternating: `KEY_{name}` is `['KEY_', 'name', '']`. */
type Template = readonly string[];

const piece = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;

function parseWord(word: string, columns: readonly string[]): Template {
  const parts = [''];
  for (const [text, column] of word.matchAll(piece)) {
    if (text === '{' || text === '}')
      throw usage(`unmatched ${text} in ${JSON.stringify(word)}`, `use ${text}${text} for a literal brace`);
    if (column === undefined) {
      parts[parts.length - 1] += text === '{{' || text === '}}' ? text.charAt(0) : text;
      continue;
    }
    if (!columns.includes(column))
      throw usage(`the rows have no column ${JSON.stringify(column)}`, [
        ...suggest(column, columns),
        ...(columns.length > 0 ? [`columns: ${columns.join(', ')}`] : []),
        `use {{${column}}} for literal braces`,
      ]);
    parts.push(column, '');
  }
  return parts;
}

/**
 * Compile the words of a command line.
 * @returns a function that fills in a row. Filled text is marked as literal: it is never read as a flag, `@file` or `-`
 * @throws Failure `usage` for an unknown column; the function, for a row without a value
 */
export function compileTemplate(
  words: readonly string[],
  columns: readonly string[],
): (row: Readonly<Record<string, string>>) => string[] {
  const templates = words.map((word) => parseWord(word, columns));
  return (row) =>
    templates.map((parts) =>
      parts
        .map((part, at) => {
          if (at % 2 === 0) return part;
          const value = row[part];
          if (value === undefined) throw usage(`no value for {${part}}`);
          if (!value.isWellFormed())
            throw usage(`the value for {${part}} is not valid Unicode (a lone surrogate)`);
          return literal(value);
        })
        .join(''),
    );
}

/** The words with a sample in each placeholder, to find the flags before any row is read. */
export function sampleWords(words: readonly string[]): string[] {
  return words.map((word) =>
    word.replace(piece, (text, column?: string) =>
      column === undefined ? text.replace(/^(\{|\})\1$/, '$1') : literal('true'),
    ),
  );
}
