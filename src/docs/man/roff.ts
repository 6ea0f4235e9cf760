/** Manual pages in man(7) macros, which mandoc and groff both support. Why by hand: docs/decisions/0012. */
import { untie } from '../layout.ts';
import type { Block, Page } from '../topics.ts';

export interface Edition {
  readonly version: string;
  /** The date of the release, in ISO 8601 format. */
  readonly date: string;
}

const glyphs: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};

/** Escape text for a line or a macro argument, so that a formatter reads nothing in it as a request. */
function escaped(text: string): string {
  const plain = untie(text).replace(/[\\\-'`^~"]/g, (glyph) => glyphs[glyph] ?? glyph);
  const ascii = plain.replace(/[^\n -~]/gu, (glyph) => {
    const code = (glyph.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `\\[u${code}]`;
  });
  return ascii.replace(/^\./gm, '\\&.');
}

/** Format a term: literal text in bold, placeholders in italics. */
function term(text: string): string {
  return text
    .split(/(<[^>]*>(?:=<[^>]*>)?[.,]*)/)
    .filter((part) => part !== '')
    .map((part) => {
      const font = part.startsWith('<') ? 'I' : 'B';
      return part.replace(/\S(?:.*\S)?/s, (inner) => `\\f${font}${escaped(inner)}\\fR`);
    })
    .join('');
}

/** Format prose. Text in backquotes becomes bold. */
function prose(text: string): string {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? `\\fB${escaped(part)}\\fR` : escaped(part)))
    .join('');
}

function block(item: Block, first: boolean): string[] {
  if ('title' in item) return [`.SS ${quoted(item.title)}`];
  if ('lines' in item)
    return [...(first ? [] : ['.PP']), '.in +4', '.nf', ...item.lines.map(verbatim), '.fi', '.in'];
  if ('term' in item) {
    const below = (item.below ?? []).flatMap((text) => ['.br', prose(text)]);
    return ['.TP', term(item.term), prose(item.text), ...below];
  }
  return [...(first ? [] : ['.PP']), prose(item.text)];
}

function verbatim(line: string): string {
  return line === '' ? '\\&' : escaped(line);
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

/** The maximum length of a source line. */
const maxLine = 78;

/** Break a long line at spaces. A formatter joins lines that end with a backslash. */
function wrapped(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > maxLine) {
    // A line that starts with a period or an apostrophe would be read as a request.
    const at = [...rest.matchAll(/ (?=[^ .'])/g)]
      .map(({ index }) => index + 1)
      .filter((one) => one < maxLine);
    const end = at.at(-1);
    if (end === undefined || /^\.\w|^\.\\"/.test(line)) break;
    lines.push(`${rest.slice(0, end)}\\`);
    rest = rest.slice(end);
  }
  return [...lines, rest];
}

/** Return the source of a page. The first line says that it is generated. */
export function render(page: Page, edition: Edition, origin: string): string {
  const lines = [
    `.\\" ${origin}`,
    `.TH ${quoted(page.name.toUpperCase())} ${page.section} ${edition.date} ${quoted(`svc ${edition.version}`)} ${quoted('Manual of svc')}`,
    // Flags must not be hyphenated.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${escaped(page.name)} \\- ${escaped(page.summary)}`,
  ];
  for (const { title, blocks } of page.sections) {
    lines.push(`.SH ${quoted(title.toUpperCase())}`);
    let first = true;
    for (const item of blocks) {
      lines.push(...block(item, first));
      first = 'title' in item;
    }
  }
  return `${lines.flatMap(wrapped).join('\n')}\n`;
}
