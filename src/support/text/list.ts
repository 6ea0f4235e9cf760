const listed = 5;

/** `a, b and 3 more` */
export function shortList(names: readonly string[]): string {
  const more = names.length - listed;
  return `${names.slice(0, listed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
