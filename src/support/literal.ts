/**
 * Literal text within a word of a command line: text that was filled in from data and is never read as a flag, `@file`, `-`, or a
 * separator. Lone surrogates mark its start and its end: valid Unicode, such as an argument of a process, contains none.
 */
const mark = '\udbff';
const end = '\udbfe';
/** The marks, but not the halves of characters beyond U+FFFF. */
const marks = /[\udbfe\udbff]/gu;
const span = /\udbff([^\udbfe]*)\udbfe/gu;

/** Spares most commands the regular expressions. */
const mayHaveMark = (text: string): boolean => text.includes(mark) || text.includes(end);

/** Whether a word contains literal text. */
export function hasMark(text: string): boolean {
  return mayHaveMark(text) && text.search(marks) >= 0;
}

/** Mark a text as literal. */
export function literal(text: string): string {
  return `${mark}${text.replaceAll(',', `,${mark}`)}${end}`;
}

/** The text of a word, without marks. */
export function plain(word: string): string {
  return mayHaveMark(word) ? word.replace(marks, '') : word;
}

/** The texts of a word, in order, and whether each is literal. */
export function partsOf(word: string): { readonly text: string; readonly isLiteral: boolean }[] {
  return word
    .split(span)
    .map((text, at) => ({ text: plain(text), isLiteral: at % 2 === 1 }))
    .filter(({ text, isLiteral }) => isLiteral || text !== '');
}
