/** Filters that remove what a terminal would interpret, for formats that do not filter each value. */
import { Failure } from '../errors.ts';
import type { Filter } from './sink.ts';
import { printableText } from './text.ts';

/** Characters that a terminal interprets and that JSON allows in strings. */
const controls = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Replace these characters by JSON escapes, which keeps the values exact. */
export const jsonGuard: Filter = (piece) => {
  const text = typeof piece === 'string' ? piece : Buffer.from(piece).toString();
  return text.replace(controls, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
};

/**
 * Return a filter that removes what a terminal would interpret.
 * @throws Failure `internal` for binary data, as curl does
 */
export function textGuard(format: 'csv' | 'tsv' | 'raw'): Filter {
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
