/** `--sort-by`: keeps the rows of a list, and prints them in order at its end. */
import { Readable } from 'node:stream';
import { parseTime } from '../support/number.ts';
import { ExactNumber } from '../support/record.ts';
import { reader } from './fields.ts';
import { cutRows, type Rows, takeRows } from './json/rows.ts';
import { asTooLarge } from './json/values.ts';
import type { Output, OutputOptions, SortKey } from './model.ts';
import { exactRows } from './printer.ts';

/** A value prepared for comparison. `rank` separates types; empty values have the last rank. */
interface Prepared {
  readonly rank: number;
  /** Text, or a number: an integer that a JavaScript number would change is a bigint. */
  readonly value: number | bigint | string;
}

const BOOLEAN = 0;
const NUMBER = 1;
const TIME = 2;
const TEXT = 3;
const EMPTY = 4;

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
      const order = one.rank - other.rank || compareValues(one.value, other.value, compare);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
}

type Value = Prepared['value'];

/** Compare values of the same rank. JavaScript compares a number with a bigint exactly. */
function compareValues(one: Value, other: Value, compare: Intl.Collator['compare']): number {
  if (typeof one === 'string' && typeof other === 'string') return compare(one, other);
  if (one < other) return -1;
  return one > other ? 1 : 0;
}

/** Times are compared as times only if every text of the column is a time. */
function prepareAll(values: readonly unknown[]): Prepared[] {
  const areTimes = values.every(
    (value) => typeof value !== 'string' || value === '' || parseTime(value) !== undefined,
  );
  return values.map((value) => prepare(value, areTimes));
}

function prepare(value: unknown, areTimes: boolean): Prepared {
  if (value === null || value === undefined || value === '') return { rank: EMPTY, value: 0 };
  if (typeof value === 'boolean') return { rank: BOOLEAN, value: Number(value) };
  if (typeof value === 'number') return { rank: NUMBER, value };
  if (value instanceof ExactNumber) {
    const { text } = value;
    return { rank: NUMBER, value: /^-?\d+$/.test(text) ? BigInt(text) : Number(text) };
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const at = areTimes ? parseTime(text) : undefined;
  if (at === undefined) return { rank: TEXT, value: text };
  // Services write microseconds, and Date.parse reads milliseconds.
  const [, rest = ''] = /\.\d{3}(\d+)/.exec(text) ?? [];
  return { rank: TIME, value: at + Number(`0.${rest}`) };
}

/**
 * Sort the rows that are printed to an output. Their bytes stay as received.
 * @param limit maximum rows over all pages; no more are kept
 */
export function sorted(
  output: Output,
  keys: readonly SortKey[],
  { limit = Number.POSITIVE_INFINITY, check }: Pick<OutputOptions, 'limit' | 'check'>,
): Output {
  const readers = keys.map(({ path }) => reader(path));
  const values: unknown[][] = keys.map(() => []);
  const rows: Buffer[] = [];
  const tally = { rows: 0, check };
  const keep = async (page: Rows): Promise<void> => {
    for (const value of await exactRows(page))
      for (const [key, read] of readers.entries()) values[key]!.push(read(value));
    for (const row of cutRows(page)) rows.push(row);
  };
  return {
    ...output,
    page: (body) => takeRows(body, tally, limit, keep).catch(asTooLarge),
    async endList() {
      const sort = async () => sortedIndices(keys, values).map((index) => rows[index]!);
      await output.page(Readable.from(asList(await sort().catch(asTooLarge))));
      return output.endList();
    },
  };
}

function* asList(rows: readonly Buffer[]): Generator<Uint8Array> {
  yield Buffer.from('[');
  for (const [at, row] of rows.entries()) {
    if (at > 0) yield Buffer.from(',\n');
    yield row;
  }
  yield Buffer.from(']');
}
