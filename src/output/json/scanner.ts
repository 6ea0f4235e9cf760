import { Failure } from '../../errors.ts';
import { endOfPlainNumber, endOfText, endOfWord } from './plain.ts';
import { Scalar } from './scalar.ts';
import {
  AFTER,
  COLON,
  DONE,
  ENDED,
  FIRST_ITEM,
  FIRST_KEY,
  INVALID,
  isLineBreak,
  isSpace,
  KEY,
  KEY_TEXT,
  MARK,
  TEXT,
  VALUE,
} from './tokens.ts';

/** What `next` found. A closed set of small integers, for the loop that asks once a row. */
export const boundary = { more: 0, start: 1, end: 2 } as const;
export type Boundary = (typeof boundary)[keyof typeof boundary];

const LIST = 0;
const OBJECT = 1;

/** Bytes that a plain member may reach behind what is looked at. */
const REACH = 8;

const nothing: Uint8Array = new Uint8Array(0);

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
  /** The row holds a line break between its tokens. */
  multiline = false;

  readonly #rowDepth: 0 | 1;
  readonly #scalar = new Scalar();
  #chunk = nothing;
  #view = new DataView(this.#chunk.buffer);
  /** Bytes in the chunks before this one. */
  #before = 0;
  #state = MARK;
  /** Bytes read of the byte order mark. */
  #marked = 0;
  #depth = 0;
  /** For each open bracket, whether it is a list's or an object's. */
  #stack = new Uint8Array(64);
  #inRow = false;

  constructor(shape: 'list' | 'value') {
    this.#rowDepth = shape === 'list' ? 1 : 0;
  }

  /** Begin with another text of the same shape. */
  restart(): void {
    this.at = 0;
    this.#chunk = nothing;
    this.#before = 0;
    this.#state = MARK;
    this.#marked = 0;
    this.#depth = 0;
    this.#inRow = false;
  }

  /** The row holds a number whose text would not survive JSON.parse and JSON.stringify. */
  get inexact(): boolean {
    return this.#scalar.inexact;
  }

  /** Take the next chunk. The one before must be used up: `next` has said `more`. */
  feed(chunk: Uint8Array): void {
    this.#before += this.#chunk.length;
    this.#chunk = chunk;
    this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
    this.at = 0;
    if (this.#state === MARK) this.#skipMark();
  }

  /** A byte order mark, EF BB BF, whole or not at all. */
  #skipMark(): void {
    const mark = [0xef, 0xbb, 0xbf];
    for (; this.at < this.#chunk.length && this.#state === MARK; this.at++) {
      if (this.#chunk[this.at] !== mark[this.#marked]) {
        if (this.#marked > 0) this.#fail(this.at);
        this.#state = VALUE;
        return;
      }
      if (++this.#marked === mark.length) this.#state = VALUE;
    }
  }

  /**
   * Scan on to the next boundary of a row, or to the end of the chunk.
   * @throws Failure `server_error` at the first byte that is not JSON, or when a list is promised and something else comes
   */
  next(): Boundary {
    const chunk = this.#chunk;
    const { length } = chunk;
    let index = this.at;
    let state = this.#state;

    while (index < length) {
      const byte = chunk[index]!;
      switch (state) {
        case TEXT:
        case KEY_TEXT: {
          index = endOfText(chunk, this.#view, index);
          if (index === length) break;
          const end = chunk[index]!;
          if (end === 0x5c) state = this.#scalar.escape(state);
          else if (end !== 0x22) this.#fail(index);
          else state = state === TEXT ? AFTER : COLON;
          index++;
          if (state === AFTER && this.#depth === this.#rowDepth)
            return this.#pause(boundary.end, index, state);
          break;
        }

        case AFTER:
          if (byte === 0x2c && this.#depth > 0) {
            index++;
            if (this.#stack[this.#depth - 1] === LIST) state = VALUE;
            else if (index === length || chunk[index] !== 0x22) state = KEY;
            else {
              index = this.#skipMembers(index + 1);
              state = this.#state;
            }
          } else if (byte === 0x7d || byte === 0x5d) {
            if (this.#depth === 0 || (this.#stack[this.#depth - 1] === OBJECT) !== (byte === 0x7d))
              this.#fail(index);
            index++;
            this.#depth--;
            if (this.#depth === this.#rowDepth) return this.#pause(boundary.end, index, state);
            if (this.#depth === 0) state = DONE;
          } else {
            this.#space(byte, index);
            index++;
          }
          break;

        case FIRST_KEY:
        case KEY:
          if (byte === 0x22) {
            index = this.#skipMembers(index + 1);
            state = this.#state;
          } else if (byte === 0x7d && state === FIRST_KEY) {
            state = AFTER;
          } else {
            this.#space(byte, index);
            index++;
          }
          break;

        case FIRST_ITEM:
        case VALUE: {
          if (isSpace(byte)) {
            this.#space(byte, index);
            index++;
            break;
          }
          if (byte === 0x5d && state === FIRST_ITEM) {
            state = AFTER;
            break;
          }
          const begun = this.#begun(byte);
          if (begun === INVALID) this.#fail(index);
          if (this.#depth === this.#rowDepth && !this.#inRow) {
            this.#inRow = true;
            this.#scalar.inexact = false;
            this.multiline = false;
            return this.#pause(boundary.start, index, VALUE);
          }
          if (this.#depth === 0 && this.#rowDepth === 1 && byte !== 0x5b) {
            throw new Failure('server_error', 'the answer is not a list, as the API promises');
          }
          if (begun === FIRST_KEY) this.#open(OBJECT);
          if (begun === FIRST_ITEM) this.#open(LIST);
          state = begun;
          index++;
          break;
        }

        case COLON:
          if (byte === 0x3a) state = VALUE;
          else this.#space(byte, index);
          index++;
          break;

        case DONE:
          if (!isSpace(byte)) this.#fail(index);
          index++;
          break;

        default: {
          const next = this.#scalar.step(state, byte);
          if (next === INVALID) this.#fail(index);
          if (next !== ENDED) index++;
          state = next === ENDED ? AFTER : next;
          if (state === AFTER && this.#depth === this.#rowDepth)
            return this.#pause(boundary.end, index, state);
        }
      }
    }
    return this.#pause(boundary.more, index, state);
  }

  /**
   * Go past members of an object that are whole and plain: without escapes and white space, their value a text, `null`, `true`, a
   * number that survives, or an object of such. That is most of what there is; a small loop is compiled soon, and runs fast.
   * @param from behind the quote that opens a key
   * @returns where to go on, in `#state`: within the key of the first member that is another, at its value, or behind a value
   */
  #skipMembers(from: number): number {
    const chunk = this.#chunk;
    const view = this.#view;
    const last = chunk.length - REACH;
    let index = from;
    this.#state = KEY_TEXT;
    for (;;) {
      const quote = endOfText(chunk, view, index);
      if (quote > last || chunk[quote] !== 0x22 || chunk[quote + 1] !== 0x3a) return index;
      const value = quote + 2;
      const first = chunk[value]!;
      let end = value + 1;
      if (first === 0x22) {
        end = endOfText(chunk, view, end);
        if (end > last || chunk[end] !== 0x22) return index;
        end++;
      } else if (first === 0x7b && chunk[end] === 0x22) {
        this.#open(OBJECT);
        index = end + 1;
        continue;
      } else if (first >= 0x31 && first <= 0x39) {
        end = endOfPlainNumber(chunk, end);
        if (end === 0) return index;
      } else {
        end = endOfWord(chunk, view, value);
        if (end === 0) {
          this.#state = VALUE;
          return value;
        }
      }
      while (
        chunk[end] === 0x7d &&
        this.#depth > this.#rowDepth + 1 &&
        this.#stack[this.#depth - 1] === OBJECT
      ) {
        this.#depth--;
        end++;
      }
      if (
        end > last ||
        chunk[end] !== 0x2c ||
        chunk[end + 1] !== 0x22 ||
        this.#stack[this.#depth - 1] === LIST
      ) {
        this.#state = AFTER;
        return end;
      }
      index = end + 2;
    }
  }

  /**
   * The text has ended: see that it is whole.
   * @returns whether this ended a row: a number at the top has no other end
   * @throws Failure `server_error`
   */
  finish(): boolean {
    const state = this.#state;
    const empty = state === VALUE || (state === MARK && this.#marked === 0);
    if (empty && this.#depth === 0 && !this.#inRow) {
      throw new Failure('server_error', 'the answer is empty, where the API promises JSON');
    }
    if (this.#depth === 0 && this.#scalar.endNumber(state)) {
      this.#pause(boundary.end, this.#chunk.length, AFTER);
      return true;
    }
    if (this.#depth > 0 || (state !== DONE && state !== AFTER)) this.#fail(this.#chunk.length);
    return false;
  }

  #pause(found: Boundary, index: number, state: number): Boundary {
    this.at = index;
    this.#state = state;
    if (found === boundary.end) this.#inRow = false;
    return found;
  }

  /** The state behind the first byte of a value. */
  #begun(byte: number): number {
    if (byte === 0x22) return TEXT;
    if (byte === 0x7b) return FIRST_KEY;
    return byte === 0x5b ? FIRST_ITEM : this.#scalar.begin(byte);
  }

  #open(bracket: typeof LIST | typeof OBJECT): void {
    if (this.#depth === this.#stack.length) this.#deepen();
    this.#stack[this.#depth++] = bracket;
  }

  #deepen(): void {
    const deeper = new Uint8Array(this.#stack.length * 4);
    deeper.set(this.#stack);
    this.#stack = deeper;
  }

  /** White space between tokens, or nothing that can be there. */
  #space(byte: number, index: number): void {
    if (!isSpace(byte)) this.#fail(index);
    if (this.#inRow && isLineBreak(byte)) this.multiline = true;
  }

  #fail(index: number): never {
    throw new Failure('server_error', `the answer is not valid JSON (at byte ${this.#before + index})`);
  }
}
