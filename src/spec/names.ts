/** Names of the API as the command line spells them. */

/** `environment_scope` to `environment-scope`: the flag or argument of a field. */
export function kebab(name: string): string {
  return name.replaceAll('_', '-').toLowerCase();
}

/** The flag that gives one row of a list of hashes, whose own flag gives the whole list: `files` to `file`, `entities` to `entity`. */
export function rowFlag(name: string): string {
  return kebab(name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1'));
}
