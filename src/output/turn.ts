/** Milliseconds for which output may block the event loop. */
const maxBlocking = 50;
/** Not `performance.now()`: Node takes 1 ms to load it. */
let last = Date.now();

/** Whether the event loop is blocked for too long. Separate from `turn`, so that the usual case creates no promise. */
export function isTurnDue(): boolean {
  return Date.now() - last > maxBlocking;
}

/** Let the event loop run once, which handles signals. */
export async function turn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  last = Date.now();
}

/** Maximum rows that are processed at once: many small rows take as long as large ones. */
const maxRows = 2_000;

/** Process rows in slices, and let the event loop run between them. */
export async function inSlices<Row, Result>(
  rows: readonly Row[],
  use: (slice: readonly Row[]) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < rows.length; at += maxRows) {
    if (isTurnDue()) await turn();
    results.push(await use(rows.slice(at, at + maxRows)));
  }
  return results;
}
