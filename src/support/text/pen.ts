/** The parts of pictures on a terminal. Each has a form in ASCII, and none is wider than its width. */

/** The meaning of a text in a picture or in a list of changes. */
export type Tone = 'plain' | 'added' | 'changed' | 'removed' | 'warning';

/** A part of a bar. The unit is that of the total. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly kind: 'waiting' | 'running';
}

export interface Pen {
  /** Columns of the picture. */
  readonly width: number;
  paint(tone: Tone, text: string): string;
  /** Cut or extend a text to a width. */
  fit(text: string, width: number): string;
  /** Draw spans on one line, whose width is the total. Every span that has a length is visible. */
  bar(spans: readonly Span[], total: number, width: number): string;
  /** Draw a character for each value; null is blank. @param range the lowest and the highest value, by default of the values */
  sparkline(values: readonly (number | null)[], range?: readonly [low: number, high: number]): string;
  /** The mark of a status. The word must appear beside it or in a legend. */
  mark(status: string): string;
  /** Draw an axis from zero to a number of seconds. */
  scale(seconds: number, width: number): string;
}
