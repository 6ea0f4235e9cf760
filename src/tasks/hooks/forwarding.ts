/** Which logged events are still to be sent. The record survives restarts, so that nothing is lost or sent twice. */
import { Failure } from '../../errors.ts';
import type { Row } from '../../spec/resource.ts';
import { isRecord } from '../../support/record.ts';
import type { Incoming, Journal } from '../context.ts';
import { isSuccess } from './calls.ts';

/** An event of the log. */
export interface LoggedEvent extends Row {
  readonly id: number;
}

/** The number of lines from which the record is shortened. */
const longRecord = 200;
/** Consecutive events that were handled before, after which the rest of the log is known too. */
const enough = 100;

function eventOf(row: Row): LoggedEvent {
  const { id } = row;
  if (typeof id !== 'number' || !Number.isSafeInteger(id))
    throw new Failure('server_error', 'an event in the log has no id');
  return { ...row, id };
}

/** The time of an event in milliseconds, as far as the log gives it. */
export function timeOf(event: Row): number | undefined {
  const { created_at, response_headers: headers } = event;
  const date = isRecord(headers)
    ? Object.entries(headers).find(([name]) => name.toLowerCase() === 'date')?.[1]
    : undefined;
  const times = [created_at, date].map((text) => (typeof text === 'string' ? Date.parse(text) : Number.NaN));
  return times.find((time) => !Number.isNaN(time));
}

export class Forwarding {
  readonly #journal: Journal;
  /** Events up to this id were in the log before the first run. */
  #floor: number | undefined;
  readonly #sent = new Set<number>();
  /** An event that an earlier run began to send. */
  #begun: number | undefined;
  #isComplete = false;

  constructor(journal: Journal) {
    this.#journal = journal;
    for (const entry of journal.entries) {
      if (!isRecord(entry)) continue;
      const { start, sending, sent, failed } = entry;
      if (typeof start === 'number') this.#floor = start;
      if (typeof sending === 'number') this.#begun = sending;
      if (typeof sent === 'number') this.#sent.add(sent);
      if (sent === this.#begun || failed === this.#begun) this.#begun = undefined;
    }
  }

  get isNew(): boolean {
    return this.#floor === undefined;
  }

  /** An event that may have been sent, because an earlier run ended while it was sending it. */
  get uncertain(): number | undefined {
    return this.#begun;
  }

  /** Choose the first event of a new record: one after those before the given time, or after all that the log contains. */
  async #start(events: readonly LoggedEvent[], since: number | undefined): Promise<void> {
    const old = events.filter((event) => since === undefined || (timeOf(event) ?? since) < since);
    this.#floor = Math.max(0, ...old.map(({ id }) => id));
    await this.#journal.append({ start: this.#floor });
  }

  #isHandled(id: number): boolean {
    return this.#sent.has(id) || (this.#floor !== undefined && id <= this.#floor);
  }

  /**
   * Read the log and return the events to send, oldest first.
   * @param since milliseconds since the epoch: the first event of a new record
   */
  async next(log: AsyncIterable<Row>, since?: number): Promise<LoggedEvent[]> {
    // Events that are logged meanwhile shift the pages, so that a row can arrive twice.
    const events = new Map<number, LoggedEvent>();
    let known = 0;
    let last = Number.POSITIVE_INFINITY;
    let isWhole = true;
    for await (const row of log) {
      const event = eventOf(row);
      events.set(event.id, event);
      known = this.#isHandled(event.id) && event.id < last ? known + 1 : 0;
      last = event.id;
      if (this.#isComplete && known >= enough) {
        isWhole = false;
        break;
      }
    }
    const all = [...events.values()].sort((a, b) => a.id - b.id);
    if (this.isNew) await this.#start(all, since);
    if (isWhole) await this.#shorten(all);
    this.#isComplete = true;
    return all.filter(({ id }) => !this.#isHandled(id));
  }

  /** Forget events that are no longer in the log. */
  async #shorten([oldest]: readonly LoggedEvent[]): Promise<void> {
    if (!oldest || this.#isComplete || this.#journal.entries.length < longRecord) return;
    this.#floor = Math.max(this.#floor ?? 0, oldest.id - 1);
    for (const id of this.#sent) if (id <= this.#floor) this.#sent.delete(id);
    await this.#journal.replace([
      { start: this.#floor },
      ...[...this.#sent].map((id) => ({ sent: id })),
      ...(this.#begun === undefined ? [] : [{ sending: this.#begun }]),
    ]);
  }

  /** Send one event. It counts as sent if the receiver responds with 2xx. */
  async send({ id }: LoggedEvent, post: () => Promise<Incoming>): Promise<Incoming> {
    await this.#journal.append({ sending: id });
    const response = await post();
    const accepted = isSuccess(response.status);
    this.#begun = undefined;
    if (accepted) this.#sent.add(id);
    await this.#journal.append(accepted ? { sent: id } : { failed: id });
    return response;
  }
}
