import { type ColumnKind, isAttributeName, kindOfName, labelOf } from '../../support/column.ts';
import { jsonText } from '../../support/json.ts';
import { showDuration, showSize } from '../../support/number.ts';
import { ExactNumber, isRecord } from '../../support/record.ts';
import { printable } from '../../support/text/printable.ts';
import { reader } from '../fields.ts';
import type { OutputOptions, Terminal, TimeStyle } from '../model.ts';
import { showTime } from './time.ts';

export interface ColumnReader {
  /** The path, as in `--fields`. */
  readonly name: string;
  readonly label: string;
  /** Undefined if it depends on the values. */
  readonly kind: ColumnKind | undefined;
  readonly read: (row: unknown) => unknown;
}

type ColumnOptions = Pick<OutputOptions, 'fields' | 'allFields' | 'columns' | 'kindOf' | 'onLateKeys'>;

/** Whether each key of the first rows is a column. */
const hasOthers = ({ fields, allFields, columns }: ColumnOptions): boolean =>
  !fields && (columns.length === 0 || allFields === true);

const keysOf = (rows: readonly unknown[]): string[] =>
  rows.flatMap((row) => (isRecord(row) ? Object.keys(row) : []));

/** Returns a function that gives the columns of a list, which the first rows determine, for each part of it. */
export function listColumns(options: ColumnOptions) {
  let columns: readonly ColumnReader[] | undefined;
  let isComplete = !hasOthers(options);
  return (rows: readonly unknown[]) => {
    const isFirst = columns === undefined;
    columns ??= columnReaders(options, rows);
    if (!isFirst && !isComplete) {
      const names = new Set(columns.map(({ name }) => name));
      const late = [...new Set(keysOf(rows))].filter((key) => !names.has(key));
      isComplete = late.length > 0;
      if (isComplete) options.onLateKeys?.(late);
    }
    return { columns, isFirst };
  };
}

/**
 * Return the columns of a list: `fields`, or else `columns`, or else every key of the first rows. `allFields` adds these
 * keys to the columns.
 */
export function columnReaders(options: ColumnOptions, rows: readonly unknown[]): readonly ColumnReader[] {
  const given = options.fields ?? options.columns.map(({ path }) => path);
  if (!isRecord(rows[0])) return [{ name: 'value', label: 'VALUE', kind: undefined, read: (row) => row }];
  const paths = hasOthers(options) ? [...new Set([...given, ...keysOf(rows)])] : given;
  return paths.map((path) => ({
    name: path,
    label:
      options.columns.find((column) => column.path === path)?.label ??
      (options.fields ? printable(path).toUpperCase() : headerOf(path)),
    kind: kindAt(options, path),
    read: reader(path),
  }));
}

export function headerOf(key: string): string {
  return isAttributeName(key) ? labelOf(key) : printable(key).toUpperCase();
}

/** Return the kind of an attribute: the declared one, or else that of its name. */
export function kindAt({ columns, kindOf }: ColumnOptions, path: string): ColumnKind | undefined {
  return columns.find((column) => column.path === path)?.kind ?? kindOf?.(path) ?? kindOfName(path);
}

/** Return the text of a value for machines: null is empty, objects and arrays are compact JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'object' ? jsonText(value) : String(value);
}

export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}

export function isSimple(value: unknown): boolean {
  return typeof value !== 'object' || value instanceof ExactNumber;
}

/** In a pipe, no cell is blank, so that fields can be counted. */
const pipeWords = { yes: 'true', no: 'false', empty: '-' };
type Words = Readonly<typeof pipeWords> & { readonly marks?: Readonly<Record<string, string>> };
/** The values of a column of the kind `mark`, on a terminal. */
const marks = { ok: '✓', missing: '✗' };
const spokenWords: Words = { yes: 'yes', no: 'no', empty: 'none' };

export function wordsOfList(terminal: Terminal | undefined): Words {
  if (!terminal) return pipeWords;
  if (terminal.accessible) return spokenWords;
  return terminal.unicode ? { yes: '✓', no: '', empty: '', marks } : { yes: 'yes', no: '', empty: '' };
}

export function wordsOfObject(terminal: Terminal | undefined): Words {
  if (!terminal) return pipeWords;
  return terminal.accessible ? spokenWords : { yes: 'yes', no: 'no', empty: '-' };
}

export interface DisplayOptions {
  readonly time: TimeStyle;
  readonly now: () => number;
  readonly words: Words;
  /** Print null, empty texts and empty lists differently. */
  readonly exactEmpty?: boolean;
  /** Keep line breaks, and print the exact time after a relative time. */
  readonly detailed?: boolean;
}

/** Whether a cell would be blank: null, a text of white space and control characters, or an empty list or object. */
function isBlank(value: unknown): boolean {
  const text = value ?? '';
  if (typeof text === 'string') return /^[\s\p{Cc}\p{Cf}]*$/u.test(text);
  return !isSimple(value) && Object.keys(value as object).length === 0;
}

/** Return the text of a value for people; a comma-separated list for arrays of simple values. */
export function displayText(value: unknown, kind: ColumnKind | undefined, display: DisplayOptions): string {
  if (isBlank(value)) return display.exactEmpty ? JSON.stringify(value ?? null) : display.words.empty;
  // A text can be blank once its escape sequences are removed.
  const safe = (text: string): string =>
    printable(text, { multiline: display.detailed ?? false }) || display.words.empty;
  if (typeof value === 'string') {
    if (kind === 'mark') return display.words.marks?.[value] ?? safe(value);
    if (kind !== undefined && kind !== 'time') return safe(value);
    const time = showTime(value, display.time, display.now);
    return safe(
      display.detailed && display.time === 'relative' && time !== value ? `${time} (${value})` : time,
    );
  }
  if (typeof value === 'boolean') return value ? display.words.yes : display.words.no;
  if (typeof value === 'number') return numberText(value, kind);
  if (kind === 'lines' && Array.isArray(value))
    return value.map((item) => printable(cellText(item))).join('\n');
  if (Array.isArray(value) && value.every(isSimple))
    return safe(value.map((item) => cellText(item)).join(', '));
  return safe(cellText(value));
}

function numberText(value: number, kind: ColumnKind | undefined): string {
  if (kind === 'duration') return showDuration(value);
  if (kind === 'size') return showSize(value);
  if (kind === 'share') return `${Math.round(value * 1000) / 10}%`;
  // Without rounding errors beyond 15 digits: 0.10200000000000001.
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(15)));
}
