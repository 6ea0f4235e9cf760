import { isRecord, reader } from '../fields.ts';
import { ExactNumber, type Numbers } from '../json/values.ts';
import type { ColumnKind, OutputOptions, TimeStyle } from '../model.ts';
import { printable } from '../text.ts';
import { statusName } from './palette.ts';
import { showTime } from './time.ts';

/** A column with its reader. */
export interface ColumnReader {
  readonly name: string;
  /** Undefined if it depends on the values. */
  readonly kind: ColumnKind | undefined;
  readonly read: (row: unknown) => unknown;
}

/** Return the columns of a list: `fields`, or else `columns`, or else every key of the first row. */
export function columnReaders(
  options: Pick<OutputOptions, 'fields' | 'columns'>,
  first: unknown,
): readonly ColumnReader[] {
  const kinds = new Map(options.columns.map(({ path, kind }) => [path, kind]));
  const given = options.fields ?? options.columns.map(({ path }) => path);
  if (!isRecord(first)) return [{ name: 'value', kind: undefined, read: (row) => row }];
  const paths = given.length > 0 ? given : Object.keys(first);
  return paths.map((path) => ({ name: path, kind: kinds.get(path) ?? kindOfName(path), read: reader(path) }));
}

/** Return the kind of a field that is known by its name. */
export function kindOfName(path: string): ColumnKind | undefined {
  return statusName.test(path) ? 'status' : undefined;
}

/** Return the text of a value for machines: null is empty, objects and arrays are compact JSON. */
export function cellText(value: unknown, numbers: Numbers): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'object' ? numbers.stringify(value) : String(value);
}

export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** Whether a value is a string, a number or a boolean. */
export function isSimple(value: unknown): boolean {
  return typeof value !== 'object' || value instanceof ExactNumber;
}

export interface DisplayOptions {
  readonly time: TimeStyle;
  readonly now: () => number;
  readonly numbers: Numbers;
  /** Keep line breaks, and print the exact time after a relative time. */
  readonly detailed?: boolean;
}

/** Return the text of a value for people: `-` for empty values, a comma-separated list for arrays of simple values. */
export function displayText(value: unknown, kind: ColumnKind | undefined, display: DisplayOptions): string {
  if (value === null || value === undefined || value === '') return '-';
  const safe = (text: string): string => printable(text, { multiline: display.detailed ?? false });
  if (typeof value === 'string') {
    if (kind !== undefined && kind !== 'time') return safe(value);
    const time = showTime(value, display.time, display.now);
    return safe(
      display.detailed && display.time === 'relative' && time !== value ? `${time} (${value})` : time,
    );
  }
  if (typeof value === 'number' && !Number.isInteger(value)) return withoutRoundingError(value);
  if (kind === 'lines' && Array.isArray(value) && value.length > 0) {
    return value.map((item) => printable(cellText(item, display.numbers))).join('\n');
  }
  if (Array.isArray(value) && value.every(isSimple)) {
    return value.length === 0 ? '-' : safe(value.map((item) => cellText(item, display.numbers)).join(', '));
  }
  return safe(cellText(value, display.numbers));
}

/** Remove rounding errors beyond 15 digits: 0.10200000000000001. */
function withoutRoundingError(value: number): string {
  return String(Number(value.toPrecision(15)));
}
