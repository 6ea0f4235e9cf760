const sliceLength = 65_536;
/** Code points, so that no slice ends in the middle of one. */
const slices = new RegExp(`[^]{1,${sliceLength}}`, 'gu');

/** Replace single characters. `replaceAll` takes hundreds of bytes for each match, so it gets a long text in slices. */
export function replaceEach(text: string, char: RegExp, by: (char: string) => string): string {
  if (text.length <= sliceLength) return text.replaceAll(char, by);
  return Array.from(text.matchAll(slices), ([slice]) => slice.replaceAll(char, by)).join('');
}
