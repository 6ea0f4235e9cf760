import { errnoText, errorCode, networkCode } from './support/errno.ts';

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
  /** The 404 means that the service, or the sandbox, has no such endpoint; a resource may exist. */
  readonly lacksEndpoint?: 'service' | 'sandbox';
}

/** A line of advice. `svc mcp` replaces flags, as `--name`, and commands, as `svc jobs list`, by parameters and tools. */
interface Advice {
  readonly text: string;
  /** Only the person who uses svc can follow it: an agent that calls svc as a tool has no command line. */
  readonly audience?: 'person';
}
export type Hint = string | Advice;

/** Advice that only the person who uses svc can follow. */
export const forPerson = (...texts: readonly string[]): Advice[] =>
  texts.map((text) => ({ text, audience: 'person' }));

export interface FailureOptions {
  readonly hint?: Hint | readonly Hint[];
  /** More lines of the message, such as the errors of each field. */
  readonly details?: readonly string[];
  readonly exchange?: ExchangeSummary | undefined;
  readonly cause?: unknown;
  /** The command has started an operation, which continues. */
  readonly hasStarted?: boolean;
}

/** An error that a user can act on. Any other error is a bug in `svc`. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: Kind;
  readonly advice: readonly Advice[];
  readonly details: readonly string[];
  readonly exchange: ExchangeSummary | undefined;
  readonly hasStarted: boolean;

  constructor(kind: Kind, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.advice = [options.hint ?? []]
      .flat()
      .map((hint) => (typeof hint === 'string' ? { text: hint } : hint));
    this.details = options.details ?? [];
    this.exchange = options.exchange;
    this.hasStarted = options.hasStarted ?? false;
  }

  get hints(): string[] {
    return this.advice.map(({ text }) => text);
  }

  with({ message = this.message, ...changes }: FailureOptions & { readonly message?: string }): Failure {
    const { kind, advice: hint, details, exchange, cause, hasStarted } = this;
    return new Failure(kind, message, { hint, details, cause, exchange, hasStarted, ...changes });
  }

  /** Copy the failure with its texts changed, but not those of the exchange. */
  mapTexts(change: (text: string) => string): Failure {
    return this.with({
      message: change(this.message),
      details: this.details.map(change),
      hint: this.advice.map((hint) => ({ ...hint, text: change(hint.text) })),
    });
  }

  withHints(...more: readonly Hint[]): Failure {
    return this.with({ hint: [...this.advice, ...more] });
  }
}

/** Whether a signal caused an error, so that the program must end. */
export const isFromSignal = (
  error: unknown,
): error is Failure & { readonly kind: 'interrupted' | 'terminated' } =>
  error instanceof Failure && (error.kind === 'interrupted' || error.kind === 'terminated');

/** Codes of errors before a request was sent. */
const unsentCode =
  /^(ECONNREFUSED|ENOTFOUND|ENODATA|EAI_\w+|E(HOST|NET)(UNREACH|DOWN)|EACCES|EPERM|EPROTO|TRANSPORT_CONNECT_TIMEOUT|TRANSPORT_TUNNEL|CERT_\w+|ERR_(TLS|SSL)_\w+|\w*_(CERT|CERTIFICATE|SIGNATURE)\w*)$/;

export const checkFirst = 'the service may have executed the request: check before you try again';

/** Whether the service may have executed the request although it failed: the outcome of a write is unknown. */
export function mayBeExecuted(failure: Failure): boolean {
  if (failure.hasStarted) return true;
  if (failure.kind === 'network') {
    const { cause } = failure;
    const isConnecting = cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect';
    return !isConnecting && !unsentCode.test(networkCode(cause) ?? '');
  }
  if (failure.kind === 'partial') return failure.cause instanceof Failure && mayBeExecuted(failure.cause);
  if (failure.kind === 'internal') return true;
  return failure.kind === 'server_error' && failure.exchange?.status !== 503;
}

/** Return the JSON form of a failure, on which scripts rely. `hint` has one line for each hint. */
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

export function usage(message: string, hint: Hint | readonly Hint[] = []): Failure {
  return new Failure('usage', message, { hint });
}

export function tooLarge(name: string, limit: number): Failure {
  const mib = 1024 * 1024;
  return usage(`${name} is larger than ${limit % mib === 0 ? `${limit / mib} MiB` : `${limit} bytes`}`);
}

/** Create a failure for a file of the user that cannot be written: a wrong name, or a disk that is full or damaged. */
export function unwritable(message: string, error: unknown, hint: Hint | readonly Hint[]): Failure {
  const isDisk = ['ENOSPC', 'EDQUOT', 'EIO'].includes(errorCode(error) ?? '');
  return new Failure(isDisk ? 'internal' : 'usage', `${message}: ${errnoText(error)}`, {
    hint,
    cause: error,
  });
}

/**
 * Create a failure for a file or folder of `svc` that the system does not let it use.
 * @param what with its path: `the sandbox folder /home/mia/x`
 */
export function unusable(what: string, error: unknown, hint: Hint | readonly Hint[] = []): Failure {
  // For a link that cannot be created, `path` is its target.
  const { dest, path } = error instanceof Error ? (error as { dest?: string; path?: string }) : {};
  const place = dest ?? path;
  const at = place === undefined || what.includes(place) ? '' : `: ${place}`;
  return new Failure('internal', `cannot use ${what}: ${errnoText(error)}${at}`, {
    cause: error,
    hint,
  });
}
