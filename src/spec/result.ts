/** The result of a command, which another part of the program prints, combines or passes on. */
import type { Failure, Kind } from '../errors.ts';
import { jsonStream, once } from '../support/bytes.ts';
import type { Pen } from '../support/text/pen.ts';
import type { Endpoint } from './endpoint.ts';
import { plural } from './names.ts';
import type { Plan } from './request.ts';

/** JSON in chunks, as it was received. */
export type Body = AsyncIterable<Uint8Array>;

/** How a command ends that completed: the kind of failure that its exit code reports, or the exit code of another program. */
export type Ending = Kind | number;

export interface Note {
  /** `confirmed`: a confirmation in which secrets are masked already. */
  readonly how: 'say' | 'done' | 'confirmed' | 'warn';
  readonly text: string;
  /** Only a person can follow it, such as a command line. */
  readonly audience?: 'person';
}

export interface Frame {
  /** Text before the data: the headers of a response. */
  readonly heading?: string | undefined;
  readonly notes?: readonly Note[];
  readonly ending?: Ending;
  /** An outcome that is an error, such as a pipeline that failed. */
  readonly failure?: Failure | undefined;
  /** The rows are the steps of a plan, which are also known after a failure. */
  readonly areSteps?: boolean;
  /** A plan without changes. */
  readonly isUnchanged?: boolean;
  /** Draws an object in place of its attributes, and rows after their table, if no other format is chosen. */
  readonly picture?: ((pen: Pen) => readonly string[]) | undefined;
}

/** Data that the service sends while it is read. */
interface Received {
  readonly endpoint?: Endpoint | undefined;
  /** The command changed something, so an unknown field of `--fields` is a warning. */
  readonly isWrite?: boolean;
  /** Add the facts of the request to an error of reading. @param rows the number of rows before it */
  explain?(error: unknown, rows: number): Promise<unknown>;
}

export interface Rows extends Received, Frame {
  readonly kind: 'rows';
  /** Each page is a JSON array. */
  readonly pages: AsyncIterable<Body>;
  /** Counts the rows that were read, for the progress. */
  readonly tally?: { rows: number };
  readonly limit?: number | undefined;
  /** The URL of the page after the last one that was read. @throws Failure for an invalid one */
  nextPage?(): string | undefined;
  /** The notes about the rows that were read. @param more there are further rows beyond the limit */
  summarize?(read: { readonly rows: number; readonly more: boolean }): readonly Note[];
}

export interface One extends Received, Frame {
  readonly kind: 'object';
  readonly body: Body;
  /** The format, if the options do not choose it. */
  readonly format?: 'json' | 'yaml';
  readonly comments?: readonly string[];
  /** Draws a picture below the attributes, if no other format is chosen. */
  readonly below?: Frame['picture'];
}

/** The response of a write, which is printed on request, or if the service generated a part of it. */
export interface Written extends Frame {
  readonly kind: 'written';
  readonly endpoint: Endpoint;
  /** The write, if the body is the response of another call. */
  readonly write: Endpoint;
  readonly body: Uint8Array;
  /** The confirmation, for errors. */
  readonly sentence?: string | undefined;
}

export interface File extends Frame {
  readonly kind: 'file';
  readonly bytes: Body;
  /** Bytes, if known. */
  readonly length?: number | undefined;
  /** Make the bytes safe for a terminal; by default, as text without control sequences. */
  shown?(bytes: Body, on: { readonly color: boolean; readonly unicode: boolean }): Body;
  explain?(error: unknown): Promise<unknown>;
}

export interface PlannedRequest {
  readonly endpoint: Endpoint;
  /** Its target is a path below the root of the API, or a URL. */
  readonly plan: Plan;
  /** Headers besides those of every request. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

export type Result =
  | Rows
  | One
  | Written
  | File
  | (Frame & { readonly kind: 'text'; readonly text: string })
  | (Frame & { readonly kind: 'requests'; readonly requests: readonly PlannedRequest[] })
  | (Frame & { readonly kind: 'done' });

/** A note, printed unless `--quiet`. */
export const sayNote = (text: string): Note => ({ how: 'say', text });

export const done = (frame: Frame = {}): Result => ({ kind: 'done', ...frame });

/** The end of a command that runs until a signal: the exit code of the signal. @param text a note about the work that was done */
export const stopped = ({ kind }: Failure, text: string): Result =>
  done({ notes: [sayNote(text)], ending: kind });

/** Rows that are computed. @param endpoint describes them */
export function rowsResult(rows: readonly unknown[], endpoint?: Endpoint, frame: Frame = {}): Rows {
  const pages = once(jsonStream(rows));
  const none =
    endpoint && rows.length === 0 ? [sayNote(`No ${plural(endpoint.noun ?? 'result')} found.`)] : [];
  return { kind: 'rows', endpoint, pages, ...frame, notes: [...none, ...(frame.notes ?? [])] };
}

/** An object that is computed. @param endpoint describes it */
export function objectResult(value: unknown, endpoint?: Endpoint, more: Partial<One> = {}): One {
  return { kind: 'object', endpoint, body: jsonStream(value), ...more };
}
