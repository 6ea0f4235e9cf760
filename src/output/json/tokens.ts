/** States of a JSON scanner (RFC 8259), named by what may come next. */

export const VALUE = 0;
export const FIRST_ITEM = 1;
export const FIRST_KEY = 2;
export const KEY = 3;
export const COLON = 4;
export const AFTER = 5;
export const DONE = 6;
export const TEXT = 7;
/** Text of a key. */
export const KEY_TEXT = 8;
export const MARK = 9;
// Within a scalar. The number states follow RFC 8259 section 6.
export const ESCAPE = 10;
export const HEX = 11;
export const WORD = 12;
export const MINUS = 13;
export const ZERO = 14;
export const INTEGER = 15;
export const POINT = 16;
export const FRACTION = 17;
export const EXPONENT = 18;
export const EXPONENT_SIGN = 19;
export const EXPONENT_DIGITS = 20;
/** The number ended before this byte. */
export const ENDED = 21;
export const INVALID = 22;

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function isLineBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}
