const ascii = /^[\x20-\x7e]*$/;

/** Measures and cuts text by the columns that it takes on a terminal. */
export class Measure {
  #wide: ((text: string) => number) | undefined;
  #segmenter: Intl.Segmenter | undefined;

  /** Call with each text before measuring: loads what wide characters need when the first one comes. */
  async prepare(texts: Iterable<string>): Promise<void> {
    if (this.#wide) return;
    for (const text of texts) {
      if (ascii.test(text)) continue;
      this.#wide = (await import('string-width')).default;
      return;
    }
  }

  /** Columns that a text without escape sequences takes. */
  width(text: string): number {
    return this.#wide && !ascii.test(text) ? this.#wide(text) : text.length;
  }

  /** The width of each column's widest text. */
  widest(rows: readonly (readonly string[])[]): number[] {
    const widths = (rows[0] ?? []).map(() => 0);
    for (const texts of rows) {
      for (let column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column]!, this.width(texts[column]!));
      }
    }
    return widths;
  }

  /** Cut to a width, never within a character, the ellipsis included. */
  cut(text: string, width: number, ellipsis: string): string {
    if (this.width(text) <= width) return text;
    const room = width - ellipsis.length;
    if (room <= 0) return ellipsis.slice(0, Math.max(0, width));
    if (ascii.test(text)) return text.slice(0, room) + ellipsis;
    this.#segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
    let kept = '';
    let used = 0;
    for (const { segment } of this.#segmenter.segment(text)) {
      used += this.width(segment);
      if (used > room) break;
      kept += segment;
    }
    return kept + ellipsis;
  }
}

/**
 * How firmly a column holds its width: a `text` gives way first; a `word` (a status) is known by its beginning; what is
 * `rigid` (a number, a time) says nothing when cut.
 */
export type Grip = 'text' | 'word' | 'rigid';

/** What a text keeps as long as others can give way: at first, when headers have given way, when words have. */
const AMPLE = 24;
const COMFORT = 12;
const LITTLE = 8;
/** What anything keeps as long as possible. */
const LEAST = 4;

/**
 * Widths of columns that fit a line, if they can. Always the widest gives way: long texts, then headers that are wider
 * than what stands below, then all texts (the first, which is most often a name, last), then words, and the rigid
 * columns only when nothing else is left.
 * @param cells the widest cell of each column
 * @param headers the width of each header; none where no header is shown
 * @param room the width of the line, without the gaps
 */
export function fitWidths(
  cells: readonly number[],
  headers: readonly number[],
  grips: readonly Grip[],
  room: number,
): number[] {
  const widths = cells.map((cell, column) =>
    Math.max(1, Math.min(Math.max(cell, headers[column] ?? 0), room)),
  );
  let over = widths.reduce((sum, width) => sum + width, 0) - room;
  const shrink = (floor: (column: number) => number): void => {
    while (over > 0) {
      let widest = -1;
      for (let column = 0; column < widths.length; column++) {
        const may = widths[column]! > floor(column);
        if (may && (widest < 0 || widths[column]! > widths[widest]!)) widest = column;
      }
      if (widest < 0) return;
      widths[widest]!--;
      over--;
    }
  };
  const kept = Number.POSITIVE_INFINITY;
  const only = (grip: Grip, floor: number) => (column: number) => (grips[column] === grip ? floor : kept);
  const name = grips.indexOf('text');
  const content = (column: number) =>
    grips[column] === 'text' ? Math.min(cells[column]!, COMFORT) : cells[column]!;
  shrink(only('text', AMPLE));
  shrink((column) => Math.max(LITTLE, cells[column]!));
  shrink(only('text', COMFORT));
  shrink((column) => Math.max(LEAST, content(column)));
  shrink(only('word', COMFORT));
  shrink((column) => (column === name ? kept : only('text', LITTLE)(column)));
  shrink(only('word', LITTLE));
  shrink(only('text', LITTLE));
  shrink(only('text', LEAST));
  shrink(() => LEAST);
  shrink(() => 1);
  return widths;
}

/** The columns that a line takes, without the gaps. */
export function total(cells: readonly number[], headers: readonly number[]): number {
  return cells.reduce((sum, cell, column) => sum + Math.max(cell, headers[column] ?? 0), 0);
}

/** Whether a text is cut to less than what says something. */
export function cramped(
  widths: readonly number[],
  cells: readonly number[],
  grips: readonly Grip[],
): boolean {
  return widths.some(
    (width, column) => grips[column] === 'text' && width < Math.min(cells[column]!, COMFORT),
  );
}
