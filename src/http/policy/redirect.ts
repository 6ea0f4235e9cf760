/** Redirects by hand: the token never leaves its origin, and a method is never turned into another. */
import { Failure } from '../../errors.ts';
import { headerValues, isSafe, type Reply, type Request } from '../transport.ts';

const redirects = new Set([301, 302, 303, 307, 308]);
const permanent = new Set([301, 308]);
const maxHops = 10;

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly status: number;
}

/**
 * Send a request, and follow where the answer leads (interface.md section 7): GET and HEAD anywhere on the same origin,
 * another method by 307 and 308 only.
 * @param go sends one request
 * @param moved is told each permanent move that was followed
 * @throws Failure `rejected` for a 301 to another method than GET and HEAD; `broken` for a hop to another origin, a loop, a missing `Location`, a method that would have
 *   changed, or a body that is gone
 */
export async function follow(
  request: Request,
  go: (request: Request) => Promise<Reply>,
  moved: (move: Move) => void,
): Promise<Reply> {
  const visited = new Set([request.url]);
  let current = request;
  for (;;) {
    const reply = await go(current);
    if (!redirects.has(reply.status)) return reply;
    await reply.discard();
    const to = destination(current, reply);
    if (visited.has(to)) {
      throw refusal(current, reply, `the service redirects in a circle: ${to} was already asked for`);
    }
    if (visited.size > maxHops) {
      throw refusal(current, reply, `the service redirects more than ${maxHops} times, in a circle perhaps`);
    }
    visited.add(to);
    if (permanent.has(reply.status)) moved({ from: current.url, to, status: reply.status });
    current = { ...current, url: to };
  }
}

/** Where a redirect leads, once it is known to be harmless. */
function destination(request: Request, reply: Reply): string {
  const [location] = headerValues(reply.headers, 'location');
  if (location === undefined || location === '') {
    throw refusal(request, reply, 'the service redirects, but does not say where to (no Location)');
  }
  if (!URL.canParse(location, request.url)) {
    throw refusal(request, reply, 'the service redirects to something that is not a URL');
  }
  const target = new URL(location, request.url);
  const { origin } = new URL(request.url);
  if (target.origin !== origin) {
    // Its path and query may hold a signature: only the origin is told.
    const other = target.origin === 'null' ? target.protocol : target.origin;
    throw refusal(
      request,
      reply,
      `the service redirects to ${other}, another origin than ${origin}: not followed`,
      /^https?:/.test(target.protocol)
        ? `if ${other} is the service's right address, make it the base URL`
        : undefined,
    );
  }
  const to = `${origin}${target.pathname}${target.search}`;
  if (!isSafe(request.method) && reply.status === 301) {
    throw new Failure('rejected', `the address has moved (301), and a ${request.method} is not redirected`, {
      details: [`new address: ${to}`],
      exchange: { method: request.method, url: request.url, status: 301, movedTo: to },
    });
  }
  if (!isSafe(request.method) && reply.status !== 307 && reply.status !== 308) {
    throw refusal(
      request,
      reply,
      `the service redirects this ${request.method} to ${to}: not followed, since it would become a GET`,
    );
  }
  if (request.body && 'open' in request.body && request.body.once) {
    throw refusal(
      request,
      reply,
      `the service redirects this ${request.method} to ${to}: not followed, since what was sent can be read once only`,
      'send a file, or repeat the command with the new path',
    );
  }
  return to;
}

function refusal(request: Request, reply: Reply, message: string, hint?: string): Failure {
  return new Failure('server_error', message, {
    ...(hint === undefined ? {} : { hint }),
    exchange: { method: request.method, url: request.url, status: reply.status },
  });
}
