/** Follow redirects without sending the token to another origin and without changing the method. */

import { Failure, type FailureOptions, forPerson, type Hint } from '../../errors.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { parseUrl } from '../../support/url.ts';
import { headerValues, type Reply, type Request } from '../transport.ts';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const permanentStatuses = new Set([301, 308]);
const maxRedirects = 10;

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly status: number;
}

/**
 * Send a request and follow redirects on the same origin: all redirects for GET and HEAD, only 307 and 308
 * for other methods.
 * @param sendOnce sends one request
 * @param onMove called for each permanent redirect that is followed
 * @throws Failure `rejected` for a 301 if the method is not GET or HEAD; `server_error` for a redirect to another origin, a loop, a
 *   missing `Location`, a redirect that would change the method, or a body that can be read only once
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
    if (!redirectStatuses.has(reply.status)) return reply;
    await reply.discard();
    const to = destination(current, reply);
    if (visited.has(to)) {
      throw redirectFailure(current, reply, `redirect loop: ${to} was already requested`);
    }
    if (visited.size > maxRedirects) {
      throw redirectFailure(current, reply, `too many redirects (more than ${maxRedirects})`);
    }
    visited.add(to);
    if (permanentStatuses.has(reply.status)) onMove({ from: current.url, to, status: reply.status });
    current = { ...current, url: to };
  }
}

/** The target of a redirect. @throws Failure if it must not be followed */
function destination(request: Request, reply: Reply): string {
  const fail = (message: string, options?: FailureOptions) =>
    redirectFailure(request, reply, message, options);
  const [location = ''] = headerValues(reply.headers, 'location');
  if (location === '') throw fail('redirect without a Location header');
  const target = parseUrl(location, request.url);
  if (!target) throw fail('redirect not followed: its Location is not a URL');
  const { origin } = new URL(request.url);
  const { method, body } = request;
  if (target.origin !== origin) {
    const message = `redirect not followed: it leads to another origin, ${shownOrigin(target)}`;
    throw fail(message, { hint: originHint(target, 'redirected') });
  }
  const to = `${origin}${target.pathname}${target.search}`;
  const newUrl = [`new URL: ${to}`];
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
  return to;
}

/** The origin of a URL, for messages. The path and the query may contain a signature. */
export function shownOrigin({ origin, protocol }: URL): string {
  return origin === 'null' ? protocol : origin;
}

/** Say what the service did. The hint does not name the origin as a base URL, because an attacker may have chosen it. */
export function originHint({ origin, protocol }: URL, did: 'redirected' | 'linked'): Hint[] {
  return /^https?:/.test(protocol)
    ? forPerson(`the service ${did} to ${origin}: check the base URL with svc config explain`)
    : [];
}

function redirectFailure(request: Request, reply: Reply, message: string, options?: FailureOptions): Failure {
  return new Failure('server_error', message, {
    ...options,
    exchange: { method: request.method, url: request.url, status: reply.status },
  });
}
