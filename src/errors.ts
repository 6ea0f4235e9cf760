import { errnoText } from './support/errno.ts';

/** The kinds of failures. `cli/exit-codes.ts` defines their exit codes and meanings. */
export type Kind =
  | 'usage'
  | 'network'
  | 'auth'
  | 'not_found'
  | 'rejected'
  | 'rate_limited'
  | 'server_error'
  | 'unsuccessful'
  | 'differs'
  | 'partial'
  | 'internal'
  | 'interrupted'
  | 'terminated';

/** The request that failed and its response, if there is one. Never contains a credential. */
export interface ExchangeSummary {
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  /** The body of the response: parsed if it is JSON, otherwise text. */
  readonly body?: unknown;
  readonly requestId?: string;
  /** The target of a redirect that was not followed, on the same origin. */
  readonly movedTo?: string;
}

export interface FailureOptions {
  /** Advice for the user, one line each. */
  readonly hint?: string | readonly string[];
  /** More lines of the message, such as the errors of each field. */
  readonly details?: readonly string[];
  readonly exchange?: ExchangeSummary;
  readonly cause?: unknown;
}

/** An error that a user can act on. Any other error is a bug in `svc`. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: Kind;
  readonly hints: readonly string[];
  readonly details: readonly string[];
  readonly exchange: ExchangeSummary | undefined;

  constructor(kind: Kind, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    const { hint } = options;
    this.hints = hint === undefined ? [] : typeof hint === 'string' ? [hint] : hint;
    this.details = options.details ?? [];
    this.exchange = options.exchange;
  }

  /** Copy the failure with the target that it is about. */
  withTarget(target: string): Failure {
    const { kind, message, hints, details, exchange, cause } = this;
    const options = { hint: hints, details, cause, ...(exchange ? { exchange } : {}) };
    return new Failure(kind, `${target}: ${message}`, options);
  }

  /** Copy the failure with more hints. */
  withHints(...more: readonly string[]): Failure {
    return new Failure(this.kind, this.message, {
      hint: [...this.hints, ...more],
      details: this.details,
      ...(this.exchange ? { exchange: this.exchange } : {}),
      cause: this.cause,
    });
  }
}

/** Whether a signal caused an error, so that the program must end. */
export const isFromSignal = (error: unknown): boolean =>
  error instanceof Failure && (error.kind === 'interrupted' || error.kind === 'terminated');

/** An error as JSON (interface section 6). */
export function errorObject({ kind, message, details, hints, exchange }: Failure) {
  const error = {
    kind,
    message,
    ...(details.length > 0 ? { details } : {}),
    status: exchange?.status ?? null,
    method: exchange?.method ?? null,
    url: exchange?.url ?? null,
    body: exchange?.body ?? null,
    request_id: exchange?.requestId ?? null,
    hint: hints.length > 0 ? hints.join('\n') : null,
  };
  return { error };
}

/** Bytes that are not UTF-8 in place of text. The caller may still be able to send them. */
export class NotText extends Failure {
  readonly bytes: Uint8Array;
  constructor(name: string, bytes: Uint8Array) {
    super('usage', `${name} is not UTF-8 text`);
    this.bytes = bytes;
  }
}

/** Create a failure for an invalid command line or setting. */
export function usage(message: string, hint?: string | readonly string[]): Failure {
  return new Failure('usage', message, hint === undefined ? {} : { hint });
}

/** Create a failure for content that exceeds a limit. */
export function tooLarge(name: string, limit: number): Failure {
  const mib = 1024 * 1024;
  return usage(`${name} is larger than ${limit % mib === 0 ? `${limit / mib} MiB` : `${limit} bytes`}`);
}

/**
 * Create a failure for a file or folder of `svc` that the system does not let it use.
 * @param what with its path: `the sandbox folder /home/mia/x`
 */
export function unusable(what: string, error: unknown, hint?: string): Failure {
  // For a link that cannot be created, `path` is its target.
  const { dest, path } = error instanceof Error ? (error as { dest?: string; path?: string }) : {};
  const place = dest ?? path;
  const at = place === undefined || what.includes(place) ? '' : `: ${place}`;
  return new Failure('internal', `cannot use ${what}: ${errnoText(error)}${at}`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}
