import { setTimeout as wait } from 'node:timers/promises';

/** Wait. @throws the reason of the signal as soon as it is aborted */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}
