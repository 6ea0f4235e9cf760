/** Names of the API on the command line, and nouns in messages. */

/** `environment_scope` to `environment-scope`: the flag or argument of a field. */
export function kebab(name: string): string {
  return name.replaceAll('_', '-').toLowerCase();
}

/** `output-file` to `output_file`: the field of an argument, or the property of a flag in the input of a command. */
export const propertyOf = (flag: string): string => flag.replaceAll('-', '_');

/** The flag that adds one row to a list of hashes: `files` to `file`, `entities` to `entity`. */
export function rowFlag(name: string): string {
  return kebab(name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1'));
}

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Return the plural of a noun of the catalogue: `branches`, `entities`, `jobs`. */
export function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Return a noun with its article: `a user`, `an epic`. Nouns such as `approval settings` are plural and have none. */
export function withArticle(noun: string): string {
  if (noun.endsWith(' settings')) return noun;
  return `${/^(?!use)[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Return a number with its noun: `1 branch`, `20 branches`. */
export function counted(count: number | bigint, noun: string): string {
  return `${count} ${Number(count) === 1 ? noun : plural(noun)}`;
}

/** A target in messages: `row 3 (acme/rocket)`, because several rows may have the same name. */
export function targetLabel({ row, name }: { readonly row?: number; readonly name: string }): string {
  if (row === undefined) return name;
  return name === String(row) ? `row ${row}` : `row ${row} (${name})`;
}

/** Names that a command line accepts in place of an id, by area: `@me`, and `latest` or `latest:<ref>`. */
export const idNames: Readonly<Record<string, RegExp | undefined>> = {
  users: /^@me$/,
  pipelines: /^latest(?::(.+))?$/s,
};

/** The area and the attribute of the resources that a parameter names. @param suggest `pipelines/list/id` */
export function namedBy(suggest: string | undefined): { readonly area: string; readonly attribute: string } {
  const [, area = '', attribute = ''] = /^(\w+)\/list\/(\w+)$/.exec(suggest ?? '') ?? [];
  return { area, attribute };
}
