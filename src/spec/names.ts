/** Convert API names to the spelling of the command line. */

/** `environment_scope` to `environment-scope`: the flag or argument of a field. */
export function kebab(name: string): string {
  return name.replaceAll('_', '-').toLowerCase();
}

/** The flag that adds one row to a list of hashes: `files` to `file`, `entities` to `entity`. */
export function rowFlag(name: string): string {
  return kebab(name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1'));
}
