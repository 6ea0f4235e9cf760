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
