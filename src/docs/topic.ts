/** Pages of running text on a terminal: `svc help <topic>`, and a manual page without a formatter. */
import { upperFirst } from '../spec/names.ts';
import { columns, type Ink, inkOf, page, paragraph, type Row, type Style } from './layout.ts';
import type { Block, Page } from './topics.ts';

/** Sections that only a manual page needs. */
const manualOnly: ReadonlySet<string> = new Set(['Synopsis', 'See also']);

export function topicHelp({ summary, sections }: Page, style: Style): string {
  const ink = inkOf(style);
  return page([
    ...paragraph(`${upperFirst(summary)}.`, ink.width),
    ...sections
      .filter(({ title }) => !manualOnly.has(title))
      .flatMap(({ title, blocks }) => [
        '',
        ...(title === 'Description' ? [] : [ink.bold(`${title}:`)]),
        ...blockLines(blocks, title === 'Description' ? 0 : 2, ink),
      ]),
  ]);
}

/** A whole manual page, for machines without a program that formats it. */
export function manualText({ name, section, summary, sections }: Page, style: Style): string {
  const ink = inkOf(style);
  const all = [{ title: 'Name', blocks: [{ text: `${name}(${section}) - ${summary}` }] }, ...sections];
  const lines = all.flatMap(({ title, blocks }) => [
    '',
    ink.bold(title.toUpperCase()),
    ...blockLines(blocks, 2, ink),
  ]);
  return page(lines.slice(1));
}

/** Terms that follow one another form a table; an empty line separates all other blocks. */
function blockLines(blocks: readonly Block[], indent: number, ink: Ink): string[] {
  const parts: string[][] = [];
  let rows: Row[] = [];
  const endTable = () => {
    if (rows.length > 0) parts.push(columns(rows, { width: ink.width, indent: 2, paint: ink.bold }));
    rows = [];
  };
  for (const block of blocks) {
    if ('term' in block) {
      rows.push({ left: block.term, right: block.text, below: block.below });
      continue;
    }
    endTable();
    if ('lines' in block) parts.push(block.lines.map((line) => ' '.repeat(indent + 2) + line));
    else if ('title' in block) parts.push([ink.bold(' '.repeat(indent) + block.title)]);
    else parts.push(paragraph(block.text, ink.width, indent));
  }
  endTable();
  return parts.flatMap((lines, at) => (at > 0 ? ['', ...lines] : lines));
}
