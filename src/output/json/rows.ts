import { Failure } from '../../errors.ts';
import type { PageResult } from '../model.ts';
import { isTurnDue, turn } from '../turn.ts';
import { boundary, Scanner } from './scanner.ts';

const ROOM = 80 * 1024;
/** Bytes of one item of a list, or of one value: it is kept in memory until it is whole. */
export const longestItem = 256 * 1024 * 1024;

export function tooLongItem(): Failure {
  return new Failure('server_error', 'the response has an item of more than 256 MiB');
}

/** Rows that are gathered at most: small ones take as long to print as large ones. */
const MOST = 2_000;

/** What is done with the rows of a list, in turn. */
export interface RowConsumer {
  /** Bytes of finished rows that are gathered before they are handed on. */
  readonly batch: number;
  /** Called at the first byte of each row: may append what stands between rows. */
  before?(gathered: Gathered, row: number): void;
  /** Called behind the last byte of each row. */
  after(gathered: Gathered, from: number, scanner: Scanner): void;
  /** Hand on what has gathered. Called whenever a batch is full, and at the end of a page. */
  flush(gathered: Gathered): Promise<void>;
}

/** A growing run of bytes: finished rows, then the row that is still coming. */
export class Gathered {
  bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafe(ROOM);
  length = 0;
  readonly #longest: number;

  constructor(longest = longestItem) {
    this.#longest = longest;
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

  /** The bytes gathered; the next ones go to fresh memory, since a stream may hold on to these. */
  take(): Buffer<ArrayBuffer> {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.allocUnsafe(ROOM);
    this.length = 0;
    return taken;
  }

  #grow(needed: number): void {
    if (needed > this.#longest) throw tooLongItem();
    const grown = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

/**
 * Take the rows of one page, a JSON array, from a stream of bytes. Only whole rows are handed on; what came before a
 * failure is handed on first.
 * @param tally rows taken so far, over all pages: counts on, also where this fails
 * @param limit rows to take at most, over all pages
 * @throws Failure `server_error` where the page is not a JSON array, or an item of it is too long
 */
export async function takeRows(
  body: AsyncIterable<Uint8Array>,
  consumer: RowConsumer,
  tally: { rows: number },
  limit: number,
): Promise<PageResult> {
  const scanner = new Scanner('list');
  const gathered = new Gathered();
  let inRow = false;
  /** Where the coming row begins among the gathered bytes, and where the last finished one ends. */
  let start = 0;
  let finished = 0;
  let waiting = 0;
  const finish = async (): Promise<void> => {
    gathered.length = finished;
    await consumer.flush(gathered);
  };

  try {
    for await (const chunk of body) {
      if (isTurnDue()) await turn();
      scanner.feed(chunk);
      let from = 0;
      for (let found = scanner.next(); found !== boundary.more; found = scanner.next()) {
        if (found === boundary.start) {
          if (tally.rows >= limit) {
            await finish();
            return { rows: tally.rows, full: true, more: true };
          }
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
        if (finished >= consumer.batch || waiting === MOST) {
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
 * One JSON value, whole: its bytes without the white space around it.
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
