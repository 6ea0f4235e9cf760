/** Reads JSON responses without a byte order mark: joined, validated by JSON.parse, and cut into rows byte for byte. */
import { type ExchangeSummary, Failure } from '../../errors.ts';
import { valueLimit } from '../../support/bytes.ts';
import { attempt } from '../../support/errno.ts';
import { isRecord } from '../../support/record.ts';
import { jsonErrorOffset } from '../../support/text/json-error.ts';
import type { PageResult, Tally } from '../model.ts';
import { isTurnDue, turn } from '../turn.ts';

/** Bytes, variable for tests. */
export const sizes = {
  /** Bytes that are parsed at once. V8 requests memory for each longer text, which takes a quarter of the time of parsing it. */
  piece: 64 * 1024,
  /** A page of more is processed in parts of this size, so that a list of any size needs little memory. */
  batch: 1024 * 1024,
  /** Maximum of one item of a list, or of one value that is parsed: they are kept in memory until they are complete. */
  value: valueLimit,
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export interface Rows {
  /** The rows as received, with the commas and white space between them. */
  readonly bytes: Buffer;
  /** The bytes after the previous rows, if these are not the first of the page. */
  readonly gap?: Buffer;
  readonly values: readonly unknown[];
}

type UseRows = (rows: Rows) => Promise<void>;

export function itemTooLarge(hint: string): Failure {
  return new Failure('server_error', `the response contains an item of more than ${sizes.value >> 20} MiB`, {
    hint,
  });
}

/** The failure of a response that is not the list of objects that the endpoint returns. */
export function notObjects(exchange?: ExchangeSummary): Failure {
  return new Failure('server_error', 'the response is not a list of objects', { exchange });
}

/** The failure of a response that is not JSON. @param before the bytes before the text */
function invalid(bytes: Buffer, before = 0): Failure {
  if (startOfText(bytes, 0) === bytes.length)
    return new Failure('server_error', 'the response is empty instead of JSON');
  const at = before + (jsonErrorOffset(bytes.toString('latin1')) ?? 0);
  return new Failure('server_error', `the response is not valid JSON (at byte ${at})`);
}

/**
 * Read the rows of one page, a JSON array. Only complete rows are used, also those before a failure.
 * @param tally rows read so far, over all pages; updated even if this fails
 * @param limit maximum rows over all pages; reading stops at the first row beyond it
 * @throws Failure `server_error` if the page is not a JSON array, or an item is larger than `sizes.value`
 */
export async function takeRows(
  body: AsyncIterable<Uint8Array>,
  tally: Tally,
  limit: number,
  use: UseRows,
): Promise<PageResult> {
  const page = new PageReader(tally, limit, use);
  try {
    for await (const chunk of body) {
      if (isTurnDue()) await turn();
      await page.add(chunk);
      if (page.isFull) break;
    }
    await page.end();
  } catch (error) {
    await page.abandon();
    throw error;
  }
  return { rows: tally.rows, full: tally.rows >= limit, more: page.isFull };
}

export class PageReader {
  isFull = false;
  readonly #tally: Tally;
  readonly #limit: number;
  readonly #use: UseRows;
  /** The chunks that are not used yet. After the first rows, they start at the end of the previous row. */
  #held: Uint8Array[] = [];
  #size = 0;
  /** Held bytes at which rows are used. */
  #enough = sizes.batch;
  /** Bytes before those that are held. */
  #before = 0;
  #place: 'start' | 'rows' | 'end' = 'start';

  constructor(tally: Tally, limit: number, use: UseRows) {
    this.#tally = tally;
    this.#limit = limit;
    this.#use = use;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#held.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= this.#enough) await this.#take();
    if (this.#size <= sizes.value) return;
    this.#release();
    throw itemTooLarge('use -o raw, which does not parse the response');
  }

  /** End the page. @throws Failure `server_error` if it is incomplete */
  async end(): Promise<void> {
    if (this.isFull) return;
    await this.#take();
    if (!this.isFull && this.#place !== 'end') throw this.#invalid();
  }

  /** Use the rows that are complete before the end of an incomplete page. */
  async abandon(): Promise<void> {
    // The failure for which the page is abandoned is reported.
    await this.#take().catch(() => {});
    const bytes = this.#release();
    const from = this.#enter(bytes);
    // A number may have lost digits.
    if (from === undefined || !/["\]}]\s*$/.test(bytes.toString('latin1', bytes.length - 64))) return;
    const row = parseItems(bytes, from, bytes.length);
    if (row?.length === 1) await this.#print(bytes, from, bytes.length, row);
  }

  async #take(): Promise<void> {
    const bytes = this.#release();
    const from = this.#enter(bytes);
    if (from === undefined) return this.#hold(bytes);
    const last = endOfText(bytes, bytes.length) - 1;
    if (bytes[last] === CLOSE_LIST) {
      const values = parseItems(bytes, from, last);
      if (values && (values.length > 0 || this.#place === 'start')) {
        await this.#print(bytes, from, last, values);
        this.#place = 'end';
        return this.#hold(bytes, last + 1);
      }
    }
    const { ends, isClosed } = itemEnds(bytes, from);
    const values = validItems(bytes, from, ends);
    const end = ends[values.length - 1];
    if (end === undefined) this.#hold(bytes);
    else {
      await this.#print(bytes, from, end, values);
      this.#place = 'rows';
      this.#hold(bytes, endOfText(bytes, end));
    }
    if (!this.isFull && (isClosed || values.length < ends.length)) throw this.#invalid();
  }

  #release(): Buffer {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#size = 0;
    return bytes;
  }

  #hold(bytes: Buffer, from = 0): void {
    this.#before += from;
    this.#held = [bytes.subarray(from)];
    this.#size = bytes.length - from;
    // A long item is not read again for each of its chunks.
    this.#enough = Math.max(sizes.batch, 2 * this.#size);
  }

  /**
   * @returns the offset after the bracket or comma before the next row; undefined if there is none
   * @throws Failure `server_error` for anything but white space after the list, or for another value than a list
   */
  #enter(bytes: Buffer): number | undefined {
    const isStart = this.#place === 'start';
    const at = startOfText(bytes, 0);
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    if (this.#place === 'end') throw this.#invalid(bytes);
    if (isStart && byte !== OPEN_LIST && /[{"\-\dtfn]/.test(String.fromCharCode(byte)))
      throw new Failure('server_error', 'the response is not a list');
    return byte === (isStart ? OPEN_LIST : COMMA) ? at + 1 : undefined;
  }

  async #print(bytes: Buffer, from: number, to: number, values: readonly unknown[]): Promise<void> {
    this.#tally.check?.(values);
    const room = this.#limit - this.#tally.rows;
    const other = this.#tally.objects ? values.findIndex((value) => !isRecord(value)) : -1;
    const count = Math.min(room, other < 0 ? values.length : other);
    if (count < values.length) this.isFull = count === room;
    if (count > 0) {
      const end = count < values.length ? itemEnds(bytes, from).ends[count - 1]! : to;
      const start = startOfText(bytes, from);
      this.#tally.rows += count;
      await this.#use({
        bytes: bytes.subarray(start, endOfText(bytes, end)),
        ...(this.#place === 'start' ? {} : { gap: bytes.subarray(0, start) }),
        values: count < values.length ? values.slice(0, count) : values,
      });
    }
    if (count < values.length && !this.isFull) throw notObjects();
  }

  #invalid(rest: Buffer = Buffer.concat(this.#held)): Failure {
    const read = { start: '', rows: '[0', end: '[0]' }[this.#place];
    return invalid(Buffer.concat([Buffer.from(read), rest]), this.#before - read.length);
  }
}

export type JsonValue = ReturnType<typeof readValue>;

/**
 * Return the bytes of a value, without white space around them, and the value as JSON.parse reads it.
 * @throws Failure `server_error` for a body that is not JSON
 */
export function readValue(body: Buffer) {
  const bytes = body.subarray(startOfText(body, 0), endOfText(body, body.length));
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return { bytes, value };
  } catch {
    throw invalid(body);
  }
}

/** Cut rows. Returns the bytes of each, without copying. */
export function cutRows({ bytes }: Rows): Buffer[] {
  let from = 0;
  return [...itemEnds(bytes, 0).ends, bytes.length].map((end) => {
    const row = bytes.subarray(startOfText(bytes, from), endOfText(bytes, end));
    from = end + 1;
    return row;
  });
}

/**
 * Find the items of a list, without validating them.
 * @returns the offsets of the comma or bracket after each complete item, and whether the list ends
 */
function itemEnds(bytes: Uint8Array, from: number): { readonly ends: number[]; readonly isClosed: boolean } {
  const ends: number[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (depth-- > 0) continue;
      // An empty list has no item.
      if (ends.length > 0 || startOfText(bytes, start) < at) ends.push(at);
      return { ends, isClosed: true };
    } else if (byte === COMMA && depth === 0) {
      ends.push(at);
      start = at + 1;
    }
  }
  return { ends, isClosed: false };
}

/** Parse the items of a list up to the first that is not JSON. */
function validItems(bytes: Buffer, from: number, ends: readonly number[]): readonly unknown[] {
  const last = ends.at(-1);
  const all = last === undefined ? [] : parseItems(bytes, from, last);
  if (all?.length === ends.length) return all;
  const values: unknown[] = [];
  let start = from;
  for (const end of ends) {
    const item = parseItems(bytes, start, end);
    if (item?.length !== 1) break;
    values.push(item[0]);
    start = end + 1;
  }
  return values;
}

/** @returns undefined for items that are not JSON */
function parseItems(bytes: Buffer, from: number, to: number): readonly unknown[] | undefined {
  return attempt(() => parsePieces(bytes, from, to)) ?? attempt(() => parseText(bytes, from, to));
}

/**
 * Parse items in pieces. A piece ends where an object starts with the name that is first in the first item.
 * @throws SyntaxError also if a piece ends inside an item, whose start cannot be parsed
 */
function parsePieces(bytes: Buffer, from: number, to: number): unknown[] {
  const colon = bytes.indexOf(':', from);
  // A piece that could be empty would accept a comma after the last item.
  if (colon < 0) return parseText(bytes, from, to);
  const border = Buffer.concat([Buffer.from('},'), bytes.subarray(from, colon + 1)]);
  const values: unknown[] = [];
  for (let at = from; at <= to; ) {
    const next = to - at > sizes.piece ? bytes.indexOf(border, at + sizes.piece) : -1;
    const end = next < 0 || next >= to ? to : next + 1;
    for (const value of parseText(bytes, at, end)) values.push(value);
    at = end + 1;
  }
  return values;
}

const parseText = (bytes: Buffer, from: number, to: number): unknown[] =>
  JSON.parse(`[${bytes.toString('utf8', from, to)}]`);

/** @returns the offset of the first byte that is not white space, or the length */
function startOfText(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at]!)) at++;
  return at;
}

/** @returns the offset after the last byte before `to` that is not white space, or 0 */
function endOfText(bytes: Uint8Array, to: number): number {
  let at = to;
  while (at > 0 && isSpace(bytes[at - 1]!)) at--;
  return at;
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
