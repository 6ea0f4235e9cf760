/** The clock of a sandbox: the time of the system plus an offset, which is a row of the state. */
import { isDay } from '../../support/calendar.ts';
import { parseDuration } from '../../support/number.ts';
import { parseTime } from '../core/request/params.ts';
import type { Row } from '../core/rows.ts';
import { iso } from '../core/time.ts';
import type { Store } from '../store/store.ts';
import { ControlError, membersOf } from './input.ts';
import type { ClockTime } from './types.ts';

interface ClockRow extends Row {
  /** Milliseconds. */
  offset: number;
}

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
  readonly #system: () => number;
  readonly #store: Store;
  readonly #onMove: () => void;

  /** @param onMove called after the time was changed */
  constructor(system: () => number, store: Store, onMove: () => void) {
    this.#system = system;
    this.#store = store;
    this.#onMove = onMove;
  }

  get #offset(): number {
    return this.#store.table<ClockRow>('sandbox_clock').get(1)?.offset ?? 0;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#system() + this.#offset;
  }

  show(): ClockTime {
    return { now: iso(this.now()), offset: this.#offset };
  }

  /** @throws ControlError for an invalid time */
  set(time: unknown): ClockTime {
    return this.#move(momentOf(time) - this.#system());
  }

  /** @param by a duration such as `8d`, or seconds @throws ControlError for an invalid duration */
  advance(by: unknown): ClockTime {
    if (String(by).startsWith('-'))
      throw new ControlError('the clock cannot advance by a negative duration; to go back, set the time');
    const ms = parseDuration(typeof by === 'number' ? String(by) : typeof by === 'string' ? by : '');
    if (ms === undefined)
      throw new ControlError('the duration must be a number with a unit (s, m, h, d, w), such as 8d');
    return this.#move(this.#offset + Math.round(ms));
  }

  /** `{now}` or `{advance}` @throws ControlError */
  change(value: unknown): ClockTime {
    const { now, advance } = membersOf(value, 'the clock', ['now', 'advance']);
    if ((now === undefined) === (advance === undefined))
      throw new ControlError('the clock requires either now or advance');
    return now === undefined ? this.advance(advance) : this.set(now);
  }

  #move(offset: number): ClockTime {
    const now = this.#system() + offset;
    requireRange(now);
    this.#store.table<ClockRow>('sandbox_clock').insert({ id: 1, offset });
    this.#onMove();
    return this.show();
  }
}
