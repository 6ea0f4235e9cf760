import { suspicious } from './text/printable.ts';

/**
 * Quote a word for a POSIX shell. The result has no character that a terminal interprets, so that the word can be shown and copied:
 * control characters are written as in POSIX.1-2024, which bash, zsh and ksh read.
 */
export function shellQuote(text: string): string {
  // zsh expands a word that starts with =.
  if (/^(?!=)[\w@%+=:,./-]+$/.test(text)) return text;
  if (!suspicious.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const octal = (byte: number) => `\\${byte.toString(8).padStart(3, '0')}`;
  const parts = Array.from(text, (char) => {
    if (suspicious.test(char)) return Array.from(new TextEncoder().encode(char), octal).join('');
    return char.replace(/['\\]/, '\\$&');
  });
  return `$'${parts.join('')}'`;
}

/** A command line to copy: every word is quoted. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}

/** Split a command line into words as a POSIX shell does, without expansions. */
export function shellWords(line: string): string[] {
  const quoted = /"((?:[^"\\]|\\.)*)"|'([^']*)'/g;
  return [...line.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(quoted, (_, double: string | undefined, single: string | undefined) =>
      double === undefined ? (single ?? '') : double.replace(/\\(.)/g, '$1'),
    ),
  );
}
