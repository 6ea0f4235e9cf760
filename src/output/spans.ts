import type { PageResult } from './rows.ts';
import { boundary, Scanner } from './scanner.ts';
import type { Sink } from './sink.ts';

const opening = Buffer.from('[\n');
const between = Buffer.from(',\n');

/**
 * Pass on the rows of one page, a JSON array, to go into an array over all pages: runs of the bytes that came, with the service's
 * own commas and white space between rows. Nothing is copied. Only whole rows are passed on.
 * @param tally rows passed on so far, over all pages: counts on, also where this fails
 * @param limit rows to pass on at most, over all pages
 * @throws Failure `broken` where the page is not a JSON array
 */
export async function passRows(
  body: AsyncIterable<Uint8Array>,
  sink: Sink,
  tally: { rows: number },
  limit: number,
): Promise<PageResult> {
  const scanner = new Scanner('list');
  /** What waits for the end of the next row: what stands before it, and as much of it as has come. */
  let held: Uint8Array[] = [];
  let begun = false;
  for await (const chunk of body) {
    scanner.feed(chunk);
    let from = 0;
    let whole = -1;
    let full = false;
    const pass = () => (whole < 0 ? undefined : sink.write(...held, chunk.subarray(from, whole)));
    try {
      for (let found = scanner.next(); found !== boundary.more; found = scanner.next()) {
        if (found === boundary.end) {
          whole = scanner.at;
          tally.rows++;
        } else if (tally.rows >= limit) {
          full = true;
          break;
        } else if (!begun) {
          begun = true;
          from = scanner.at;
          held = [tally.rows === 0 ? opening : between];
        }
      }
    } finally {
      await pass();
    }
    if (full) return { rows: tally.rows, full: true, more: true };
    if (whole >= 0) held = [];
    if (begun) held.push(chunk.subarray(whole < 0 ? from : whole));
  }
  scanner.finish();
  return { rows: tally.rows, full: tally.rows >= limit, more: false };
}
