/** Convert API names to the spelling of the command line. */

/** `environment_scope` to `environment-scope`: the flag or argument of a field. */
export function kebab(name: string): string {
  return name.replaceAll('_', '-').toLowerCase();
}

/** The flag that adds one row to a list of hashes: `files` to `file`, `entities` to `entity`. */
export function rowFlag(name: string): string {
  return kebab(name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1'));
}

/** Words that users of other programs type, and the commands that they mean. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  show: ['get'],
  rm: ['delete', 'remove'],
  ls: ['list'],
};

export const commandAliases: readonly string[] = Object.keys(aliases);

/** Return the command that a word selects: the command of that name, or else the one that the word is an alias of. */
export function resolveName(word: string, names: readonly string[]): string | undefined {
  if (names.includes(word)) return word;
  const targets = Object.hasOwn(aliases, word) ? aliases[word] : undefined;
  return targets?.find((target) => names.includes(target));
}
