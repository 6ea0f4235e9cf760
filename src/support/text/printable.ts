/** Make untrusted text safe for a terminal. */

/** Matches escape sequences in their 7-bit and 8-bit forms: CSI, then OSC, DCS, SOS, PM and APC with their content, then short ones. */
const escapeSequences =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]+[0-~]|\x1b[0-~]/g;

/** Control characters, line separators, and bidirectional controls, which can make one name look like another. */
export const suspicious = /[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;

/**
 * Remove escape sequences, control characters (C0, DEL, C1) and bidirectional controls. Line breaks and tabs become spaces; with
 * `multiline`, line breaks become line feeds.
 */
export function printable(text: string, { multiline = false } = {}): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(escapeSequences, '')
    .replace(/\r\n|[\n\u2028\u2029]/g, multiline ? '\n' : ' ')
    .replace(/\t/g, multiline ? '  ' : ' ')
    .replace(/\r/g, ' ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** Like `printable`, but keep tabs and line breaks, as `csv`, `tsv` and files need. */
export function printableText(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(escapeSequences, '')
    .replace(/\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, '');
}

/** Escape the characters that JSON allows in strings and a terminal interprets. The values stay exact. */
export function printableJson(json: string): string {
  return json.replace(/[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, unicodeEscape);
}

/** Escape a character of at most 16 bits as JSON and JavaScript do. */
export const unicodeEscape = (char: string): string =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
