/** Milliseconds for which output may block the event loop. */
const maxBlocking = 50;
let last = performance.now();

/** Whether the event loop is blocked for too long. Separate from `turn`, so that the usual case creates no promise. */
export function isTurnDue(): boolean {
  return performance.now() - last > maxBlocking;
}

/** Let the event loop run once, which handles signals. */
export async function turn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  last = performance.now();
}
