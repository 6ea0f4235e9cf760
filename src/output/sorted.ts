/** `--sort-by`: keeps the rows of a list, and prints them in order at its end. */

import { ExactNumber } from '../support/record.ts';
import { reader } from './fields.ts';
import { cutRows, type Rows, takeRows } from './json/rows.ts';
import { asTooLarge } from './json/values.ts';
import type { Output, SortKey } from './model.ts';
import { exactRows } from './printer.ts';

/** A value prepared for comparison. `rank` separates types; empty values have the last rank. */
interface Prepared {
  readonly rank: number;
  readonly number: number;
  readonly text: string;
}

const BOOLEAN = 0;
const NUMBER = 1;
const TIME = 2;
const TEXT = 3;
const EMPTY = 4;

/** ISO 8601 dates and times, with the digits of the fraction. */
const time = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.(\d+))?)?(?:Z|[-+]\d\d:?\d\d)?)?$/;

/**
 * Return the indices of rows in the order of their values. Rows with equal values keep their order.
 * @param values for each key, the value of each row
 */
export function sortedIndices(keys: readonly SortKey[], values: readonly (readonly unknown[])[]): number[] {
  // The root collation of Unicode: the same order in every locale.
  const { compare } = new Intl.Collator('und');
  const columns = values.map(prepareAll);
  const indices = Array.from(values[0] ?? [], (_, index) => index);
  return indices.sort((a, b) => {
    for (const [at, { descending }] of keys.entries()) {
      const [one, other] = [columns[at]![a]!, columns[at]![b]!];
      if (one.rank === EMPTY || other.rank === EMPTY) {
        if (one.rank !== other.rank) return one.rank - other.rank;
        continue;
      }
      const order = one.rank - other.rank || one.number - other.number || compareRest(one, other, compare);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
}

function compareRest(one: Prepared, other: Prepared, compare: Intl.Collator['compare']): number {
  if (one.rank === TEXT) return compare(one.text, other.text);
  if (one.text === other.text) return 0;
  if (one.rank === TIME) return one.text < other.text ? -1 : 1;
  return compareIntegers(one.text, other.text);
}

/** Compare integers that are equal as floating-point numbers. */
function compareIntegers(one: string, other: string): number {
  const integer = /^-?\d+$/;
  if (!integer.test(one) || !integer.test(other)) return 0;
  const [a, b] = [BigInt(one), BigInt(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Times are compared as times only if every text of the column is a time. */
function prepareAll(values: readonly unknown[]): Prepared[] {
  const areTimes = values.every(
    (value) => typeof value !== 'string' || value === '' || instant(value) !== undefined,
  );
  return values.map((value) => prepare(value, areTimes));
}

function prepare(value: unknown, areTimes: boolean): Prepared {
  if (value === null || value === undefined || value === '') return { rank: EMPTY, number: 0, text: '' };
  if (typeof value === 'boolean') return { rank: BOOLEAN, number: Number(value), text: '' };
  if (typeof value === 'number') return { rank: NUMBER, number: value, text: String(value) };
  if (value instanceof ExactNumber) return { rank: NUMBER, number: Number(value.text), text: value.text };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const found = areTimes ? instant(text) : undefined;
  return found ? { rank: TIME, ...found } : { rank: TEXT, number: 0, text };
}

/** The time of a service without a zone is in UTC. */
const withZone = (text: string): string => text.replace(' ', 'T').replace(/T[\d:.]+$/, '$&Z');

/** The milliseconds of a time, and the digits beyond them. */
function instant(text: string): { readonly number: number; readonly text: string } | undefined {
  const match = time.exec(text);
  const number = match ? Date.parse(withZone(text)) : Number.NaN;
  if (Number.isNaN(number)) return undefined;
  return { number, text: (match?.[1] ?? '').slice(3).padEnd(9, '0') };
}

const BATCH = 64 * 1024;

/**
 * Sort the rows that are printed to an output. Their bytes stay as received.
 * @param limit maximum rows over all pages; no more are kept
 */
export function sorted(output: Output, keys: readonly SortKey[], limit = Number.POSITIVE_INFINITY): Output {
  const readers = keys.map(({ path }) => reader(path));
  const values: unknown[][] = keys.map(() => []);
  const rows: Buffer[] = [];
  const tally = { rows: 0 };
  const keep = async (page: Rows): Promise<void> => {
    for (const value of await exactRows(page))
      for (const [key, read] of readers.entries()) values[key]!.push(read(value));
    for (const row of cutRows(page)) rows.push(row);
  };
  return {
    get rows() {
      return output.rows;
    },
    page: (body) => takeRows(body, tally, limit, keep).catch(asTooLarge),
    async endList() {
      const sort = async () => sortedIndices(keys, values).map((index) => rows[index]!);
      await output.page(asList(await sort().catch(asTooLarge)));
      return output.endList();
    },
    object: (body) => output.object(body),
    raw: (body) => output.raw(body),
  };
}

async function* asList(rows: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [Buffer.from('[')];
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    pieces.push(...(index > 0 ? [Buffer.from(',\n')] : []), row);
    bytes += row.length;
    if (bytes < BATCH) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
  }
  yield Buffer.concat([...pieces, Buffer.from(']')]);
}
