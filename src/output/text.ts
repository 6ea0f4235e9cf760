import { escapeSequences } from '../support/escape-sequences.ts';

/** Marks that turn the direction of what follows: a name could be made to read as another. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/** What `printable` looks for: control characters, line separators and marks of direction. */
export const suspicious = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/**
 * Text from elsewhere, safe to show on a terminal: escape sequences, control characters (C0, DEL, C1) and marks
 * that turn the direction of writing are taken out.
 * Line breaks and tabs become spaces; with `multiline` line breaks stay, as line feeds.
 */
export function printable(text: string, options: { readonly multiline?: boolean } = {}): string {
  if (!suspicious.test(text)) return text;
  const lines = text.replace(escapeSequences, '').replace(/\r\n|[\n\u2028\u2029]/g, '\n');
  const spaced = options.multiline ? lines.replace(/\t/g, '  ') : lines.replace(/[\n\t]/g, ' ');
  return spaced
    .replace(/\r/g, ' ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '')
    .replace(turning, '');
}

/** Text of several lines for a terminal, its tabs and line breaks kept: `csv`, `tsv` and files lay themselves out with these. */
export function printableText(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(escapeSequences, '')
    .replace(/\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]/g, '')
    .replace(turning, '');
}
