/** When a request is tried again, and how long to wait before (interface.md section 7). */
import { Failure } from '../../errors.ts';
import { isBrokenOff } from '../errors/network.ts';
import { type Header, headerValues, isSafe, type Reply, type Request } from '../transport.ts';

/** The service did not act: safe for every method. */
const always = new Set([429, 503]);
/** It may have acted: for methods that change nothing. */
const whenSafe = new Set([500, 502, 504]);

export interface RetryOptions {
  /** Tries after the first. */
  readonly retries: number;
  /** Milliseconds that one wait may last. */
  readonly maxWait: number;
  /** Retry every method as if it were GET. */
  readonly retryUnsafe: boolean;
  /** Told before each wait. */
  readonly announce: (wait: Wait) => void;
  readonly signal?: AbortSignal | undefined;
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export interface Wait {
  readonly ms: number;
  readonly reason: string;
  readonly attempt: number;
  readonly of: number;
}

/**
 * Send until there is an answer that stands, or no try is left: then the last answer is given back, or the last error thrown.
 * @param attempt sends the request once, redirects included
 * @throws Failure `rate_limited` (429) or `broken` (503) at once where the service asks for a longer wait than `maxWait`
 */
export async function retried(
  request: Request,
  attempt: () => Promise<Reply>,
  options: RetryOptions,
): Promise<Reply> {
  const safe = options.retryUnsafe || isSafe(request.method);
  const { body } = request;
  const retries = body && 'open' in body && body.once ? 0 : options.retries;
  for (let tries = 1; ; tries++) {
    const result = await attempt().catch(asFailure);
    const reason =
      result instanceof Failure ? reasonOfFailure(result, safe) : reasonOfStatus(result.status, safe);
    if (reason === undefined || tries > retries) {
      if (!(result instanceof Failure)) return result;
      throw tries > 1 ? result.withHints(`tried ${tries} times`) : result;
    }
    const asked = result instanceof Failure ? undefined : askedWait(result.headers, options.now());
    if (!(result instanceof Failure)) await result.discard();
    if (asked !== undefined && asked > options.maxWait) {
      throw tooLong(request, (result as Reply).status, asked, options.maxWait);
    }
    const ms = asked ?? Math.min(backoff(tries, options.random()), options.maxWait);
    options.announce({ ms, reason, attempt: tries, of: options.retries });
    await options.sleep(ms, options.signal);
  }
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

function reasonOfFailure(failure: Failure, safe: boolean): string | undefined {
  return safe && isBrokenOff(failure) ? failure.message : undefined;
}

function reasonOfStatus(status: number, safe: boolean): string | undefined {
  if (status === 429) return 'the rate limit is reached (429)';
  if (always.has(status)) return `the service is overloaded (${status})`;
  return safe && whenSafe.has(status) ? `the service failed (${status})` : undefined;
}

/** Milliseconds before the next try where the service does not say: 1 s, 2 s, 4 s, each up to a quarter more or less. */
export function backoff(tries: number, random: number): number {
  return Math.round(1000 * 2 ** (tries - 1) * (0.75 + random / 2));
}

/**
 * How long the service asks to wait: `Retry-After` in seconds or as a date (RFC 9110 section 10.2.3), else `RateLimit-Reset`,
 * a Unix time. A time that has passed says nothing (clocks differ), nor does what can't be read.
 * @param now milliseconds since the epoch
 * @returns milliseconds
 */
export function askedWait(headers: readonly Header[], now: number): number | undefined {
  const after = headerValues(headers, 'retry-after')[0]?.trim() ?? '';
  if (/^\d+$/.test(after)) return Number(after) * 1000;
  const reset = headerValues(headers, 'ratelimit-reset')[0]?.trim() ?? '';
  const until = httpDate(after) ?? (/^\d+$/.test(reset) ? Number(reset) * 1000 : undefined);
  return until !== undefined && until > now ? until - now : undefined;
}

/** The three forms of RFC 9110 section 5.6.7. JavaScript's own parser alone would take almost anything for a date. */
const dateForms = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** Milliseconds since the epoch of an HTTP date; undefined where it is none. */
export function httpDate(text: string): number | undefined {
  if (!dateForms.some((form) => form.test(text))) return undefined;
  const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `90000` -> `1 min 30 s`. */
export function duration(ms: number): string {
  const total = Math.ceil(ms / 1000);
  const parts: [number, string][] = [
    [Math.floor(total / 3600), 'h'],
    [Math.floor(total / 60) % 60, 'min'],
    [total % 60, 's'],
  ];
  const words = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return words.length > 0 ? words.join(' ') : '0 s';
}

function tooLong(request: Request, status: number, asked: number, maxWait: number): Failure {
  const limit = status === 429;
  return new Failure(
    limit ? 'rate_limited' : 'server_error',
    `${limit ? 'the rate limit is reached' : 'the service is overloaded'} (${status}): it asks to wait ${duration(asked)}, more than the ${duration(maxWait)} that one wait may last`,
    {
      // A timer counts to 2^31 ms.
      ...(asked < 2 ** 31 ? { hint: `--max-wait ${Math.ceil(asked / 1000)} waits for it` } : {}),
      exchange: { method: request.method, url: request.url, status },
    },
  );
}
