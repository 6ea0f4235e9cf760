/** The placeholders of a command line: `{column}`, with `{{` and `}}` for literal braces. */
import { usage } from '../../errors.ts';
import { literal } from '../../support/literal.ts';
import { suggest } from '../../support/suggest.ts';

/** A word as texts and columns, alternating: `KEY_{name}` is `['KEY_', 'name', '']`. */
type Template = readonly string[];

const piece = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;

function parseWord(word: string, columns: readonly string[]): Template {
  const parts = [''];
  for (const [text, column] of word.matchAll(piece)) {
    if (text === '{' || text === '}')
      throw usage(`unmatched ${text} in ${JSON.stringify(word)}`, `use ${text}${text} for a literal brace`);
    if (column === undefined) {
      parts[parts.length - 1] += text === '{{' || text === '}}' ? text.charAt(0) : text;
      continue;
    }
    if (!columns.includes(column))
      throw usage(`the rows have no column ${JSON.stringify(column)}`, [
        ...suggest(column, columns),
        ...(columns.length > 0 ? [`columns: ${columns.join(', ')}`] : []),
        `use {{${column}}} for literal braces`,
      ]);
    parts.push(column, '');
  }
  return parts;
}

/**
 * Compile the words of a command line.
 * @returns a function that fills in a row. Filled text is marked as literal: it is never read as a flag, `@file` or `-`
 * @throws Failure `usage` for an unknown column; the function, for a row without a value
 */
export function compileTemplate(
  words: readonly string[],
  columns: readonly string[],
): (row: Readonly<Record<string, string>>) => string[] {
  const templates = words.map((word) => parseWord(word, columns));
  return (row) =>
    templates.map((parts) =>
      parts
        .map((part, at) => {
          if (at % 2 === 0) return part;
          const value = row[part];
          if (value === undefined) throw usage(`no value for {${part}}`);
          if (!value.isWellFormed())
            throw usage(`the value for {${part}} is not valid Unicode (a lone surrogate)`);
          return literal(value);
        })
        .join(''),
    );
}

/** The words with a sample in each placeholder, to find the flags before any row is read. */
export function sampleWords(words: readonly string[]): string[] {
  return words.map((word) =>
    word.replace(piece, (text, column?: string) =>
      column === undefined ? text.replace(/^(\{|\})\1$/, '$1') : literal('true'),
    ),
  );
}
