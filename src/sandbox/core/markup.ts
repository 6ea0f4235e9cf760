/** Converts wiki pages to HTML: common Markdown; other formats as preformatted text. HTML in the text is escaped. */

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => entities[char] ?? char);

/** Whether a link target is a web page, a mail address or a page of the wiki. */
function isSafeTarget(target: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(target)?.[1]?.toLowerCase();
  if (scheme !== undefined) return ['http', 'https', 'mailto'].includes(scheme);
  return /^[\p{L}\p{N}/#._-]/u.test(target);
}

/** Convert links, images and emphasis in escaped text. */
function convertMarks(text: string): string {
  return text
    .replace(/(!?)\[([^[\]]+)\]\(([^()\s]+)\)/g, (match, image: string, label: string, target: string) => {
      if (!isSafeTarget(target)) return match;
      return image ? `<img src="${target}" alt="${label}">` : `<a href="${target}">${label}</a>`;
    })
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*]+)\*/g, '<em>$1</em>');
}

function inline(text: string): string {
  const parts = text.split('`');
  // An unpaired backtick is literal.
  if (parts.length % 2 === 0) parts.push(parts.splice(-2).join('`'));
  return parts
    .map((part, index) => (index % 2 === 1 ? `<code>${escaped(part)}</code>` : convertMarks(escaped(part))))
    .join('');
}

type Kind = 'p' | 'ul' | 'ol' | 'pre';

const opening: Readonly<Record<Kind, string>> = { p: '<p>', ul: '<ul>\n', ol: '<ol>\n', pre: '<pre><code>' };
const closing: Readonly<Record<Kind, string>> = {
  p: '</p>',
  ul: '\n</ul>',
  ol: '\n</ol>',
  pre: '</code></pre>',
};

function markdown(text: string): string {
  const blocks: string[] = [];
  let open: { readonly kind: Kind; readonly lines: string[] } | undefined;
  const end = () => {
    if (open) blocks.push(`${opening[open.kind]}${open.lines.join('\n')}${closing[open.kind]}`);
    open = undefined;
  };
  const add = (kind: Kind, line: string) => {
    if (open?.kind !== kind) end();
    open ??= { kind, lines: [] };
    open.lines.push(line);
  };
  let fenced = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, marks, title = ''] = /^(#{1,6})\s+(.*)$/.exec(line) ?? [];
    const [, sign, item = ''] = /^\s*([-*+]|\d+[.)])\s+(.*)$/.exec(line) ?? [];
    if (line.startsWith('```')) {
      end();
      fenced = !fenced;
      if (fenced) open = { kind: 'pre', lines: [] };
    } else if (fenced) add('pre', escaped(line));
    else if (marks) {
      end();
      blocks.push(`<h${marks.length}>${inline(title)}</h${marks.length}>`);
    } else if (sign) add(/\d/.test(sign) ? 'ol' : 'ul', `<li>${inline(item)}</li>`);
    else if (line.trim() === '') end();
    else add('p', inline(line));
  }
  end();
  return blocks.join('\n');
}

/** @param format `markdown`, or another format, which is not converted */
export function toHtml(text: string, format: string): string {
  return format === 'markdown' ? markdown(text) : `<pre>${escaped(text)}</pre>`;
}
