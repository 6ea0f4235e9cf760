/**
 * Convert a wiki page to HTML. HTML in the text is escaped, and links with schemes such as `javascript:` are dropped.
 * @param format `markdown`, or another format, which is only escaped
 */
export async function toHtml(text: string, format: string): Promise<string> {
  const { default: MarkdownIt } = await import('markdown-it');
  const markdown = new MarkdownIt();
  return format === 'markdown'
    ? markdown.render(text).trimEnd()
    : `<pre>${markdown.utils.escapeHtml(text)}</pre>`;
}
