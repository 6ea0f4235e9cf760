import type { Measure } from './width.ts';

/**
 * Text in lines that are no wider than they should be, broken between words; its own line breaks stay.
 * @param long what is done with a word that is wider than a line: whoever copies a URL wants all of it
 */
export function wrapWords(text: string, width: number, measure: Measure, long: 'keep' | 'split'): string[] {
  return text
    .split('\n')
    .flatMap((line) => (measure.width(line) <= width ? [line] : broken(line, width, measure, long)));
}

function broken(line: string, width: number, measure: Measure, long: 'keep' | 'split'): string[] {
  const lines: string[] = [];
  const margin = /^ */.exec(line)![0];
  let current = margin.length < width ? margin : '';
  let empty = true;
  for (let word of line.split(' ').filter((one) => one !== '')) {
    if (!empty && measure.width(current) + 1 + measure.width(word) > width) {
      lines.push(current);
      current = '';
      empty = true;
    }
    while (long === 'split' && measure.width(word) > width) {
      // A character wider than the line stands for itself: something must be taken off.
      const part = measure.cut(word, width, '') || [...word][0]!;
      lines.push(part);
      word = word.slice(part.length);
    }
    current += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, current];
}

/**
 * A row whose cells hold several lines, as that many rows.
 * @param repeat whether cells of one line stand on each of them, or on the first alone
 */
export function spread(texts: readonly string[], repeat: boolean): readonly (readonly string[])[] {
  if (!texts.some((text) => text.includes('\n'))) return [texts];
  const cells = texts.map((text) => text.split('\n'));
  const height = cells.reduce((most, lines) => Math.max(most, lines.length), 0);
  return Array.from({ length: height }, (_, at) =>
    cells.map((lines) => lines[at] ?? (repeat && lines.length === 1 ? lines[0]! : '')),
  );
}
