import { type ExchangeSummary, Failure } from '../../errors.ts';
import { joinStart } from '../../support/bytes.ts';
import { isRecord } from '../../support/record.ts';
import type { PageResult, Tally } from '../model.ts';
import { isTurnDue, turn } from '../turn.ts';
import { boundary, Scanner } from './scanner.ts';

export const OPEN_BRACE = 0x7b;
/** The size for a single small value, and that for rows. */
const SMALL_SIZE = 2 * 1024;
const INITIAL_SIZE = 80 * 1024;
const empty = Buffer.alloc(0);
/** Maximum bytes of one list item or value, which is kept in memory until it is complete. */
export const maxItemBytes = 256 * 1024 * 1024;

export function itemTooLong(): Failure {
  return new Failure('server_error', 'the response contains an item of more than 256 MiB');
}

/** The failure of a response that is not the list of objects that the endpoint returns. */
export function notObjects(exchange?: ExchangeSummary): Failure {
  return new Failure('server_error', 'the response is not a list of objects', exchange ? { exchange } : {});
}

/** Maximum rows in a batch: printing many small rows takes as long as printing large ones. */
const MAX_ROWS = 2_000;

/** Receives the rows of a list in order. */
export interface RowConsumer {
  /** Bytes of complete rows to gather before `flush`. */
  readonly batch: number;
  /** Called at the first byte of each row; may append a separator. */
  before?(gathered: Gathered, row: number): void;
  /** Called after the last byte of each row. */
  after(gathered: Gathered, from: number, scanner: Scanner): void;
  /** Process rows of a complete page instead. Without it, every row is scanned. */
  page?(rows: readonly unknown[]): Promise<void>;
  /** Process the gathered rows. Called when a batch is full, and at the end of a page. */
  flush(gathered: Gathered): Promise<void>;
}

/** A growing buffer: complete rows, then the incomplete row. */
export class Gathered {
  bytes: Buffer<ArrayBuffer> = empty;
  length = 0;
  readonly #maxBytes: number;

  constructor(maxBytes = maxItemBytes) {
    this.#maxBytes = maxBytes;
  }

  append(source: Uint8Array, from: number, to: number): void {
    const size = to - from;
    if (this.length + size > this.bytes.length) this.#grow(this.length + size);
    if (from === 0 && to === source.length) this.bytes.set(source, this.length);
    else this.bytes.set(source.subarray(from, to), this.length);
    this.length += size;
  }

  push(byte: number): void {
    if (this.length === this.bytes.length) this.#grow(this.length + 1);
    this.bytes[this.length++] = byte;
  }

  /** Return the gathered bytes. Later bytes go to new memory, because a stream may still use the old. */
  take(): Buffer<ArrayBuffer> {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = empty;
    this.length = 0;
    return taken;
  }

  #grow(needed: number): void {
    if (needed > this.#maxBytes) throw itemTooLong();
    const least = needed <= SMALL_SIZE ? SMALL_SIZE : INITIAL_SIZE;
    const grown = Buffer.allocUnsafe(Math.max(least, needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

/**
 * Read the rows of one page, a JSON array, from a stream of bytes. Only complete rows are processed, also those before a
 * failure.
 * @param tally rows read so far, over all pages; updated even if this fails
 * @param limit maximum rows over all pages
 * @param native maximum bytes of a page that JSON.parse reads; with 0, the scanner reads every page
 * @throws Failure `server_error` if the page is not a JSON array, or an item is too long
 */
export async function takeRows(
  body: AsyncIterable<Uint8Array>,
  consumer: RowConsumer,
  tally: Tally,
  limit: number,
  native = 0,
): Promise<PageResult> {
  const scanner = new Scanner('list');
  const gathered = new Gathered();
  let inRow = false;
  /** Offsets in the gathered bytes: the start of the current row and the end of the last complete row. */
  let start = 0;
  let finished = 0;
  let waiting = 0;
  const finish = async (): Promise<void> => {
    gathered.length = finished;
    await consumer.flush(gathered);
  };

  try {
    let isFirst = true;
    for await (const chunk of joinStart(body, native)) {
      if (isTurnDue()) await turn();
      const page = isFirst && chunk.length < native ? exactList(chunk) : undefined;
      isFirst = false;
      if (page && consumer.page && page.length > 0 && page.length <= limit - tally.rows) {
        for (let at = 0; at < page.length; at += MAX_ROWS) {
          if (isTurnDue()) await turn();
          const rows = page.slice(at, at + MAX_ROWS);
          tally.rows += rows.length;
          await consumer.page(rows);
        }
        scanner.skip(chunk);
        continue;
      }
      scanner.feed(chunk);
      let from = 0;
      for (let found = scanner.next(); found !== boundary.more; found = scanner.next()) {
        if (found === boundary.start) {
          if (tally.rows >= limit) {
            await finish();
            return { rows: tally.rows, full: true, more: true };
          }
          if (tally.objects && chunk[scanner.at] !== OPEN_BRACE) throw notObjects();
          consumer.before?.(gathered, tally.rows);
          start = gathered.length;
          from = scanner.at;
          inRow = true;
          continue;
        }
        gathered.append(chunk, from, scanner.at);
        consumer.after(gathered, start, scanner);
        finished = gathered.length;
        inRow = false;
        tally.rows++;
        waiting++;
        if (finished >= consumer.batch || waiting === MAX_ROWS) {
          await consumer.flush(gathered);
          finished = gathered.length;
          waiting = 0;
        }
      }
      if (inRow) gathered.append(chunk, from, chunk.length);
    }
    scanner.finish();
  } catch (error) {
    await finish();
    throw error;
  }
  await finish();
  return { rows: tally.rows, full: tally.rows >= limit, more: false };
}

/**
 * Parse a complete JSON array of objects by JSON.parse, which takes a tenth of the time that the scanner takes before it is compiled.
 * @returns undefined for any other text, and unless JSON.stringify gives the same text: values may be changed
 */
function exactList(chunk: Uint8Array): readonly unknown[] | undefined {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString();
  try {
    const value: unknown = JSON.parse(text);
    const isList = Array.isArray(value) && value.every(isRecord);
    return isList && JSON.stringify(value) === text.trimEnd() ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Read one JSON value. Returns its bytes without surrounding white space.
 * @throws Failure `server_error`
 */
export async function takeValue(
  body: AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: Buffer; readonly scanner: Scanner }> {
  const scanner = new Scanner('value');
  const gathered = new Gathered();
  let inValue = false;
  for await (const chunk of body) {
    if (isTurnDue()) await turn();
    scanner.feed(chunk);
    let from = 0;
    for (let found = scanner.next(); found !== boundary.more; found = scanner.next()) {
      if (found === boundary.start) from = scanner.at;
      else gathered.append(chunk, from, scanner.at);
      inValue = found === boundary.start;
    }
    if (inValue) gathered.append(chunk, from, chunk.length);
  }
  scanner.finish();
  return { bytes: gathered.take(), scanner };
}
