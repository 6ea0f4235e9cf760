import type { Measure } from './width.ts';

/**
 * Wrap text between words to lines of a maximum width. Existing line breaks are kept.
 * @param long whether words wider than a line are kept, for example to copy a URL, or split
 */
export function wrapWords(text: string, width: number, measure: Measure, long: 'keep' | 'split'): string[] {
  return text
    .split('\n')
    .flatMap((line) => (measure.fits(line, width) ? [line] : wrapLine(line, width, measure, long)));
}

function wrapLine(line: string, width: number, measure: Measure, long: 'keep' | 'split'): string[] {
  const lines: string[] = [];
  const margin = /^ */.exec(line)![0];
  let current = margin.length < width ? margin : '';
  let empty = true;
  for (let word of line.split(' ').filter((part) => part !== '')) {
    if (!empty && measure.width(current) + 1 + measure.width(word) > width) {
      lines.push(current);
      current = '';
      empty = true;
    }
    while (long === 'split' && !measure.fits(word, width)) {
      // Take at least one character, even if it is wider than the line.
      const part = measure.cut(word, width, '') || [...word][0]!;
      lines.push(part);
      word = word.slice(part.length);
    }
    current += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, current];
}

/** Lines are not wrapped on narrower terminals, where a word or two per line would be hard to read. */
export const minWrapWidth = 30;

/** Wrap a line of a list between words. Further lines are indented below its text, which follows spaces and a sign such as `+`. */
export function wrapItem(line: string, width: number, measure: Measure): string[] {
  const [margin] = /^ *(?:[-+~!] )?/.exec(line)!;
  if (width < minWrapWidth) return [line];
  return wrapWords(line.slice(margin.length), width - margin.length, measure, 'keep').map(
    (part, at) => `${at === 0 ? margin : ' '.repeat(margin.length)}${part}`,
  );
}

/**
 * Split a row with multiline cells into one row per line.
 * @param repeat whether single-line cells are repeated on each row
 */
export function spread(texts: readonly string[], repeat: boolean): readonly (readonly string[])[] {
  if (!texts.some((text) => text.includes('\n'))) return [texts];
  const cells = texts.map((text) => text.split('\n'));
  const height = cells.reduce((max, lines) => Math.max(max, lines.length), 0);
  return Array.from({ length: height }, (_, at) =>
    cells.map((lines) => lines[at] ?? (repeat && lines.length === 1 ? lines[0]! : '')),
  );
}
