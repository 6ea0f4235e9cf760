/**
 * What can go wrong, as a closed union. `cli/exit-codes.ts` alone gives each kind its exit code and its words.
 *
 * - `usage`: the command line or a setting is wrong; nothing was sent
 * - `network`: the request could not be made, or was broken off
 * - `auth`: 401 or 403, or no token where one is needed
 * - `not_found`: 404 or 410
 * - `rejected`: the service rejected the request (301 to a write, 400, 405, 409, 412, 414, 422, spam check)
 * - `rate_limited`: 429, when retries ran out
 * - `server_error`: 5xx, or an answer that is not what the API promises
 * - `unsuccessful`: `--wait` ended on a failed or canceled outcome
 * - `internal`: this machine refused: a full disk, a file that may not be written
 * - `interrupted`, `terminated`: SIGINT, SIGTERM
 */
export type Kind =
  | 'usage'
  | 'network'
  | 'auth'
  | 'not_found'
  | 'rejected'
  | 'rate_limited'
  | 'server_error'
  | 'unsuccessful'
  | 'internal'
  | 'interrupted'
  | 'terminated';

/** The exchange that failed, as far as it came. Never holds a credential. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  /** The answer's body: parsed where it was JSON, else text. */
  readonly body?: unknown;
  readonly requestId?: string;
  /** Where a redirect that was not followed leads to, on the same origin. */
  readonly movedTo?: string;
}

export interface FailureOptions {
  /** What the reader can do about it, one line each. */
  readonly hint?: string | readonly string[];
  /** Further lines that belong to the message: the field messages of a 400, for one. */
  readonly details?: readonly string[];
  readonly exchange?: Exchange;
  readonly cause?: unknown;
}

/** An error that a user can act on. Anything else that is thrown is a bug of `svc`. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: Kind;
  readonly hints: readonly string[];
  readonly details: readonly string[];
  readonly exchange: Exchange | undefined;

  constructor(kind: Kind, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    const { hint } = options;
    this.hints = hint === undefined ? [] : typeof hint === 'string' ? [hint] : hint;
    this.details = options.details ?? [];
    this.exchange = options.exchange;
  }

  /** The same failure with more hints: a caller that knows more adds what it knows. */
  withHints(...more: readonly string[]): Failure {
    return new Failure(this.kind, this.message, {
      hint: [...this.hints, ...more],
      details: this.details,
      ...(this.exchange ? { exchange: this.exchange } : {}),
      cause: this.cause,
    });
  }
}

/** Bytes that are not UTF-8 where text is expected; the caller may have a use for them. */
export class NotText extends Failure {
  readonly bytes: Uint8Array;
  constructor(what: string, bytes: Uint8Array) {
    super('usage', `${what} is not UTF-8 text`);
    this.bytes = bytes;
  }
}

/** Shorthand for the most common kind: a command line or setting that is wrong. */
export function usage(message: string, hint?: string | readonly string[]): Failure {
  return new Failure('usage', message, hint === undefined ? {} : { hint });
}

/** The error for content that is larger than a limit. @param what names the content, for the message */
export function tooLarge(what: string, limit: number): Failure {
  const mib = 1024 * 1024;
  return usage(`${what} is larger than ${limit % mib === 0 ? `${limit / mib} MiB` : `${limit} bytes`}`);
}
