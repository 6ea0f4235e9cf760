/** The transport for direct connections: Node's own client, whose parser is compiled into Node. */

import { isReadMethod } from '../../support/http-method.ts';
import { assertWithin, type Transport, type TransportOptions, tlsOptions } from '../transport.ts';
import { DirectExchange, type OriginClient } from './exchange.ts';

/** Milliseconds that an idle connection is kept. Servers close idle connections after five seconds or later. */
const idleLimit = 4000;

/**
 * Create a transport to one origin. Connections are kept alive; a new one is opened if all are busy.
 * @param origin scheme, host and port: `https://host:8443`
 * @throws Failure `usage` on the first request, for an unreadable certificate or key
 */
export function createDirectTransport(origin: string, options: TransportOptions): Transport {
  const { signal } = options;
  const active = new Set<DirectExchange>();
  const onAbort = () => {
    for (const exchange of active) exchange.fail(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort);
  let client: OriginClient | undefined;
  return {
    async send(request) {
      assertWithin(request.url, origin);
      if (client && !isReadMethod(request.method)) await waitForCloses(client);
      for (;;) {
        signal?.throwIfAborted();
        const exchange = new DirectExchange(request, options, () => active.delete(exchange));
        active.add(exchange);
        try {
          client ??= clientFor(origin, options);
          return await exchange.start(client);
        } catch (error) {
          exchange.fail(error);
          // A request that only reads may be sent again on a new connection.
          if (!exchange.wasStale || !isReadMethod(request.method)) throw exchange.toFailure(error);
        }
      }
    },
    async close() {
      signal?.removeEventListener('abort', onAbort);
      // An error without a code, so that it is not retried.
      for (const exchange of active) exchange.fail(new Error('the transport was closed'));
      // Later, since a process that ends now closes the connections faster.
      if (client) setTimeout(() => client?.agent.destroy()).unref();
    },
  };
}

function clientFor(origin: string, { tls }: TransportOptions): OriginClient {
  const secure = origin.startsWith('https:');
  const authority = origin.slice(origin.indexOf('//') + 2);
  // An IPv6 address, in brackets, contains colons.
  const colon = authority.indexOf(':', authority.indexOf(']') + 1);
  const hostname = colon < 0 ? authority : authority.slice(0, colon);
  // Loaded on demand, and not by import(), which takes 20 ms.
  const { Agent, request } = secure
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http');
  return {
    origin,
    authority,
    host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port: colon < 0 ? (secure ? '443' : '80') : authority.slice(colon + 1),
    agent: new Agent({ keepAlive: true, timeout: idleLimit, ...(tls ? tlsOptions(tls) : {}) }),
    request,
  };
}

/**
 * Notice connections that the service closed right after its response: that takes two turns of the event loop. A write sent on such a
 * connection fails, and it is unknown whether the service executed it.
 */
async function waitForCloses({ agent }: OriginClient): Promise<void> {
  if (Object.keys(agent.freeSockets).length === 0) return;
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
