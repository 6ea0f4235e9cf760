import { setTimeout as wait } from 'node:timers/promises';

/** Wait so many milliseconds. @throws the signal's reason, as soon as it is aborted */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}
