/** A sandbox with a clock that the test advances. */
import { noon, openTestSandbox, type TestSandbox } from './ask.ts';

export interface ClockedSandbox extends TestSandbox {
  /** Advance the clock. */
  wait(seconds: number): void;
}

export async function openClocked(): Promise<ClockedSandbox> {
  let at = noon;
  const opened = await openTestSandbox({ now: () => at });
  return {
    ...opened,
    wait(seconds) {
      at += seconds * 1000;
    },
  };
}
