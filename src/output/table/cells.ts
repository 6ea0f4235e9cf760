import { isRecord, reader } from '../fields.ts';
import { ExactNumber, type Numbers } from '../json/values.ts';
import type { Column, ColumnKind, OutputOptions, TimeStyle } from '../model.ts';
import { printable } from '../text.ts';
import { statusName } from './palette.ts';
import { showTime } from './time.ts';

/** A column ready to be read. */
export interface Reading {
  readonly name: string;
  /** Undefined where only the values tell. */
  readonly kind: ColumnKind | undefined;
  readonly read: (row: unknown) => unknown;
}

/** The columns of a list: those asked for, else the given ones, else every key of the first row. */
export function readings(
  options: Pick<OutputOptions, 'fields' | 'columns'>,
  first: unknown,
): readonly Reading[] {
  const kinds = new Map(options.columns.map(({ path, kind }: Column) => [path, kind]));
  const given = options.fields ?? options.columns.map(({ path }) => path);
  if (!isRecord(first)) return [{ name: 'value', kind: undefined, read: (row) => row }];
  const paths = given.length > 0 ? given : Object.keys(first);
  return paths.map((path) => ({ name: path, kind: kinds.get(path) ?? kindOfName(path), read: reader(path) }));
}

/** What a name alone tells of its values. */
export function kindOfName(path: string): ColumnKind | undefined {
  return statusName.test(path) ? 'status' : undefined;
}

/** The text of a value for a machine: null is empty, what is nested is compact JSON. */
export function cellText(value: unknown, numbers: Numbers): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'object' ? numbers.stringify(value) : String(value);
}

export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** Whether a value is a word of its own: text, a number, true or false. */
export function isSimple(value: unknown): boolean {
  return typeof value !== 'object' || value instanceof ExactNumber;
}

export interface Showing {
  readonly time: TimeStyle;
  readonly now: () => number;
  readonly numbers: Numbers;
  /** There is room: line breaks are kept, and a relative time is followed by the exact one. */
  readonly roomy?: boolean;
}

/** The text of a value for a person: nothing is `-`, simple items of an array stand beside one another, lines below. */
export function shownText(value: unknown, kind: ColumnKind | undefined, showing: Showing): string {
  if (value === null || value === undefined || value === '') return '-';
  const safe = (text: string): string => printable(text, { multiline: showing.roomy ?? false });
  if (typeof value === 'string') {
    if (kind !== undefined && kind !== 'time') return safe(value);
    const time = showTime(value, showing.time, showing.now);
    return safe(showing.roomy && showing.time === 'relative' && time !== value ? `${time} (${value})` : time);
  }
  if (typeof value === 'number' && !Number.isInteger(value)) return withoutNoise(value);
  if (kind === 'lines' && Array.isArray(value) && value.length > 0) {
    return value.map((item) => printable(cellText(item, showing.numbers))).join('\n');
  }
  if (Array.isArray(value) && value.every(isSimple)) {
    return value.length === 0 ? '-' : safe(value.map((item) => cellText(item, showing.numbers)).join(', '));
  }
  return safe(cellText(value, showing.numbers));
}

/** What a sum of binary fractions leaves behind the 15 digits that every number keeps: 0.10200000000000001. */
function withoutNoise(value: number): string {
  return String(Number(value.toPrecision(15)));
}
