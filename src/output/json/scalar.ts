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

/** Reads numbers, literals and escapes byte by byte, because chunks can end anywhere. */
export class Scalar {
  /** The text of a number would change in JSON.parse and JSON.stringify. */
  inexact = false;
  /** The state around an escape: `TEXT` or `KEY_TEXT`. */
  #escaped = TEXT;
  #word = '';
  /** Characters read of a literal or a `\u` escape. */
  #read = 0;
  #digits = 0;
  #negative = false;
  #trailingZero = false;
  #small = false;

  /** Return the state after the first byte of a number or literal, or `INVALID`. */
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

  /** Return the state after a backslash. @param text the state before it */
  escape(text: number): number {
    this.#escaped = text;
    return ESCAPE;
  }

  /** Return the state after another byte: `AFTER` the end of a literal, `ENDED` if the byte is not part of the number. */
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
        return this.#afterDigits(state, byte);
      case INTEGER:
        return isDigit(byte) ? this.#digit(state, byte) : this.#afterDigits(state, byte);
      case POINT:
        return isDigit(byte) ? this.#digit(FRACTION, byte) : INVALID;
      case FRACTION:
        return isDigit(byte) ? this.#digit(state, byte) : this.#afterDigits(state, byte);
      case EXPONENT:
        if (byte === 0x2b || byte === 0x2d) return EXPONENT_SIGN;
        return isDigit(byte) ? EXPONENT_DIGITS : INVALID;
      case EXPONENT_SIGN:
        return isDigit(byte) ? EXPONENT_DIGITS : INVALID;
      default: // EXPONENT_DIGITS
        return isDigit(byte) ? state : ENDED;
    }
  }

  /** End a number. @returns whether a number may end in this state */
  endNumber(state: number): boolean {
    if (state !== ZERO && state !== INTEGER && state !== FRACTION && state !== EXPONENT_DIGITS) return false;
    // 0.0000001 would be printed as 1e-7, so long numbers that start with 0. are inexact.
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

  #afterDigits(state: number, byte: number): number {
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
