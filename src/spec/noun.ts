/** Return the plural of a noun of the catalogue: `branches`, `entities`, `jobs`. */
export function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Return a number with its noun: `1 branch`, `20 branches`. */
export function counted(count: number | bigint, noun: string): string {
  return `${count} ${Number(count) === 1 ? noun : plural(noun)}`;
}
