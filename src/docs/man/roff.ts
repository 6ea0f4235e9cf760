/** Manual pages in the man(7) macros, which mandoc and groff read alike. */
import { settled } from '../layout.ts';

/** A block of a page. Texts are plain: escaping is done here alone. */
export type Block =
  | { readonly text: string }
  | { readonly title: string }
  /** A term and what it is; a term is a flag, a file, a code. */
  | { readonly term: string; readonly text: string; readonly below?: readonly string[] }
  /** Lines that stand as they are: a command, a file. */
  | { readonly lines: readonly string[] };

export interface Page {
  /** `svc-jobs` */
  readonly name: string;
  readonly section: number;
  /** One line, no full stop. */
  readonly summary: string;
  readonly sections: readonly { readonly title: string; readonly blocks: readonly Block[] }[];
}

export interface Edition {
  readonly version: string;
  /** ISO 8601, the day of the release. */
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

/** Text for a line of its own or a macro's argument: nothing in it can be read as a request. */
function escaped(text: string): string {
  const plain = settled(text).replace(/[\\\-'`^~"]/g, (glyph) => glyphs[glyph] as string);
  const ascii = plain.replace(/[^\n -~]/gu, (glyph) => {
    const code = (glyph.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
    return `\\[u${code}]`;
  });
  return ascii.replace(/^\./gm, '\\&.');
}

/** A term: flags and words in bold, what stands for a value in italics. */
function term(text: string): string {
  return text
    .split(/(<[^>]*>(?:=<[^>]*>)?[.,]*)/)
    .filter((part) => part !== '')
    .map((part) => {
      const outer = /^(\s*)(.*?)(\s*)$/s.exec(part) as RegExpExecArray;
      if (outer[2] === '') return part;
      return `${outer[1]}\\f${part.startsWith('<') ? 'I' : 'B'}${escaped(outer[2] as string)}\\fR${outer[3]}`;
    })
    .join('');
}

/** Prose: what stands in backquotes is bold. */
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

/** Most bytes of a line of source. */
const most = 78;

/** A line that is too long, cut at blanks; a backslash at its end has a formatter read on as if nothing had been cut. */
function cut(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > most) {
    // What begins with a full stop would look like a request.
    const at = [...rest.matchAll(/ (?=[^ .'])/g)].map(({ index }) => index + 1).filter((one) => one < most);
    const end = at.at(-1);
    if (end === undefined || /^\.\w|^\.\\"/.test(line)) break;
    lines.push(`${rest.slice(0, end)}\\`);
    rest = rest.slice(end);
  }
  return [...lines, rest];
}

/** The source of a page. Its first line says that it is generated. */
export function render(page: Page, edition: Edition, origin: string): string {
  const lines = [
    `.\\" ${origin}`,
    `.TH ${quoted(page.name.toUpperCase())} ${page.section} ${edition.date} ${quoted(`svc ${edition.version}`)} ${quoted('Manual of svc')}`,
    // Flags must not be cut at their hyphens.
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
  return `${lines.flatMap(cut).join('\n')}\n`;
}
