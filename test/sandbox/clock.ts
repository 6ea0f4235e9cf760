/** A sandbox whose clock goes when it is told to. */
import { type Asked, noon, openAsked } from './ask.ts';

export interface Clocked extends Asked {
  /** Let seconds go by. */
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
