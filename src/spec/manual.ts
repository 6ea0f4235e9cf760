/** The names of the manual pages. */

/** The pages besides `svc` and those of the areas, without `svc-`. */
export const topicPages = [
  ['agents', 7],
  ['config', 5],
  ['exit-codes', 7],
  ['output', 7],
  ['pipelines', 7],
  ['resources', 7],
  ['sandbox', 1],
  ['scripting', 7],
] as const;

/** Return the words that select a page: `svc`, `jobs`, `exit-codes`. */
export function pageNames(areas: readonly { readonly name: string }[]): string[] {
  return ['svc', ...areas.map(({ name }) => name), ...topicPages.map(([name]) => name)];
}
