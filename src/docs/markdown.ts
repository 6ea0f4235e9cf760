/** Plain text and tables as Markdown. */

/** A table, as one block of lines. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')];
}

/** Plain text as Markdown; what stands in backquotes stays code. */
export function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replace(/[*\\]/g, '\\$&')))
    .join('');
}

/** Plain text as a cell of a table. */
export function cell(text: string): string {
  return prose(text).replaceAll('|', '\\|');
}
