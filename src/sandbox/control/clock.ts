/** The clock of a sandbox: the time of the system plus an offset, which is a row of the state. */
import { isDay, parseDuration } from '../../support/number.ts';
import { parseTime } from '../core/request/params.ts';
import type { Store } from '../store/store.ts';
import { ControlError, membersOf } from './input.ts';
import type { ClockTime } from './types.ts';

const earliest = Date.UTC(1970, 0, 1);
const latest = Date.UTC(10_000, 0, 1) - 1;

/** @param now milliseconds since the epoch @throws ControlError */
function requireRange(now: number): void {
  if (now < earliest || now > latest) throw new ControlError('the time must be from 1970 to 9999');
}

/** Parse a time in ISO 8601, or a date. @returns milliseconds since the epoch @throws ControlError */
export function momentOf(time: unknown): number {
  const isText = typeof time === 'string' && /^\d{4}-\d\d-\d\d/.test(time) && isDay(time);
  const moment = time instanceof Date ? time.getTime() : isText ? parseTime(time) : Number.NaN;
  if (Number.isNaN(moment))
    throw new ControlError('the time must be in ISO 8601, such as 2030-01-31T12:00:00Z');
  requireRange(moment);
  return moment;
}

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

  /** @throws ControlError for an invalid time */
  set(time: unknown): ClockTime {
    return this.#move(momentOf(time) - this.#store.now() + this.#store.offset);
  }

  /** @param by a duration such as `8d`, or seconds @throws ControlError for an invalid duration */
  advance(by: unknown): ClockTime {
    if (String(by).startsWith('-'))
      throw new ControlError('the clock cannot advance by a negative duration; to go back, set the time');
    const ms = parseDuration(typeof by === 'number' ? String(by) : typeof by === 'string' ? by : '');
    if (ms === undefined)
      throw new ControlError('the duration must be a number with a unit (s, m, h, d, w), such as 8d');
    return this.#move(this.#store.offset + Math.round(ms));
  }

  /** `{now}` or `{advance}` @throws ControlError */
  change(value: unknown): ClockTime {
    const { now, advance } = membersOf(value, 'the clock', ['now', 'advance']);
    if ((now === undefined) === (advance === undefined))
      throw new ControlError('the clock requires either now or advance');
    return now === undefined ? this.advance(advance) : this.set(now);
  }

  #move(offset: number): ClockTime {
    requireRange(this.#store.now() - this.#store.offset + offset);
    this.#store.offset = offset;
    this.#onMove();
    return this.show();
  }
}
