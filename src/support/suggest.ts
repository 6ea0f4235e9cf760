/** Return the known words that are nearest to a word, in the order of `known`; none if no word is similar. */
export function nearest(word: string, known: readonly string[]): string[] {
  const typed = word.toLowerCase();
  let best = 4;
  let found: string[] = [];
  for (const one of known) {
    const apart = distance(typed, one.toLowerCase());
    const alike = 1 - apart / Math.max(typed.length, one.length, 1) > 0.5;
    if (!alike || apart > best) continue;
    found = apart < best ? [one] : [...found, one];
    best = Math.min(best, apart);
  }
  return found;
}

const same = (word: string): string => word;

/**
 * Return the nearest known words as a hint; none if no word is similar.
 * @param prefix what all words start with, such as two hyphens, and what does not make them similar
 * @param shown returns the text to offer for a word
 */
export function suggest(word: string, known: readonly string[], prefix = '', shown = same): string[] {
  const bare = (one: string) => (one.startsWith(prefix) ? one.slice(prefix.length) : one);
  const found = nearest(bare(word), known.map(bare)).map((one) => shown(prefix + one));
  return found.length === 0 ? [] : [`Did you mean ${found.length > 1 ? 'one of ' : ''}${found.join(', ')}?`];
}

/** Count the insertions, deletions, replacements and swaps of neighbors between two words (optimal string alignment). */
function distance(a: string, b: string): number {
  // Such words are not similar, and the table would be large.
  if (Math.abs(a.length - b.length) > 3) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = a[i - 1] === b[j - 1] ? 0 : 1;
      const above = rows[i - 1] as number[];
      const steps = [
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + changed,
      ];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) steps.push((rows[i - 2]?.[j - 2] as number) + 1);
      row[j] = Math.min(...steps);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] as number;
}
