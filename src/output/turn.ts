/** Milliseconds that output may keep the event loop waiting. */
const patience = 50;
let last = performance.now();

/** Whether the event loop has had no turn for a while. Kept apart from `turn`, so that the usual case costs no promise. */
export function isTurnDue(): boolean {
  return performance.now() - last > patience;
}

/** Gives the event loop a turn, in which signals are handled. */
export async function turn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  last = performance.now();
}
