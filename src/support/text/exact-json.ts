/** Parsers that keep numbers which JSON.parse would change. The last of duplicate keys has precedence, as in JSON.parse. */
import { parse } from 'lossless-json';
import { checkDepth } from '../json.ts';
import { ExactNumber } from '../record.ts';

const onDuplicateKey = ({ newValue }: { newValue: unknown }): unknown => newValue;

/** Parse JSON and preserve the text of every number. @throws SyntaxError, or RangeError if it is nested too deeply */
export function parseExactly(text: string): unknown {
  checkDepth(text);
  const parseNumber = (digits: string): unknown =>
    JSON.stringify(Number(digits)) === digits ? Number(digits) : new ExactNumber(digits);
  return parse(text, null, { parseNumber, onDuplicateKey });
}

/** Parse JSON with integers beyond 2^53 as bigint. @throws SyntaxError */
export function parseBigInts(text: string): unknown {
  const parseNumber = (digits: string): number | bigint => {
    const number = Number(digits);
    return Number.isSafeInteger(number) || !/^-?\d+$/.test(digits) ? number : BigInt(digits);
  };
  return parse(text, null, { parseNumber, onDuplicateKey });
}
