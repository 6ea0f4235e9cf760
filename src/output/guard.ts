/** The last thing before a terminal: nothing that it would obey passes, whatever the format. */
import { Failure } from '../errors.ts';
import type { Shown } from './sink.ts';
import { printableText } from './text.ts';

/** Characters that a terminal obeys and JSON allows within strings. */
const obeyed = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** JSON text with these characters as escapes: the values stay exact. */
export const jsonGuard: Shown = (piece) => {
  const text = typeof piece === 'string' ? piece : Buffer.from(piece).toString();
  return text.replace(obeyed, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
};

/**
 * Text without what a terminal would obey.
 * @throws Failure `internal` for bytes that are no text, as curl does
 */
export function textGuard(format: 'csv' | 'tsv' | 'raw'): Shown {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (piece) => {
    if (typeof piece === 'string') return printableText(piece);
    if (format === 'raw' && piece.includes(0))
      throw new Failure('internal', 'binary output is not printed on a terminal', {
        hint: 'use --output-file <path>, or a pipe',
      });
    return printableText(decoder.decode(piece, { stream: true }));
  };
}
