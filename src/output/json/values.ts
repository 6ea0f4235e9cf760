import { type ExchangeSummary, Failure } from '../../errors.ts';
import { errorCode } from '../../support/errno.ts';
import { checkDepth } from '../../support/json.ts';

/**
 * A number whose text JSON.parse and JSON.stringify may change: with 16 digits or more, an exponent or zeros at its end, -0, and
 * 0.0000001, which becomes 1e-7. It also matches within some strings, where the exact parser makes no difference.
 */
const inexact =
  /(?:^|[\s:,[])-?(?:\d[\d.]{15}|\d+(?:\.\d+)?[eE][-+]?\d|\d+\.\d*0(?=[\s,}\]]|$)|0\.0{6}|(?<=-)0(?=[\s,}\]]|$))/;

/**
 * Return the value of JSON with an ExactNumber for each number that a JavaScript number would change.
 * @param value the value as JSON.parse reads it
 * @throws RangeError if it has such numbers and is nested too deeply
 */
export async function exact(text: string, value: unknown): Promise<unknown> {
  if (!inexact.test(text)) return value;
  return (await import('../../support/text/exact-json.ts')).parseExactly(text);
}

/** Parse JSON, and keep the digits of numbers like `exact`. @throws SyntaxError, or RangeError if it is nested too deeply */
export async function parseExact(text: string): Promise<unknown> {
  checkDepth(text);
  return exact(text, JSON.parse(text));
}

/**
 * Parse JSON with integers beyond 2^53 as bigint. The last of duplicate keys has precedence.
 * @throws SyntaxError, or RangeError if it is nested too deeply
 */
export async function parseWhole(text: string): Promise<unknown> {
  checkDepth(text);
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return (await import('../../support/text/exact-json.ts')).parseBigInts(text);
}

/** The failure of a response that cannot be parsed, for an error of a parser. */
export function unparsable(cause: unknown, exchange?: ExchangeSummary): Failure {
  const problem = cause instanceof SyntaxError ? 'not valid JSON' : 'nested too deeply';
  return new Failure('server_error', `the response is ${problem}`, { exchange, cause });
}

/** Throw an error again, or a Failure `server_error` for an exceeded string length or recursion depth. */
export function asTooLarge(error: unknown): never {
  if (errorCode(error) !== 'ERR_STRING_TOO_LONG' && !(error instanceof RangeError)) throw error;
  throw new Failure('server_error', 'the response is too long or nested too deeply for this format', {
    hint: 'use -o json, which does not parse the response',
    cause: error,
  });
}
