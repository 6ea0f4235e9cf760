/** A sandbox with a clock that the test advances. */
import { type Asked, noon, openAsked } from './ask.ts';

export interface Clocked extends Asked {
  /** Advance the clock. */
  wait(seconds: number): void;
}

export async function openClocked(): Promise<Clocked> {
  let at = noon;
  const asked = await openAsked({ now: () => at });
  return {
    ...asked,
    wait(seconds) {
      at += seconds * 1000;
    },
  };
}
