/** The clock of a sandbox: the time of the system plus an offset, which is a row of the state. */
import { usage } from '../../errors.ts';
import { text } from '../../spec/field.ts';
import { parseDuration, parseTime } from '../../support/number.ts';
import type { Store } from '../store/store.ts';
import { membersOf } from './input.ts';
import type { ClockTime } from './types.ts';

/** @param now milliseconds since the epoch @throws Failure `usage` */
function requireRange(now: number): void {
  if (now < 0 || now >= Date.UTC(10_000, 0, 1)) throw usage('the time must be from 1970 to 9999');
}

/** Parse a time in ISO 8601, or a date. @returns milliseconds since the epoch @throws Failure `usage` */
export function momentOf(time: unknown): number {
  const moment = time instanceof Date ? time.getTime() : parseTime(String(time));
  if (moment === undefined || Number.isNaN(moment))
    throw usage('the time must be in ISO 8601, such as 2030-01-31T12:00:00Z');
  requireRange(moment);
  return moment;
}

const changes = { now: text('Time in ISO 8601'), advance: text('Duration, or seconds') };

export class Clock {
  readonly #store: Store;
  readonly #onMove: () => void;

  /** @param onMove called after the time was changed */
  constructor(store: Store, onMove: () => void) {
    this.#store = store;
    this.#onMove = onMove;
  }

  show(): ClockTime {
    return { now: this.#store.time(), offset: this.#store.offset };
  }

  /** @throws Failure `usage` for an invalid time */
  set(time: unknown): ClockTime {
    return this.#move(momentOf(time) - this.#store.now() + this.#store.offset);
  }

  /** @param by a duration such as `8d`, or seconds @throws Failure `usage` for an invalid duration */
  advance(by: unknown): ClockTime {
    const ms = parseDuration(String(by));
    if (ms === undefined)
      throw usage(
        'the duration must be a number with a unit (s, m, h, d, w), such as 8d',
        'set the time to go back',
      );
    return this.#move(this.#store.offset + Math.round(ms));
  }

  /** `{now}` or `{advance}` @throws Failure `usage` */
  change(value: unknown): ClockTime {
    const { now, advance } = membersOf(value, 'the clock', changes);
    if ((now === undefined) === (advance === undefined))
      throw usage('the clock requires either now or advance');
    return now === undefined ? this.advance(advance) : this.set(now);
  }

  #move(offset: number): ClockTime {
    requireRange(this.#store.now() - this.#store.offset + offset);
    this.#store.offset = offset;
    this.#onMove();
    return this.show();
  }
}
