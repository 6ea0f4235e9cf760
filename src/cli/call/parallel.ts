/** Notes about a list whose pages are requested in parallel. */
import { header, type Reply } from '../../http/transport.ts';
import type { Notes } from '../terminal/log.ts';

/** Report what differs from a list that is read one page at a time. @param noun the results, in the plural */
export class ParallelNotes {
  readonly #notes: Notes;
  readonly #noun: string;
  #total: string | undefined;
  #isSerial = false;

  constructor(notes: Notes, noun: string) {
    this.#notes = notes;
    this.#noun = noun;
  }

  /** The pages after this one cannot be requested by their number. */
  onSerial = (): void => {
    if (!this.#isSerial)
      this.#notes.say('Fetching one page at a time: the service does not report the last page.');
    this.#isSerial = true;
  };

  /** Warn if the total differs from the page before: results move between pages. */
  onPage({ headers }: Reply): void {
    const total = header(headers, 'x-total');
    const before = this.#total;
    this.#total = total ?? before;
    if (total === undefined || before === undefined || total === before) return;
    this.#notes.warn(
      `the list changed from ${before} to ${total} ${this.#noun} while it was read: some may be missing or printed twice`,
    );
  }
}
