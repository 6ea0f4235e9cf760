/** Markdown as text on a terminal: wrapped, with styles in place of most marks. */
import type { ChalkInstance } from 'chalk';
import type { Token } from 'markdown-it';
import { printable } from '../../support/text/printable.ts';
import type { Terminal } from '../model.ts';
import type { Measure } from './width.ts';
import { wrapWords } from './wrap.ts';

type Style = (text: string) => string;

/** The lines so far, and the prefix of the next one: the markers of list items and quotations. */
class Page {
  readonly lines: string[] = [];
  readonly #margins: { first: string; readonly rest: string }[] = [];

  get margin(): string {
    return this.#margins.map(({ rest }) => rest).join('');
  }

  /** @param rest before all lines but the first */
  open(first: string, rest: string): void {
    this.#margins.push({ first, rest });
  }

  close(): void {
    this.#margins.pop();
  }

  add(lines: readonly string[]): void {
    for (const line of lines) {
      const before = this.#margins.map(({ first }) => first).join('');
      this.lines.push((before + line).trimEnd());
      for (const margin of this.#margins) margin.first = margin.rest;
    }
  }

  /** Add an empty line between two blocks, of which the second may contain others. */
  separate(): void {
    if (!/^[│> ]*$/.test(this.lines.at(-1) ?? '')) this.lines.push(this.margin.trimEnd());
  }
}

/**
 * Render Markdown. Tables and HTML are unchanged.
 * @param width maximum columns of a line, except for code, tables and long words
 */
export async function renderMarkdown(
  source: string,
  width: number,
  { color, unicode }: Pick<Terminal, 'color' | 'unicode'>,
  measure: Measure,
): Promise<readonly string[]> {
  const { default: MarkdownIt } = await import('markdown-it');
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const quote = unicode ? '│ ' : '> ';
  const page = new Page();
  const tokens = new MarkdownIt({ html: true }).parse(source, {});
  for (let at = 0; at < tokens.length; at++) {
    const { type, info, markup, content, children, map, hidden } = tokens[at]!;
    // In an item without empty lines, a list follows the text at once.
    if (startsBlock.test(type) && !hidden && tokens[at - 1]?.hidden !== true) page.separate();
    if (type === 'list_item_open') {
      const marker = info === '' ? `${unicode ? '•' : '-'} ` : `${info}${markup} `;
      page.open(marker, ' '.repeat(marker.length));
    } else if (type === 'blockquote_open') page.open(quote, quote);
    else if (/^(?:list_item|blockquote)_close$/.test(type)) page.close();
    else if (type === 'hr') page.add([(unicode ? '─' : '-').repeat(Math.min(width, 40))]);
    else if (type === 'fence' || type === 'code_block')
      page.add(linesOf(content).map((line) => `    ${line}`));
    else if (type === 'html_block') page.add(linesOf(content));
    else if (type === 'table_open') {
      page.add(source.split('\n').slice(...(map ?? [])));
      while (tokens[at]!.type !== 'table_close') at++;
    } else if (type === 'inline') {
      const isHeading = tokens[at - 1]!.type === 'heading_open';
      const text = inline(children ?? [], chalk, isHeading ? chalk.bold : plain);
      await measure.prepare([text]);
      page.add(wrapWords(text, width - page.margin.length, measure, 'keep'));
    }
  }
  return page.lines;
}

const startsBlock = /^(?:fence|code_block|hr|html_block|(?!list_item).*_open)$/;

const linesOf = (block: string): string[] => block.trimEnd().split('\n');

const plain: Style = (text) => text;

/** The text of a paragraph or heading. Each word has its own styles, because a line can end after it. */
function inline(tokens: readonly Token[], chalk: ChalkInstance, outer: Style): string {
  const styles: Readonly<Record<string, Style>> = {
    strong: chalk.bold,
    em: chalk.italic,
    s: chalk.strikethrough,
  };
  const active = [outer];
  let text = '';
  let target = '';
  // An entity can be that of a control character.
  const add = (content: string, style = plain) => {
    const paint = (word: string) => [...active, style].reduceRight((inner, next) => next(inner), word);
    text += printable(content).replace(/[^ ]+/g, paint);
  };
  for (const token of tokens) {
    const { type, content, markup, nesting } = token;
    const style = styles[type.replace(/_(?:open|close)$/, '')];
    if (style && nesting > 0) active.push(style);
    else if (style) active.pop();
    else if (type === 'softbreak') text += ' ';
    else if (type === 'hardbreak') text += '\n';
    else if (type === 'code_inline') add(`\`${content}\``, chalk.cyan);
    else if (type === 'image') add(`${content} (${token.attrGet('src')})`);
    else if (type === 'link_open') target = markup === 'autolink' ? '' : ` (${token.attrGet('href')})`;
    else if (type === 'link_close') add(target);
    else add(content);
  }
  return text;
}
