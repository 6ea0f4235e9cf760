/** The parts of pictures on a terminal. Each has a form in ASCII, and none is wider than its width. */

export type Tone = 'plain' | 'added' | 'changed' | 'removed' | 'warning';

/** A part of a bar. The unit is that of the total. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly kind: 'waiting' | 'running';
}

interface SparklineOptions {
  /** The lowest and the highest value, by default of the values. */
  readonly range?: readonly [low: number, high: number];
  /** Write a value with its unit, where numbers replace the picture. */
  readonly show?: (value: number) => string;
}

export interface Pen {
  /** Columns of the picture. */
  readonly width: number;
  paint(tone: Tone, text: string): string;
  /** The columns of the widest text. */
  widest(texts: readonly string[]): number;
  /** Cut or extend a text to a width. */
  fit(text: string, width: number): string;
  /** Wrap a text between words to the width of the picture. A longer word is split. */
  wrap(text: string): string[];
  /** Draw spans on one line, whose width is the total. Every span that has a length is visible. */
  bar(spans: readonly Span[], total: number, width: number): string;
  /** Draw a character for each value; null is blank. */
  sparkline(values: readonly (number | null)[], options?: SparklineOptions): string;
  /** An axis that has no meaning without its picture. */
  axis(text: string): string;
  /** The mark of a status. The word must appear beside it or in a legend. */
  mark(status: string): string;
  /** Draw an axis from zero to a number of seconds. */
  scale(seconds: number, width: number): string;
}

/** Seconds between two labels of a scale. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400];

/** The times of the labels of a scale from 0 to a duration, in seconds. @param most the number of labels after 0 */
export function scaleTimes(seconds: number, most: number): number[] {
  const longest = Math.max(1, Math.floor(most));
  const step = steps.find((one) => seconds / one <= longest) ?? Math.ceil(seconds / longest);
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, at) => at * step);
}
