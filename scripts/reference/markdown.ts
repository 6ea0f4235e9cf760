/** Markdown output. */

/** Return a table as one block of lines. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')];
}

/** Escape plain text for Markdown. Text in backquotes remains code. */
export function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replace(/[*\\]/g, '\\$&')))
    .join('');
}

/** Escape plain text for a table cell. */
export function cell(text: string): string {
  return prose(text).replaceAll('|', '\\|');
}
