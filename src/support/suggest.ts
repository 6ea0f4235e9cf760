/** Return the known words that are nearest to a word, in the order of `known`; none if no word is similar. */
export function nearest(word: string, known: readonly string[]): string[] {
  const typed = word.toLowerCase();
  const rated = known.map((one) => ({ one, apart: distance(typed, one.toLowerCase()) }));
  const alike = rated.filter(
    ({ one, apart }) => apart < 5 && apart / Math.max(typed.length, one.length, 1) < 0.5,
  );
  const best = Math.min(...alike.map(({ apart }) => apart));
  return alike.filter(({ apart }) => apart === best).map(({ one }) => one);
}

/** Return the nearest known words as a hint; none if no word is similar. */
export const suggest = (word: string, known: readonly string[]): string[] => didYouMean(nearest(word, known));

/** The hint that offers words in place of an unknown one; none without words. */
export function didYouMean(words: readonly (string | undefined)[]): string[] {
  const found = words.filter((word) => word !== undefined);
  return found.length === 0 ? [] : [`Did you mean ${found.length > 1 ? 'one of ' : ''}${found.join(', ')}?`];
}

/** The hints for an unknown word: the nearest ones, and all. @param what the known words are: `kinds` */
export const alternatives = (word: string, known: readonly string[], what: string): string[] => [
  ...suggest(word, known),
  `${what}: ${known.join(', ')}`,
];

/** Count the insertions, deletions, replacements and swaps of neighbors between two words (optimal string alignment). */
function distance(a: string, b: string): number {
  // Such words are not similar, and the table would be large.
  if (Math.abs(a.length - b.length) > 3) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = isSwap ? before[j - 2]! + 1 : replaced;
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, replaced, swapped));
    }
    [before, above] = [above, row];
  }
  return above[b.length]!;
}
