/**
 * The types of the control interface, which are also the types of the package. The build publishes this file as it is, so it imports
 * nothing.
 */

/** What happens to matching requests. It needs `status`, `latency` or `cut`. */
export interface FaultEffect {
  /** Respond with this status, 400 to 599, and do not run the request. */
  readonly status?: number | undefined;
  /** Seconds for the `Retry-After` header. Requires `status`. */
  readonly retry_after?: number | undefined;
  /** Milliseconds to wait before the request runs. */
  readonly latency?: number | undefined;
  /** Close the connection before the headers, or in the body. Without `status`, the request runs first. */
  readonly cut?: 'headers' | 'body' | undefined;
  /** Number of requests that are left. Without it, the fault remains until it is removed. */
  readonly times?: number | undefined;
  /** Share of the matching requests, greater than 0 and at most 1. */
  readonly probability?: number | undefined;
  /** Makes `probability` repeatable. */
  readonly seed?: number | undefined;
}

export interface Fault extends FaultEffect {
  /** A method or `*`, and a path in which `*` is one segment and `**` any number. */
  readonly match: string;
}

/** A request that the sandbox received. */
export interface LoggedRequest {
  readonly id: number;
  /** By the clock of the sandbox, ISO 8601. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Secrets are masked, as in `body`. */
  readonly query: string;
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
  /** The username; null without a valid token. */
  readonly caller: string | null;
  /** The fields of a JSON body or form, a description of another body, or null. */
  readonly body: unknown;
  /** The `match` of the fault that applied, or null. */
  readonly fault: string | null;
}

export interface ClockTime {
  /** ISO 8601. */
  readonly now: string;
  /** Milliseconds that the clock is ahead of the system. */
  readonly offset: number;
}

export interface Snapshot {
  readonly name: string;
  /** By the clock of the sandbox, ISO 8601. */
  readonly created_at: string;
}
