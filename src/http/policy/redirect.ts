/** Follow redirects without sending the token to another origin and without changing the method. */

import { Failure, type FailureOptions, forPerson, type Hint } from '../../errors.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { parseUrl } from '../../support/url.ts';
import { headerValues, type Reply, type Request } from '../transport.ts';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const permanentStatuses = new Set([301, 308]);
const maxRedirects = 10;

/** Headers of a request that other servers get. */
const harmlessHeaders = new Set(['accept', 'accept-encoding', 'range', 'if-range']);
/** Statuses of another server that callers handle: the end of a log that grows (416), and a rate limit (429). */
const knownStatuses = new Set([416, 429]);

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly status: number;
}

/**
 * Send a request and follow redirects on the same origin: all redirects for GET and HEAD, only 307 and 308
 * for other methods. A download also follows redirects to https URLs of other origins, and sends them no credential.
 * @param sendOnce sends one request
 * @param onMove called for each permanent redirect that is followed
 * @throws Failure `rejected` for a 301 if the method is not GET or HEAD; `server_error` for a redirect to another origin, a loop, a
 *   missing `Location`, a redirect that would change the method, a body that can be read only once, or a file that another server refuses
 */
export async function followRedirects(
  request: Request,
  sendOnce: (request: Request) => Promise<Reply>,
  onMove: (move: Move) => void,
): Promise<Reply> {
  const visited = new Set([request.url]);
  let current = request;
  for (;;) {
    const reply = await sendOnce(current);
    const { status } = reply;
    if (current.isRedirectedOutside && status >= 400 && status < 500 && !knownStatuses.has(status)) {
      await reply.discard();
      const { origin } = new URL(current.url);
      const message = `${origin}, to which the service redirected, responded with status ${status}`;
      throw redirectFailure(current, reply, message);
    }
    if (!redirectStatuses.has(status)) return reply;
    await reply.discard();
    const next = redirected(current, reply);
    const { url: to } = next;
    if (visited.has(to)) {
      throw redirectFailure(current, reply, `redirect loop: ${shownUrl(next)} was already requested`);
    }
    if (visited.size > maxRedirects) {
      throw redirectFailure(current, reply, `too many redirects (more than ${maxRedirects})`);
    }
    visited.add(to);
    if (permanentStatuses.has(status) && !next.isRedirectedOutside) onMove({ from: current.url, to, status });
    current = next;
  }
}

/** The URL of a request, for messages. That of another server has no query, which can be a signature. */
export const shownUrl = ({ url, isRedirectedOutside }: Request): string =>
  isRedirectedOutside ? url.replace(/\?.*/s, '') : url;

/** The request after a redirect. @throws Failure if it must not be followed */
function redirected(request: Request, reply: Reply): Request {
  const fail = (message: string, options?: FailureOptions) =>
    redirectFailure(request, reply, message, options);
  const [location = ''] = headerValues(reply.headers, 'location');
  if (location === '') throw fail('redirect without a Location header');
  const target = parseUrl(location, request.url);
  if (!target) throw fail('redirect not followed: its Location is not a URL');
  const { origin } = new URL(request.url);
  const { method, body, headers, isDownload, isRedirectedOutside } = request;
  const isAway = isRedirectedOutside || target.origin !== origin;
  if (isAway && isDownload && target.protocol === 'https:')
    return {
      ...request,
      url: `${target.origin}${target.pathname}${target.search}`,
      headers: headers.filter(([name]) => harmlessHeaders.has(name.toLowerCase())),
      isRedirectedOutside: true,
    };
  if (isAway) {
    const message = `redirect not followed: it leads to another origin, ${shownOrigin(target)}`;
    throw fail(message, { hint: originHint(target, 'redirected') });
  }
  const to = `${origin}${target.pathname}${target.search}`;
  const newUrl = [`new URL: ${to}`];
  if (!isReadMethod(method) && to === request.url) throw fail('redirect loop: it leads to the same URL');
  if (!isReadMethod(method) && reply.status === 301) {
    throw new Failure('rejected', `the resource has moved (301); a ${method} request is not redirected`, {
      details: newUrl,
      exchange: { method, url: request.url, status: 301, movedTo: to },
    });
  }
  if (!isReadMethod(method) && reply.status !== 307 && reply.status !== 308) {
    const message = `redirect of a ${method} request (${reply.status}) not followed: it would become a GET request`;
    throw fail(message, { details: newUrl });
  }
  if (body && 'open' in body && body.once) {
    throw fail(`redirect of a ${method} request not followed: its body can be read only once`, {
      details: newUrl,
      hint: 'send a regular file, or run the command again with the new path',
    });
  }
  return { ...request, url: to };
}

/** The origin of a URL, for messages. The path and the query may contain a signature. */
export function shownOrigin({ origin, protocol }: URL): string {
  return origin === 'null' ? protocol : origin;
}

/** Return the hint for a web origin that is not followed. It does not propose it as a base URL: an attacker may have chosen it. */
export function originHint({ origin, protocol }: URL, did: 'redirected' | 'linked'): Hint[] {
  return /^https?:/.test(protocol)
    ? forPerson(`the service ${did} to ${origin}: check the base URL with svc config explain`)
    : [];
}

function redirectFailure(request: Request, reply: Reply, message: string, options?: FailureOptions): Failure {
  return new Failure('server_error', message, {
    ...options,
    exchange: { method: request.method, url: shownUrl(request), status: reply.status },
  });
}
