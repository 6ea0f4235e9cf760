/**
 * Literal text within a word of a command line: text that was filled in from data and is never read as a flag, `@file`, `-`, or a
 * separator. A lone surrogate marks it: valid Unicode, such as an argument of a process, contains none.
 */
const mark = '\udbff';
/** The mark, but not the half of a character beyond U+FFFF. */
const marks = /\udbff/gu;

/** Whether a text cannot be marked because it contains the mark itself. */
export function hasMark(text: string): boolean {
  return text.search(marks) >= 0;
}

/** Mark a text as literal. */
export function literal(text: string): string {
  return `${mark}${text.replaceAll(',', `,${mark}`)}`;
}

/** The text of a word, without marks. */
export function plain(word: string): string {
  return word.replace(marks, '');
}
