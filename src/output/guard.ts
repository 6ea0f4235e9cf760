/** Filters against control characters on a terminal, for formats that do not filter each value. */
import { Failure } from '../errors.ts';
import { printableJson, printableText } from '../support/text/printable.ts';
import type { Filter } from './sink.ts';

/** Replace the characters that a terminal interprets by JSON escapes. */
export const jsonGuard: Filter = (piece) =>
  printableJson(typeof piece === 'string' ? piece : Buffer.from(piece).toString());

/**
 * Return a filter that removes the characters that a terminal interprets, from text and from a response that is printed unchanged.
 * @throws Failure `internal` for binary data, as curl does
 */
export function textGuard(): Filter {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (piece) => {
    if (typeof piece === 'string') return printableText(piece);
    if (piece.includes(0))
      throw new Failure('internal', 'binary output is not printed on a terminal', {
        hint: 'use --output-file <path>, or a pipe',
      });
    return printableText(decoder.decode(piece, { stream: true }));
  };
}
