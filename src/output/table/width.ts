const ascii = /^[\x20-\x7e]*$/;

/** Measures and cuts text by its width on a terminal. */
export class Measure {
  #wide: ((text: string) => number) | undefined;
  #segmenter: Intl.Segmenter | undefined;

  /** Load the width tables if a text is not ASCII. Required before measuring these texts. */
  async prepare(texts: Iterable<string>): Promise<void> {
    if (this.#wide) return;
    for (const text of texts) {
      if (ascii.test(text)) continue;
      this.#wide = (await import('string-width')).default;
      return;
    }
  }

  /** Return the width of a text without escape sequences. */
  width(text: string): number {
    return this.#wide && !ascii.test(text) ? this.#wide(text) : text.length;
  }

  /** Return the width of the widest text of each column. */
  widest(rows: readonly (readonly string[])[]): number[] {
    const widths = (rows[0] ?? []).map(() => 0);
    for (const texts of rows) {
      for (let column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column]!, this.width(texts[column]!));
      }
    }
    return widths;
  }

  /** Cut text to a width, including the ellipsis, without splitting characters. */
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
 * The order in which columns shrink: `text` first, then `word` (a status, recognizable by its start), then `rigid` (a
 * number or time, useless when cut).
 */
export type Priority = 'text' | 'word' | 'rigid';

/** Minimum widths of texts: at first, after headers were cut, and after words were cut. */
const AMPLE = 24;
const COMFORT = 12;
const LITTLE = 8;
/** Minimum width of any column, as long as possible. */
const LEAST = 4;

/**
 * Return column widths that fit on a line if possible. Shrinks the widest column first: long texts, then headers wider
 * than their cells, then all texts (the first, usually a name, last), then words, and rigid columns only as a last resort.
 * @param cells width of the widest cell of each column
 * @param headers width of each header; empty without headers
 * @param room width of the line without gaps
 */
export function fitWidths(
  cells: readonly number[],
  headers: readonly number[],
  priorities: readonly Priority[],
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
  const only = (priority: Priority, floor: number) => (column: number) =>
    priorities[column] === priority ? floor : kept;
  const name = priorities.indexOf('text');
  const content = (column: number) =>
    priorities[column] === 'text' ? Math.min(cells[column]!, COMFORT) : cells[column]!;
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

/** Return the width of a line without gaps. */
export function total(cells: readonly number[], headers: readonly number[]): number {
  return cells.reduce((sum, cell, column) => sum + Math.max(cell, headers[column] ?? 0), 0);
}

/** Whether a text column is too narrow to be useful. */
export function cramped(
  widths: readonly number[],
  cells: readonly number[],
  priorities: readonly Priority[],
): boolean {
  return widths.some(
    (width, column) => priorities[column] === 'text' && width < Math.min(cells[column]!, COMFORT),
  );
}
