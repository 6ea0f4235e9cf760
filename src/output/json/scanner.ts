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

/** Results of `next`: small integers, which keep the loop over rows fast. */
export const boundary = { more: 0, start: 1, end: 2 } as const;
export type Boundary = (typeof boundary)[keyof typeof boundary];

const LIST = 0;
const OBJECT = 1;

/** Bytes after the current index that the fast path may read. */
const LOOKAHEAD = 8;

const empty: Uint8Array = new Uint8Array(0);

/**
 * Validates JSON text (RFC 8259) in chunks of any size and finds the boundaries of rows, without parsing values, so that
 * rows can be copied byte for byte. A row is an item of the top-level array (`list`) or the top-level value (`value`).
 * Accepts a byte order mark and any depth. Does not validate UTF-8.
 *
 *     scanner.feed(chunk);
 *     while ((found = scanner.next()) !== boundary.more) ... scanner.at ...
 *     // after the last chunk
 *     scanner.finish();
 */
export class Scanner {
  /** Offset in the current chunk: the first byte of a row at `start`, the index after its last byte at `end`. */
  at = 0;
  /** The row contains a line break between tokens. */
  multiline = false;

  readonly #rowDepth: 0 | 1;
  readonly #scalar = new Scalar();
  #chunk = empty;
  #view = new DataView(this.#chunk.buffer);
  /** Total bytes of the previous chunks. */
  #before = 0;
  #state = MARK;
  /** Bytes read of the byte order mark. */
  #marked = 0;
  #depth = 0;
  /** `LIST` or `OBJECT` for each open bracket. */
  #stack = new Uint8Array(64);
  #inRow = false;

  constructor(shape: 'list' | 'value') {
    this.#rowDepth = shape === 'list' ? 1 : 0;
  }

  /** Start with another text of the same shape. */
  restart(): void {
    this.at = 0;
    this.#chunk = empty;
    this.#before = 0;
    this.#state = MARK;
    this.#marked = 0;
    this.#depth = 0;
    this.#inRow = false;
  }

  /** The row contains a number whose text would change in JSON.parse and JSON.stringify. */
  get inexact(): boolean {
    return this.#scalar.inexact;
  }

  /** Set the next chunk, after `next` has returned `more`. */
  feed(chunk: Uint8Array): void {
    this.#before += this.#chunk.length;
    this.#chunk = chunk;
    this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
    this.at = 0;
    if (this.#state === MARK) this.#skipMark();
  }

  /** Continue after a chunk that is a complete list, instead of `feed` and `next`. */
  skip(chunk: Uint8Array): void {
    this.#before += this.#chunk.length;
    this.#chunk = chunk;
    this.#pause(boundary.more, chunk.length, DONE);
  }

  /** Skip a byte order mark (EF BB BF). An incomplete mark is an error. */
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
   * Scan to the next row boundary or the end of the chunk.
   * @throws Failure `server_error` at the first byte that is not JSON, or if a list is expected and another value comes
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
          const started = this.#begin(byte);
          if (started === INVALID) this.#fail(index);
          if (this.#depth === this.#rowDepth && !this.#inRow) {
            this.#inRow = true;
            this.#scalar.inexact = false;
            this.multiline = false;
            return this.#pause(boundary.start, index, VALUE);
          }
          if (this.#depth === 0 && this.#rowDepth === 1 && byte !== 0x5b) {
            throw new Failure('server_error', 'the response is not a list');
          }
          if (started === FIRST_KEY) this.#open(OBJECT);
          if (started === FIRST_ITEM) this.#open(LIST);
          state = started;
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
   * Skip simple members of an object: complete, without escapes and white space, with a string, literal, exact number or
   * object of such members as value. Most members are simple, and V8 compiles a small loop early.
   * @param from the index after the quote that opens a key
   * @returns the index at which to continue in `#state`: in a key, at a value, or after a value
   */
  #skipMembers(from: number): number {
    const chunk = this.#chunk;
    const view = this.#view;
    const last = chunk.length - LOOKAHEAD;
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
   * End the text.
   * @returns whether this ends a row, as it does for a top-level number
   * @throws Failure `server_error`
   */
  finish(): boolean {
    const state = this.#state;
    const isEmpty = state === VALUE || (state === MARK && this.#marked === 0);
    if (isEmpty && this.#depth === 0 && !this.#inRow) {
      throw new Failure('server_error', 'the response is empty instead of JSON');
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

  /** Return the state after the first byte of a value. */
  #begin(byte: number): number {
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

  /** Accept white space between tokens, and fail on any other byte. */
  #space(byte: number, index: number): void {
    if (!isSpace(byte)) this.#fail(index);
    if (this.#inRow && isLineBreak(byte)) this.multiline = true;
  }

  #fail(index: number): never {
    throw new Failure('server_error', `the response is not valid JSON (at byte ${this.#before + index})`);
  }
}
