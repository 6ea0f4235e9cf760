/** Alignment of cells. */
import type { ColumnKind } from '../../support/column.ts';
import type { Measure } from './width.ts';

/** The space between two columns. */
export const GAP = '  ';

/** Whether the cells of a column are aligned right. */
export function isNumeric(
  kind: ColumnKind | undefined,
  cells: readonly (readonly string[])[],
  column: number,
): boolean {
  if (kind !== undefined) return kind === 'number' || kind === 'duration' || kind === 'size';
  const texts = cells.map((row) => row[column]!).filter((text) => text !== '' && text !== '-');
  return texts.length > 0 && texts.every((text) => /^-?\d[\d.]*(?:[eE][+-]?\d+)?$/.test(text));
}

/** Return a function that aligns cells, separated by two spaces, without spaces at the end of a line. */
export function aligner(
  measure: Measure,
  widths: readonly number[],
  right: readonly boolean[],
): (texts: readonly string[], painted?: (text: string, column: number) => string) => string {
  return (texts, painted = (text) => text) => {
    let line = '';
    let spaces = 0;
    texts.forEach((text, column) => {
      const rest = Math.max(0, widths[column]! - measure.width(text));
      if (right[column]) spaces += rest;
      if (text !== '') {
        line += ' '.repeat(spaces) + painted(text, column);
        spaces = 0;
      }
      spaces += GAP.length + (right[column] ? 0 : rest);
    });
    return line;
  };
}
