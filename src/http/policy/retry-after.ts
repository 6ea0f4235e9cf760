/** The wait that a service requests before a retry. */
import { type Header, headerValues } from '../transport.ts';

/**
 * Return the wait that a service requests, in milliseconds: `Retry-After` in seconds or as a date (RFC 9110 section 10.2.3), else
 * `RateLimit-Reset`, a Unix time. Times are compared with the `Date` of the response. Malformed values and times in the past are ignored.
 * @param now milliseconds since the epoch, for a response without a date
 */
export function retryAfter(headers: readonly Header[], now: number): number | undefined {
  const after = headerValues(headers, 'retry-after')[0]?.trim() ?? '';
  if (/^\d+$/.test(after)) return Number(after) * 1000;
  const current = httpDate(headerValues(headers, 'date')[0] ?? '') ?? now;
  const reset = headerValues(headers, 'ratelimit-reset')[0]?.trim() ?? '';
  const until = httpDate(after) ?? (/^\d+$/.test(reset) ? Number(reset) * 1000 : undefined);
  return until !== undefined && until > current ? until - current : undefined;
}

/** The form of RFC 9110 section 5.6.7 that servers send. `Date.parse` alone accepts almost any text. */
const dateForm = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** An HTTP date in milliseconds since the epoch; undefined for other text. */
export const httpDate = (text: string): number | undefined =>
  dateForm.test(text) ? Date.parse(text) : undefined;
