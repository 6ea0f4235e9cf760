import type { PageResult } from '../model.ts';
import type { Sink } from '../sink.ts';
import { itemTooLong, maxItemBytes } from './rows.ts';
import { boundary, type Scanner } from './scanner.ts';

const opening = Buffer.from('[\n');
const between = Buffer.from(',\n');

/** The part of a chunk that belongs to printed rows, as offsets; -1 if there is none. */
interface Span {
  /** The first byte of a row. */
  from: number;
  /** After the last complete row. */
  to: number;
  /** There are rows beyond the limit. */
  full: boolean;
}

/**
 * Print the rows of one page, a JSON array, as part of one array over all pages. Writes slices of the received chunks,
 * including commas and white space between rows, without copying. Only complete rows are printed.
 * @param scanner of a list
 * @param tally rows printed so far, over all pages; updated even if this fails
 * @param limit maximum rows over all pages
 * @throws Failure `server_error` if the page is not a JSON array, or an item is too long
 */
export async function passRows(
  body: AsyncIterable<Uint8Array>,
  scanner: Scanner,
  sink: Sink,
  tally: { rows: number },
  limit: number,
): Promise<PageResult> {
  scanner.restart();
  /** Pieces that wait for the end of the next row: its separator and its first bytes. */
  let held: Uint8Array[] = [tally.rows === 0 ? opening : between];
  let heldBytes = 0;
  let isOpen = false;
  for await (const chunk of body) {
    scanner.feed(chunk);
    const span: Span = { from: isOpen ? 0 : -1, to: -1, full: false };
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
    isOpen = span.from >= 0;
    if (!isOpen) continue;
    const rest = chunk.subarray(Math.max(span.from, span.to));
    heldBytes += rest.length;
    if (heldBytes > maxItemBytes) throw itemTooLong();
    held.push(rest);
  }
  scanner.finish();
  return { rows: tally.rows, full: tally.rows >= limit, more: false };
}

/** Count the rows that end in this chunk. Separate, because V8 compiles it early, unlike the function that awaits chunks. */
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
