/** The transport to a service that is reached without a proxy: Node's own client, whose parser is compiled into Node. */

import { isSafe, isWithin, type Transport, type TransportOptions, tlsOptions } from '../transport.ts';
import { Exchange, type Target } from './exchange.ts';

/** Milliseconds that a connection is kept for the next request: less than servers keep one, which is five seconds and more. */
const keptFor = 4000;

/**
 * A transport to one origin: keep-alive, one connection more whenever all are busy.
 * @param origin scheme, host and port: `https://host:8443`
 * @throws Failure `usage` on the first request, for a certificate or key that can't be read
 */
export function createDirectTransport(origin: string, options: TransportOptions): Transport {
  const { signal } = options;
  const live = new Set<Exchange>();
  const onAbort = () => {
    for (const exchange of live) exchange.fail(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort);
  let target: Target | undefined;
  return {
    async send(request) {
      if (!isWithin(request.url, origin))
        throw new Error(`a transport to ${origin} was asked for ${request.url}`);
      if (target && !isSafe(request.method)) await closesSeen(target);
      for (;;) {
        signal?.throwIfAborted();
        const exchange = new Exchange(request, options, () => live.delete(exchange));
        live.add(exchange);
        try {
          target ??= aim(origin, options);
          return await exchange.start(target);
        } catch (error) {
          exchange.fail(error);
          // What changes nothing may be sent again, into a fresh connection.
          if (!exchange.wasStale || !isSafe(request.method)) throw exchange.told(error);
        }
      }
    },
    async close() {
      signal?.removeEventListener('abort', onAbort);
      // Ours to end: not an error that a retry would mend.
      for (const exchange of live) exchange.fail(new Error('not wanted'));
      target?.agent.destroy();
    },
  };
}

function aim(origin: string, { tls }: TransportOptions): Target {
  const { protocol, host: authority, hostname, port } = new URL(origin);
  const secure = protocol === 'https:';
  // Loaded when it is needed, and not by import(), which takes 20 ms.
  const { Agent, request } = secure
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http');
  return {
    origin,
    authority,
    // Without the brackets of an IPv6 address.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (secure ? '443' : '80'),
    agent: new Agent({ keepAlive: true, timeout: keptFor, ...(tls ? tlsOptions(tls) : {}) }),
    request,
  };
}

/**
 * A service may close a connection right behind its answer, and whatever were sent into it then would be lost, done or not. Two turns
 * of the loop, and a close that has come is seen.
 */
async function closesSeen({ agent }: Target): Promise<void> {
  if (Object.keys(agent.freeSockets).length === 0) return;
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
