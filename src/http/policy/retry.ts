/** Retry a request after a temporary failure. */

import { Failure, forPerson } from '../../errors.ts';
import { showDuration } from '../../support/number.ts';
import { isRetryable } from '../errors/network.ts';
import type { Reply, Request } from '../transport.ts';
import { isRead } from './read-only.ts';
import { retryAfter } from './retry-after.ts';

/** The service did not execute the request: every method may be retried. */
const retryAny = new Set([429, 503]);
/** The service may have executed the request: only reads are retried. */
const retryReads = new Set([500, 502, 504, 520, 521, 522, 523, 524]);

export interface RetryOptions {
  /** Attempts after the first. */
  readonly retries: number;
  /** Limit for one wait, in milliseconds. */
  readonly maxWait: number;
  /** Retry every method as if it were GET. */
  readonly retryUnsafe: boolean;
  readonly onWait: (wait: Wait) => void;
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export interface Wait {
  readonly ms: number;
  readonly reason: string;
  readonly status?: number;
  readonly attempt: number;
  readonly of: number;
}

/**
 * Send a request until it succeeds, fails permanently, or no attempt is left. Returns the last response or throws the last error.
 * @param attempt sends the request once, redirects included
 * @throws Failure `rate_limited` (429) or `server_error` (503) immediately if the service requests a longer wait than `maxWait`
 */
export async function sendWithRetries(
  request: Request,
  attempt: () => Promise<Reply>,
  options: RetryOptions,
): Promise<Reply> {
  const isRepeatable = () => options.retryUnsafe || isRead(request);
  const { body } = request;
  const retries = body && 'open' in body && body.once ? 0 : options.retries;
  for (let tries = 1; ; tries++) {
    const result = await attempt().catch((error: unknown) => {
      if (error instanceof Failure) return error;
      throw error;
    });
    const failed = result instanceof Failure;
    const reason = reasonToRetry(result, isRepeatable);
    if (reason === undefined || tries > retries) {
      if (!failed) return result;
      throw tries > 1 ? result.withHints(`tried ${tries} times`) : result;
    }
    const requested = failed ? undefined : await requestedWait(request, result, options);
    const ms = requested ?? Math.min(backoff(tries, options.random()), options.maxWait);
    const status = failed ? {} : { status: result.status };
    options.onWait({ ms, reason, ...status, attempt: tries, of: options.retries });
    await options.sleep(ms, options.signal);
  }
}

function reasonToRetry(result: Reply | Failure, isRepeatable: () => boolean): string | undefined {
  if (result instanceof Failure) return isRetryable(result) && isRepeatable() ? result.message : undefined;
  const { status } = result;
  const isTemporary = retryAny.has(status) || (retryReads.has(status) && isRepeatable());
  return isTemporary ? `${phrase(status)} (${status})` : undefined;
}

function phrase(status: number): string {
  if (status === 429) return 'rate limited';
  return status === 503 ? 'service unavailable' : 'server error';
}

/** Milliseconds before the next attempt if the service requests no wait: 1 s, 2 s, 4 s, each varied by up to a quarter. */
export function backoff(tries: number, random: number): number {
  return Math.round(1000 * 2 ** (tries - 1) * (0.75 + random / 2));
}

/**
 * The wait that a service requests in a response, which is discarded.
 * @throws Failure if it is longer than `maxWait`
 */
async function requestedWait(
  { method, url }: Request,
  { status, headers, discard }: Reply,
  { now, maxWait }: RetryOptions,
): Promise<number | undefined> {
  const wait = retryAfter(headers, now());
  await discard();
  if (wait === undefined || wait <= maxWait) return wait;
  const message = `${phrase(status)} (${status}): the requested wait of ${showDuration(wait / 1000)} exceeds the limit of ${showDuration(maxWait / 1000)}`;
  throw new Failure(status === 429 ? 'rate_limited' : 'server_error', message, {
    // Timers are limited to 2^31 ms.
    ...(wait < 2 ** 31
      ? { hint: forPerson(`use --max-wait ${Math.ceil(wait / 1000)} to wait that long`) }
      : {}),
    exchange: { method, url, status },
  });
}
