import { Failure } from '../errors.ts';
import {
  AFTER,
  COLON,
  DONE,
  ESCAPE,
  EXPONENT,
  EXPONENT_DIGITS,
  EXPONENT_SIGN,
  escapes,
  FIRST_ITEM,
  FIRST_KEY,
  FRACTION,
  HEX,
  INTEGER,
  isHex,
  isShortWord,
  isSpace,
  KEY,
  KEY_TEXT,
  MARK,
  MINUS,
  POINT,
  special,
  specialBits,
  startsValue,
  TEXT,
  VALUE,
  WORD,
  words,
  ZERO,
} from './tokens.ts';

/** What `next` found. A closed set of small integers, for the loop that asks once a row. */
export const boundary = { more: 0, start: 1, end: 2 } as const;
export type Boundary = (typeof boundary)[keyof typeof boundary];

/** The most digits that a double keeps whatever they are. */
const SAFE_DIGITS = 15;

/**
 * The index of the next byte that means something in text: a quote, a backslash, a control character; or the end.
 * A function of its own, since V8 has a small one compiled long before the whole scanner.
 */
function endOfText(chunk: Uint8Array, view: DataView, from: number): number {
  const { length } = chunk;
  const lastWord = length - 4;
  let index = from;
  while (index <= lastWord) {
    const found = specialBits(view.getInt32(index, true));
    if (found !== 0) return index + lowestByte(found);
    index += 4;
  }
  if (lastWord < 0) {
    while (index < length && special[chunk[index]!] === 0) index++;
    return index;
  }
  if (index === length) return index;
  // The last bytes as a word too, filled up with zeros, which count as control characters: other code for them, run seldom,
  // would cost V8 what it has compiled.
  const rest = view.getInt32(lastWord, true) >>> ((index - lastWord) * 8);
  return Math.min(length, index + lowestByte(specialBits(rest)));
}

/** Which byte of a word has the lowest bit that is set. */
function lowestByte(bits: number): number {
  return (31 - Math.clz32(bits & -bits)) >> 3;
}

/**
 * A validating scanner of JSON text (RFC 8259) that comes in chunks, cut anywhere. It parses nothing: it says where rows
 * begin and end, so that they can be passed on byte for byte. A row is an item of the top-level array (`list`), or the
 * one top-level value (`value`). A byte order mark and white space are tolerated; UTF-8 is not judged. Any depth.
 *
 *     scanner.feed(chunk);
 *     while ((found = scanner.next()) !== boundary.more) ... scanner.at ...
 *     // after the last chunk
 *     scanner.finish();
 */
export class Scanner {
  /** Offset in the current chunk: of a row's first byte at a `start`, behind its last byte at an `end`. */
  at = 0;
  /** The row holds a number whose text would not survive JSON.parse and JSON.stringify. */
  inexact = false;
  /** The row holds a line break between its tokens. */
  multiline = false;

  readonly #rowDepth: 0 | 1;
  #chunk: Uint8Array = new Uint8Array(0);
  #view = new DataView(this.#chunk.buffer);
  #index = 0;
  /** Bytes in the chunks before this one. */
  #before = 0;
  #state = MARK;
  #depth = 0;
  /** For each open bracket, whether it is an object's. */
  #stack = new Uint8Array(64);
  #inRow = false;
  /** What an escape stands in: text, or text that is a key. */
  #escaped = TEXT;
  #word = '';
  /** Characters read of a word, of a `\u` escape, or of the byte order mark. */
  #read = 0;
  #digits = 0;
  #negative = false;
  #trailingZero = false;
  #small = false;

  constructor(shape: 'list' | 'value') {
    this.#rowDepth = shape === 'list' ? 1 : 0;
  }

  /** Take the next chunk. The one before must be used up: `next` has said `more`. */
  feed(chunk: Uint8Array): void {
    this.#before += this.#chunk.length;
    this.#chunk = chunk;
    this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
    this.#index = 0;
    if (this.#state === MARK) this.#skipMark();
  }

  /** A byte order mark, EF BB BF, whole or not at all. Not in `next`: what runs once would cost V8 what it has compiled of that. */
  #skipMark(): void {
    const mark = [0xef, 0xbb, 0xbf];
    for (; this.#index < this.#chunk.length && this.#state === MARK; this.#index++) {
      if (this.#chunk[this.#index] !== mark[this.#read]) {
        if (this.#read > 0) this.#fail(this.#index);
        this.#state = VALUE;
        return;
      }
      if (++this.#read === 3) this.#state = VALUE;
    }
  }

  /**
   * Scan on to the next boundary of a row, or to the end of the chunk.
   * @throws Failure `broken` at the first byte that is not JSON, or when a list is promised and something else comes
   */
  next(): Boundary {
    const chunk = this.#chunk;
    const length = chunk.length;
    const view = this.#view;
    const lastWord = length - 4;
    const rowDepth = this.#rowDepth;
    let index = this.#index;
    let state = this.#state;
    let depth = this.#depth;
    let stack = this.#stack;

    while (index < length) {
      const byte = chunk[index]!;
      switch (state) {
        case TEXT:
        case KEY_TEXT: {
          index = endOfText(chunk, view, index);
          if (index === length) break;
          const end = chunk[index]!;
          if (end === 0x22) {
            index++;
            if (state === KEY_TEXT) {
              state = COLON;
              if (index < length && chunk[index] === 0x3a) {
                index++;
                state = VALUE;
                if (index < length && chunk[index] === 0x22) {
                  index++;
                  state = TEXT;
                }
              }
            } else {
              state = AFTER;
              if (depth === rowDepth) return this.#pause(boundary.end, index, state, depth);
            }
          } else if (end === 0x5c) {
            index++;
            this.#escaped = state;
            state = ESCAPE;
          } else {
            this.#fail(index);
          }
          break;
        }

        case AFTER:
          if (byte === 0x2c && depth > 0) {
            index++;
            if (stack[depth - 1] === 0) {
              state = VALUE;
            } else if (index < length && chunk[index] === 0x22) {
              index++;
              state = KEY_TEXT;
            } else {
              state = KEY;
            }
          } else if (byte === 0x7d || byte === 0x5d) {
            if (depth === 0 || (stack[depth - 1] === 1) !== (byte === 0x7d)) this.#fail(index);
            index++;
            depth--;
            if (depth === rowDepth) return this.#pause(boundary.end, index, state, depth);
            if (depth === 0) state = DONE;
          } else if (isSpace(byte)) {
            if (this.#inRow && (byte === 0x0a || byte === 0x0d)) this.multiline = true;
            index++;
          } else {
            this.#fail(index);
          }
          break;

        case FIRST_KEY:
        case KEY:
          if (byte === 0x22) {
            index++;
            state = KEY_TEXT;
          } else if (byte === 0x7d && state === FIRST_KEY) {
            state = AFTER;
          } else if (isSpace(byte)) {
            if (byte === 0x0a || byte === 0x0d) this.multiline = true;
            index++;
          } else {
            this.#fail(index);
          }
          break;

        case FIRST_ITEM:
        case VALUE: {
          if (isSpace(byte)) {
            if (this.#inRow && (byte === 0x0a || byte === 0x0d)) this.multiline = true;
            index++;
            break;
          }
          if (byte === 0x5d && state === FIRST_ITEM) {
            state = AFTER;
            break;
          }
          if (depth === rowDepth && !this.#inRow) {
            if (!startsValue(byte)) this.#fail(index);
            this.#inRow = true;
            this.inexact = false;
            this.multiline = false;
            return this.#pause(boundary.start, index, VALUE, depth);
          }
          if (depth === 0 && rowDepth === 1 && byte !== 0x5b && startsValue(byte)) {
            throw new Failure('broken', 'the answer is not a list, as the API promises');
          }
          if (byte === 0x22) {
            state = TEXT;
          } else if (byte === 0x7b || byte === 0x5b) {
            if (depth === stack.length) stack = this.#grow();
            stack[depth++] = byte === 0x7b ? 1 : 0;
            state = byte === 0x7b ? FIRST_KEY : FIRST_ITEM;
          } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
            this.#digits = 0;
            this.#negative = byte === 0x2d;
            this.#trailingZero = false;
            this.#small = byte === 0x30;
            state = byte === 0x2d ? MINUS : byte === 0x30 ? ZERO : INTEGER;
            if (state === INTEGER) this.#digits = 1;
          } else if (index <= lastWord && depth > rowDepth && isShortWord(view.getInt32(index, true))) {
            index += 3;
            state = AFTER;
          } else {
            const word = words[byte];
            if (word === undefined) this.#fail(index);
            this.#word = word;
            this.#read = 1;
            state = WORD;
          }
          index++;
          break;
        }

        case COLON:
          if (byte === 0x3a) state = VALUE;
          else if (!isSpace(byte)) this.#fail(index);
          else if (byte === 0x0a || byte === 0x0d) this.multiline = true;
          index++;
          break;

        case INTEGER:
        case FRACTION: {
          const from = index;
          while (index < length && chunk[index]! >= 0x30 && chunk[index]! <= 0x39) index++;
          this.#digits += index - from;
          if (state === FRACTION && index > from) this.#trailingZero = chunk[index - 1] === 0x30;
          if (index === length) break;
          const end = chunk[index]!;
          if (end === 0x2e && state === INTEGER) {
            index++;
            state = POINT;
          } else if (end === 0x65 || end === 0x45) {
            index++;
            this.inexact = true;
            state = EXPONENT;
          } else {
            this.#endNumber(state);
            state = AFTER;
            if (depth === rowDepth) return this.#pause(boundary.end, index, state, depth);
          }
          break;
        }

        case ESCAPE:
          if (byte === 0x75) {
            this.#read = 0;
            state = HEX;
          } else if (escapes.has(byte)) {
            state = this.#escaped;
          } else {
            this.#fail(index);
          }
          index++;
          break;

        case HEX:
          if (!isHex(byte)) this.#fail(index);
          index++;
          if (++this.#read === 4) state = this.#escaped;
          break;

        case WORD:
          if (byte !== this.#word.charCodeAt(this.#read)) this.#fail(index);
          index++;
          if (++this.#read === this.#word.length) {
            state = AFTER;
            if (depth === rowDepth) return this.#pause(boundary.end, index, state, depth);
          }
          break;

        case MINUS:
          if (byte < 0x30 || byte > 0x39) this.#fail(index);
          this.#small = byte === 0x30;
          if (byte !== 0x30) this.#digits = 1;
          state = byte === 0x30 ? ZERO : INTEGER;
          index++;
          break;

        case ZERO:
          if (byte === 0x2e) {
            index++;
            state = POINT;
          } else if (byte === 0x65 || byte === 0x45) {
            index++;
            this.inexact = true;
            state = EXPONENT;
          } else {
            this.#endNumber(state);
            state = AFTER;
            if (depth === rowDepth) return this.#pause(boundary.end, index, state, depth);
          }
          break;

        case POINT:
          if (byte < 0x30 || byte > 0x39) this.#fail(index);
          state = FRACTION;
          break;

        case EXPONENT:
          if (byte === 0x2b || byte === 0x2d) index++;
          state = EXPONENT_SIGN;
          break;

        case EXPONENT_SIGN:
          if (byte < 0x30 || byte > 0x39) this.#fail(index);
          state = EXPONENT_DIGITS;
          break;

        case EXPONENT_DIGITS:
          if (byte >= 0x30 && byte <= 0x39) {
            index++;
          } else {
            state = AFTER;
            if (depth === rowDepth) return this.#pause(boundary.end, index, state, depth);
          }
          break;

        default: // DONE
          if (!isSpace(byte)) this.#fail(index);
          index++;
      }
    }
    return this.#pause(boundary.more, index, state, depth);
  }

  /**
   * The text has ended: see that it is whole.
   * @returns whether this ended a row: a number at the top has no other end
   * @throws Failure `broken`
   */
  finish(): boolean {
    const state = this.#state;
    const total = this.#before + this.#chunk.length;
    if (!this.#inRow && this.#depth === 0 && (state === VALUE || state === MARK) && this.#read % 3 === 0) {
      throw new Failure('broken', 'the answer is empty, where the API promises JSON');
    }
    if (this.#depth > 0) this.#fail(this.#chunk.length);
    if (state === ZERO || state === INTEGER || state === FRACTION || state === EXPONENT_DIGITS) {
      this.#endNumber(state);
      this.#state = AFTER;
      this.#inRow = false;
      this.at = this.#chunk.length;
      return true;
    }
    if (state !== DONE && state !== AFTER) throw broken(total);
    return false;
  }

  #pause(found: Boundary, index: number, state: number, depth: number): Boundary {
    this.#index = index;
    this.#state = state;
    this.#depth = depth;
    this.at = index;
    if (found === boundary.end) this.#inRow = false;
    return found;
  }

  #grow(): Uint8Array<ArrayBuffer> {
    const grown = new Uint8Array(this.#stack.length * 4);
    grown.set(this.#stack);
    this.#stack = grown;
    return grown;
  }

  #endNumber(state: number): void {
    // 0.0000001 is printed as 1e-7: what starts with 0. and is long is not trusted.
    if (
      this.#digits > SAFE_DIGITS ||
      this.#trailingZero ||
      (this.#small && this.#digits > 6) ||
      (this.#negative && state === ZERO)
    ) {
      this.inexact = true;
    }
  }

  #fail(index: number): never {
    throw broken(this.#before + index);
  }
}

function broken(at: number): Failure {
  return new Failure('broken', `the answer is not valid JSON (at byte ${at})`);
}

/** Every kind of token, and every place for white space. */
const sample =
  '[ {"a" : -1.50e+3,"b":[ ],"c":"x\\n\\u00e9","d":false,"e":[0,10, 0.5,null],"f":{}} , {"g":true}] ';

/**
 * Show V8 every way through the scanner before it compiles it: a way first taken later, such as that from page to page, would
 * have it throw the code away and compile anew, which costs a long list a tenth of its time. Takes 0.2 ms.
 */
export function rehearse(): void {
  const bytes = Buffer.from(sample);
  for (let round = 0; round < 4; round++) {
    const scanner = new Scanner('list');
    scanner.feed(bytes);
    while (scanner.next() !== boundary.more);
    scanner.finish();
  }
}
