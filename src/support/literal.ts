/**
 * Literal text within a word of a command line: text that was filled in from data and is never read as a flag, `@file`, `-`, or a
 * separator. A character that no text contains marks it (a noncharacter, Unicode section 23.7).
 */
const mark = '\u{10ffff}';

/** Whether a text cannot be marked because it contains the mark itself. */
export function hasMark(text: string): boolean {
  return text.includes(mark);
}

/** Mark a text as literal. */
export function literal(text: string): string {
  return `${mark}${text.replaceAll(',', `,${mark}`)}`;
}

/** The text of a word, without marks. */
export function plain(word: string): string {
  return word.includes(mark) ? word.replaceAll(mark, '') : word;
}
