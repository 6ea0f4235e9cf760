/** Which columns of a table fit on a line, and how wide they are. */
import type { ColumnKind } from '../../support/column.ts';

export interface Sized {
  /** Undefined is a text. */
  readonly kind: ColumnKind | undefined;
  readonly label: number;
  readonly cell: number;
  /** Width of the widest cell if times are abbreviated. */
  readonly brief: number;
  readonly filled: boolean;
  /** Whether the column is kept even if it has to be narrowed. */
  readonly keep: boolean;
}

type Floors = Readonly<Partial<Record<ColumnKind, number>>>;
const ample: Floors = { text: 24, lines: 40, person: 24, name: 40 };
const little: Floors = { text: 8, lines: 8, person: 8, name: 8 };

/**
 * The order in which columns are dropped, with the minimum widths of the others meanwhile. Columns that only describe a
 * row are dropped before a long name is cut. Kinds that are not listed stay.
 */
const stages: readonly { readonly floors: Floors; readonly kinds: readonly ColumnKind[] }[] = [
  {
    floors: { text: 16, lines: 20, person: 12, name: 40 },
    kinds: ['text', 'person', 'flag', 'number', 'size', 'share', 'duration'],
  },
  { floors: { text: 16, lines: 20, person: 12, name: 24 }, kinds: ['time'] },
  { floors: little, kinds: ['state', 'name'] },
];

const narrowOrder: readonly ColumnKind[] = ['text', 'lines', 'person', 'name'];

/**
 * Fit columns on a line. Texts narrow first, then times are abbreviated, then columns are dropped: empty ones, then by kind, the
 * last first. Ids are never cut or dropped, nor is a name in the first column, even if the line becomes too long.
 * @param room width of the line
 * @param gap width between two columns
 * @returns the width of each column, undefined if it is dropped, and whether times are abbreviated
 */
export function fitColumns(columns: readonly Sized[], room: number, gap: number) {
  const kindOf = ({ kind = 'text' }: Sized): ColumnKind => kind;
  let kept = columns.map((_, index) => index);
  let brief = false;
  const full = (index: number): number => {
    const { label, cell, brief: short } = columns[index]!;
    return Math.max(1, label, brief ? short : cell);
  };
  const least = (index: number, floors: Floors): number => {
    const column = columns[index]!;
    const floor = index === 0 && column.kind === 'name' ? undefined : floors[kindOf(column)];
    return floor === undefined ? full(index) : Math.max(column.label, Math.min(full(index), floor));
  };
  const over = (width: (index: number) => number): number =>
    kept.reduce((sum, index) => sum + width(index), gap * (kept.length - 1)) - room;
  const exceeds = (floors: Floors): boolean => over((index) => least(index, floors)) > 0;

  let floors = ample;
  if (exceeds(floors)) brief = true;
  for (const stage of stages) {
    if (!exceeds(floors)) break;
    floors = stage.floors;
    while (exceeds(floors)) {
      const dropped = nextToDrop(columns, kept, stage.kinds);
      if (dropped === undefined) break;
      kept = kept.filter((index) => index !== dropped);
    }
  }

  const widths = new Map(kept.map((index) => [index, full(index)]));
  let excess = over(full);
  for (const kind of narrowOrder) {
    const narrowing = kept.filter((index) => kindOf(columns[index]!) === kind);
    while (excess > 0) {
      const wide = narrowing.filter((index) => widths.get(index)! > least(index, floors));
      if (wide.length === 0) break;
      const widest = wide.reduce((one, other) => (widths.get(other)! > widths.get(one)! ? other : one));
      widths.set(widest, widths.get(widest)! - 1);
      excess--;
    }
  }
  return { widths: columns.map((_, index) => widths.get(index)), brief };
}

function nextToDrop(
  columns: readonly Sized[],
  kept: readonly number[],
  kinds: readonly ColumnKind[],
): number | undefined {
  const rank = (index: number): number => {
    const { kind = 'text', filled } = columns[index]!;
    return filled ? kinds.indexOf(kind) : -1;
  };
  let first: number | undefined;
  for (const index of kept) {
    const { kind = 'text', filled, keep } = columns[index]!;
    const droppable = kinds.includes(kind) || (!filled && kind !== 'id' && kind !== 'lines');
    if (index === 0 || keep || !droppable) continue;
    // Of columns with the same rank, the last is dropped first.
    if (first === undefined || rank(index) <= rank(first)) first = index;
  }
  return first;
}
