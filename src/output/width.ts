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

  /** Fill with spaces up to a width; a longer text stays as it is. */
  pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
    const spaces = ' '.repeat(Math.max(0, width - this.width(text)));
    return align === 'left' ? text + spaces : spaces + text;
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
