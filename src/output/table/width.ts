const ascii = /^[\x20-\x7e]*$/;

/** Characters that are measured at once: the time of Intl.Segmenter grows with the square of the length. */
const maxPart = 1024;

/** Measures and cuts text by its width on a terminal, in linear time. */
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
    if (!this.#wide || ascii.test(text)) return text.length;
    let width = 0;
    for (const part of this.#parts(text)) width += this.#wide(part);
    return width;
  }

  widest(rows: readonly (readonly string[])[]): number[] {
    const widths = (rows[0] ?? []).map(() => 0);
    for (const texts of rows) {
      for (let column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column]!, this.width(texts[column]!));
      }
    }
    return widths;
  }

  /** Cut text to a width, including the ellipsis, without splitting characters. Reads no more of it than that. */
  cut(text: string, width: number, ellipsis: string): string {
    const room = width - ellipsis.length;
    const shortened = (kept: string) => (room > 0 ? kept + ellipsis : ellipsis.slice(0, Math.max(0, width)));
    if (!this.#wide || ascii.test(text.slice(0, Math.max(0, width) + 1)))
      return text.length <= width ? text : shortened(text.slice(0, Math.max(0, room)));
    let kept = '';
    let used = 0;
    for (const part of this.#parts(text)) {
      for (const { segment } of this.#segments(part)) {
        used += this.width(segment);
        if (used > width) return shortened(kept);
        if (used <= room) kept += segment;
      }
    }
    return text;
  }

  fits(text: string, width: number): boolean {
    return this.cut(text, width, '').length === text.length;
  }

  *#parts(text: string): Generator<string> {
    let at = 0;
    while (text.length - at > maxPart) {
      // Half a character does not join those before it.
      const part = text.slice(at, at + maxPart).replace(/[\ud800-\udbff]$/, '');
      const end = this.#segments(part).containing(part.length - 1)?.index || part.length;
      yield part.slice(0, end);
      at += end;
    }
    yield text.slice(at);
  }

  #segments(text: string): Intl.Segments {
    this.#segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
    return this.#segmenter.segment(text);
  }
}
