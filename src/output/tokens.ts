/** The bytes of JSON (RFC 8259), and the places where a scanner of it can stand. */

// What may come next. The number states follow RFC 8259 section 6.
export const VALUE = 0;
export const FIRST_ITEM = 1;
export const FIRST_KEY = 2;
export const KEY = 3;
export const COLON = 4;
export const AFTER = 5;
export const DONE = 6;
export const TEXT = 7;
export const ESCAPE = 8;
export const HEX = 9;
export const WORD = 10;
export const MINUS = 11;
export const ZERO = 12;
export const INTEGER = 13;
export const POINT = 14;
export const FRACTION = 15;
export const EXPONENT = 16;
export const EXPONENT_SIGN = 17;
export const EXPONENT_DIGITS = 18;
export const MARK = 19;
/** Text that is a key. */
export const KEY_TEXT = 20;

/** Bytes that end the tight loop inside a string: quote, backslash, control characters. */
export const special = new Uint8Array(256).fill(1, 0, 0x20);
special[0x22] = 1;
special[0x5c] = 1;

export const words: Readonly<Record<number, string>> = { 116: 'true', 102: 'false', 110: 'null' };
export const escapes = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)));

/**
 * Which of four bytes is a quote, a backslash or a control character: the high bit of its place is set. Of several,
 * the lowest is right; those above it may be wrong.
 */
export function specialBits(four: number): number {
  const quote = four ^ 0x22222222;
  const backslash = four ^ 0x5c5c5c5c;
  return (
    (((quote - 0x01010101) & ~quote) |
      ((backslash - 0x01010101) & ~backslash) |
      ((four - 0x20202020) & ~four)) &
    0x80808080
  );
}

/** Whether four bytes, the first one lowest, are `true` or `null`. */
export function isShortWord(four: number): boolean {
  return four === 0x65757274 || four === 0x6c6c756e;
}

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

export function startsValue(byte: number): boolean {
  return (
    byte === 0x22 ||
    byte === 0x7b ||
    byte === 0x5b ||
    byte === 0x2d ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte in words
  );
}
