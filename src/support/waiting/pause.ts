import { setTimeout as sleep } from 'node:timers/promises';

/** Wait. @throws the reason of the signal as soon as it is aborted */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
}
