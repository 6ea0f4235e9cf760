/** Make untrusted text safe for a terminal. */
import { escapeSequences } from './escape-sequences.ts';

/** Bidirectional control characters, which can make one name look like another. */
const bidirectional = /[\u202a-\u202e\u2066-\u2069]/g;

/** Characters that `printable` handles: control characters, line separators and bidirectional controls. */
export const suspicious = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/**
 * Make untrusted text safe for a terminal: remove escape sequences, control characters (C0, DEL, C1) and bidirectional
 * controls. Line breaks and tabs become spaces; with `multiline`, line breaks become line feeds.
 */
export function printable(text: string, options: { readonly multiline?: boolean } = {}): string {
  if (!suspicious.test(text)) return text;
  const lines = text.replace(escapeSequences, '').replace(/\r\n|[\n\u2028\u2029]/g, '\n');
  const spaced = options.multiline ? lines.replace(/\t/g, '  ') : lines.replace(/[\n\t]/g, ' ');
  return spaced
    .replace(/\r/g, ' ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '')
    .replace(bidirectional, '');
}

/** Make text safe for a terminal like `printable`, but keep tabs and line breaks, as `csv`, `tsv` and files need. */
export function printableText(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(escapeSequences, '')
    .replace(/\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]/g, '')
    .replace(bidirectional, '');
}

/** Escape the characters that JSON allows in strings and a terminal interprets. The values stay exact. */
export function printableJson(json: string): string {
  return json.replace(
    /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
