import type { PageResult } from '../model.ts';
import type { Sink } from '../sink.ts';
import { longestItem, tooLongItem } from './rows.ts';
import { boundary, type Scanner } from './scanner.ts';

const opening = Buffer.from('[\n');
const between = Buffer.from(',\n');

/** What of a chunk belongs to rows that are passed on: offsets in it, -1 where there is none. */
interface Span {
  /** The first byte of a row. */
  from: number;
  /** Behind the last row that is whole. */
  to: number;
  /** More rows have come than are wanted. */
  full: boolean;
}

/**
 * Pass on the rows of one page, a JSON array, to go into an array over all pages: runs of the bytes that came, with the service's
 * own commas and white space between rows. Nothing is copied. Only whole rows are passed on.
 * @param scanner of a list
 * @param tally rows passed on so far, over all pages: counts on, also where this fails
 * @param limit rows to pass on at most, over all pages
 * @throws Failure `server_error` where the page is not a JSON array, or an item of it is too long
 */
export async function passRows(
  body: AsyncIterable<Uint8Array>,
  scanner: Scanner,
  sink: Sink,
  tally: { rows: number },
  limit: number,
): Promise<PageResult> {
  scanner.restart();
  /** What waits for the end of the next row: what stands before it, and as much of it as has come. */
  let held: Uint8Array[] = [tally.rows === 0 ? opening : between];
  let heldBytes = 0;
  let begun = false;
  for await (const chunk of body) {
    scanner.feed(chunk);
    const span: Span = { from: begun ? 0 : -1, to: -1, full: false };
    try {
      findRows(scanner, span, tally, limit);
    } finally {
      if (span.to >= 0) {
        held.push(chunk.subarray(span.from, span.to));
        await sink.writeAll(held);
        held = [];
        heldBytes = 0;
      }
    }
    if (span.full) return { rows: tally.rows, full: true, more: true };
    begun = span.from >= 0;
    if (!begun) continue;
    const rest = chunk.subarray(Math.max(span.from, span.to));
    heldBytes += rest.length;
    if (heldBytes > longestItem) throw tooLongItem();
    held.push(rest);
  }
  scanner.finish();
  return { rows: tally.rows, full: tally.rows >= limit, more: false };
}

/** Counts the rows that end in this chunk. A function of its own: V8 compiles it soon, and the one that waits for chunks never. */
function findRows(scanner: Scanner, span: Span, tally: { rows: number }, limit: number): void {
  for (let found = scanner.next(); found !== boundary.more; found = scanner.next()) {
    if (found === boundary.end) {
      span.to = scanner.at;
      tally.rows++;
    } else if (tally.rows >= limit) {
      span.full = true;
      return;
    } else if (span.from < 0) {
      span.from = scanner.at;
    }
  }
}
