/** Cursors of lists and files: random ids of positions, bound to the tool and its arguments. */
import { randomUUID } from 'node:crypto';
import { usage } from '../../../errors.ts';
import { isRecord } from '../../../support/record.ts';

/** Where a result continues. */
export interface Position {
  /** The page of the list; without it, the first. */
  readonly url?: string;
  /** Rows, or bytes of a file, before the result. */
  readonly skip: number;
}

/** The same text for the same arguments in any order. */
function subjectOf(tool: string, input: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([tool, input], (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** The part of a result that a call requests. */
export interface Part {
  readonly position: Position;
  /** Return the cursor of the next part; null at the end. */
  next(position: Position | undefined): string | null;
}

/** The positions that the server keeps. An agent that reads a list uses a cursor soon. */
const maxPositions = 1_000;

export class Cursors {
  readonly #positions = new Map<string, { readonly subject: string; readonly position: Position }>();

  /**
   * Find the part that a call requests.
   * @param input the arguments, without the cursor
   * @throws Failure `usage` for any text but a recent cursor of this server for these arguments
   */
  open(tool: string, input: Readonly<Record<string, unknown>>, cursor: string | undefined): Part {
    const subject = subjectOf(tool, input);
    const found = cursor === undefined ? { subject, position: { skip: 0 } } : this.#positions.get(cursor);
    if (found?.subject !== subject)
      throw usage('the cursor is not valid', [
        'use next_cursor of the previous result, with the same arguments',
        'without cursor, the list starts again',
      ]);
    return {
      position: found.position,
      next: (position) => (position ? this.#keep(subject, position) : null),
    };
  }

  #keep(subject: string, position: Position): string {
    const [oldest] = this.#positions.keys();
    if (oldest !== undefined && this.#positions.size >= maxPositions) this.#positions.delete(oldest);
    const cursor = randomUUID();
    this.#positions.set(cursor, { subject, position });
    return cursor;
  }
}
