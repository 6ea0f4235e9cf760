/** One rate limit for all requests of a client that sends several at a time. */
import { type Header, headerValues, type Reply } from '../transport.ts';
import { retryAfter } from './retry-after.ts';

interface LimiterOptions {
  /** Limit for one wait, in milliseconds. A longer wait is left to the retries, which report it. */
  readonly maxWait: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Called once when all requests begin to wait. */
  readonly onPause: (ms: number) => void;
}

export type Limiter = ReturnType<typeof createLimiter>;

export function createLimiter({ maxWait, now, sleep, onPause }: LimiterOptions) {
  let until = 0;
  /** Requests that the service still accepts before `reset`. */
  let remaining = Number.POSITIVE_INFINITY;
  let reset = 0;
  let inFlight = 0;
  const extend = (time: number) => {
    if (time > until) until = time;
  };
  return {
    /** Wait until a request may be sent. @throws the reason of the signal of the request */
    async enter(signal?: AbortSignal): Promise<void> {
      let waited = 0;
      for (;;) {
        if (reset <= now()) remaining = Number.POSITIVE_INFINITY;
        if (remaining <= 0 && reset > until && reset - now() <= maxWait) {
          extend(reset);
          onPause(reset - now());
        }
        if (until <= now() || waited >= until) break;
        waited = until;
        await sleep(until - now(), signal);
      }
      // After the reset there is a new quota, which the next response contains.
      if (waited >= reset) remaining = Number.POSITIVE_INFINITY;
      remaining -= 1;
      inFlight += 1;
    },
    /** Learn from the response to a request that entered. */
    leave(response?: Pick<Reply, 'status' | 'headers'>): void {
      inFlight -= 1;
      if (!response) return;
      const left = wholeNumber(response.headers, 'ratelimit-remaining');
      const at = wholeNumber(response.headers, 'ratelimit-reset');
      if (left !== undefined && at !== undefined && at * 1000 > now()) {
        // The service may not have counted the requests in flight yet.
        const free = left - inFlight;
        remaining = at * 1000 === reset ? Math.min(remaining, free) : free;
        reset = at * 1000;
      }
      const wait = response.status === 429 ? retryAfter(response.headers, now()) : undefined;
      if (wait !== undefined && wait <= maxWait) extend(now() + wait);
    },
    /** Hold all requests, because one of them was rate limited. */
    hold: (ms: number) => extend(now() + ms),
  };
}

function wholeNumber(headers: readonly Header[], name: string): number | undefined {
  const text = headerValues(headers, name)[0]?.trim() ?? '';
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
