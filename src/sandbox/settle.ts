/** Applies the changes that are due by the clock: of jobs that run, and of migrations that end. */
import { nextStep, settleJobs } from './areas/jobs/progress.ts';
import { settleMigrations } from './areas/migrations/migrated.ts';
import type { World } from './core/behavior.ts';

export function settle(world: World): void {
  settleMigrations(world);
  settleJobs(world);
}

/** The largest delay of a timer, in milliseconds. */
const maxDelay = 2 ** 31 - 1;

/** Wakes up for the next change, so that hooks are called without another request. */
export class Alarm {
  readonly #world: World;
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(world: World, onDue: () => void) {
    this.#world = world;
    this.#onDue = onDue;
  }

  /** Set the time of the next change. */
  set(): void {
    this.clear();
    const next = nextStep(this.#world);
    if (next === undefined) return;
    const delay = Math.min(next - this.#world.now(), maxDelay);
    // The process need not stay alive for it.
    this.#timer = setTimeout(this.#onDue, delay).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
