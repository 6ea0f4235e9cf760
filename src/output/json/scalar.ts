import { isDigit, safeDigits } from './plain.ts';
import {
  AFTER,
  ENDED,
  ESCAPE,
  EXPONENT,
  EXPONENT_DIGITS,
  EXPONENT_SIGN,
  FRACTION,
  HEX,
  INTEGER,
  INVALID,
  MINUS,
  POINT,
  TEXT,
  WORD,
  ZERO,
} from './tokens.ts';

const words: Readonly<Record<number, string>> = { 116: 'true', 102: 'false', 110: 'null' };
const escapes = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)));

/** Numbers, words and escapes in JSON text, byte by byte: what is short, and may be cut anywhere. */
export class Scalar {
  /** A number had a text that would not survive JSON.parse and JSON.stringify. */
  inexact = false;
  /** What an escape stands in: text, or text that is a key. */
  #escaped = TEXT;
  #word = '';
  /** Characters read of a word or of a `\u` escape. */
  #read = 0;
  #digits = 0;
  #negative = false;
  #trailingZero = false;
  #small = false;

  /** The state behind the first byte of a number or a word; `INVALID` behind another. */
  begin(byte: number): number {
    const word = words[byte];
    if (word !== undefined) {
      this.#word = word;
      this.#read = 1;
      return WORD;
    }
    this.#digits = 0;
    this.#negative = byte === 0x2d;
    this.#trailingZero = false;
    return this.#negative ? MINUS : this.#firstDigit(byte);
  }

  /** The state behind a backslash. @param text the state that it stands in */
  escape(text: number): number {
    this.#escaped = text;
    return ESCAPE;
  }

  /** The state behind one more byte: `AFTER` the last of a word, `ENDED` where it is no part of the number any more. */
  step(state: number, byte: number): number {
    switch (state) {
      case ESCAPE:
        this.#read = 0;
        return byte === 0x75 ? HEX : escapes.has(byte) ? this.#escaped : INVALID;
      case HEX:
        if (!isHex(byte)) return INVALID;
        return ++this.#read === 4 ? this.#escaped : HEX;
      case WORD:
        if (byte !== this.#word.charCodeAt(this.#read)) return INVALID;
        return ++this.#read === this.#word.length ? AFTER : WORD;
      case MINUS:
        return this.#firstDigit(byte);
      case ZERO:
        return this.#behindDigits(state, byte);
      case INTEGER:
        return isDigit(byte) ? this.#digit(state, byte) : this.#behindDigits(state, byte);
      case POINT:
        return isDigit(byte) ? this.#digit(FRACTION, byte) : INVALID;
      case FRACTION:
        return isDigit(byte) ? this.#digit(state, byte) : this.#behindDigits(state, byte);
      case EXPONENT:
        if (byte === 0x2b || byte === 0x2d) return EXPONENT_SIGN;
        return isDigit(byte) ? EXPONENT_DIGITS : INVALID;
      case EXPONENT_SIGN:
        return isDigit(byte) ? EXPONENT_DIGITS : INVALID;
      default: // EXPONENT_DIGITS
        return isDigit(byte) ? state : ENDED;
    }
  }

  /** The text has ended, or something else has begun. @returns whether a number may end here */
  endNumber(state: number): boolean {
    if (state !== ZERO && state !== INTEGER && state !== FRACTION && state !== EXPONENT_DIGITS) return false;
    // 0.0000001 is printed as 1e-7: what starts with 0. and is long is not trusted.
    if (
      this.#digits > safeDigits ||
      this.#trailingZero ||
      (this.#small && this.#digits > 6) ||
      (this.#negative && state === ZERO)
    ) {
      this.inexact = true;
    }
    return true;
  }

  #firstDigit(byte: number): number {
    if (!isDigit(byte)) return INVALID;
    this.#small = byte === 0x30;
    if (this.#small) return ZERO;
    this.#digits = 1;
    return INTEGER;
  }

  #digit(state: number, byte: number): number {
    this.#digits++;
    this.#trailingZero = state === FRACTION && byte === 0x30;
    return state;
  }

  #behindDigits(state: number, byte: number): number {
    if (byte === 0x2e && state !== FRACTION) return POINT;
    if (byte === 0x65 || byte === 0x45) {
      this.inexact = true;
      return EXPONENT;
    }
    this.endNumber(state);
    return ENDED;
  }
}

function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
