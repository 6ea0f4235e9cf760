// Each connection attempt counts as a try, however the other side refuses, closes or stays silent: no transport reconnects by itself.
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/errors.ts';
import { createClient } from '../../src/http/client.ts';
import { createDirectTransport } from '../../src/http/node/transport.ts';
import { createProxiedTransport } from '../../src/http/proxy/transport.ts';
import type { Transport } from '../../src/http/transport.ts';
import { authority, server as pair } from '../support/certificates.ts';
import { failureOf, get } from '../support/origins.ts';

const options = { timeout: 300, tls: { ca: authority } };
const retries = 2;

/** @param reset resets the TCP connection, which the stream may be a TLS layer of */
type Way = (socket: Socket, reset: () => void) => void;

const afterRequest =
  (answer: Way): Way =>
  (socket, reset) =>
    void socket.once('data', () => answer(socket, reset));
const says = (text: string): Way => afterRequest((socket) => void socket.write(text));
const saysAndCloses = (text: string): Way => afterRequest((socket) => void socket.end(text));

/** Ways to fail that a retry may help against (interface.md section 7: resets and timeouts). */
const temporary: Readonly<Record<string, Way>> = {
  'closes at once': (socket) => void socket.end(),
  'resets at once': (_, reset) => reset(),
  'closes after the request': afterRequest((socket) => void socket.end()),
  'resets after the request': afterRequest((_, reset) => reset()),
  'stays silent': (socket) => void socket.resume(),
};
const half: Readonly<Record<string, Way>> = {
  'sends half a status line and stays silent': says('HTTP/1.1 20'),
  'sends half of its headers and stays silent': says('HTTP/1.1 200 OK\r\nserver: x'),
};

/** Ways to fail of which only the number of connections is promised. */
const others: Readonly<Record<string, Way>> = {
  'sends half a status line and closes': saysAndCloses('HTTP/1.1 20'),
  'sends half of its headers and closes': saysAndCloses('HTTP/1.1 200 OK\r\nserver: x'),
  'sends an informational status and closes': saysAndCloses('HTTP/1.1 100 Continue\r\n\r\n'),
  'sends an early hint and closes': saysAndCloses('HTTP/1.1 103 Early Hints\r\n\r\n'),
  'switches protocols': says('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  'speaks another protocol': saysAndCloses('220 mail.example ESMTP ready\r\n'),
};

/** Ways to fail of a proxy that is asked for a tunnel. */
const refusals: Readonly<Record<string, Way>> = {
  'answers 407': saysAndCloses('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
  'answers 403': saysAndCloses('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'),
  'answers 502': saysAndCloses('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'),
  'answers 200 and speaks another protocol': saysAndCloses('HTTP/1.1 200 OK\r\n\r\n220 mail.example\r\n'),
};
const brokenTunnels: Readonly<Record<string, Way>> = {
  'answers 200 and closes': saysAndCloses('HTTP/1.1 200 OK\r\n\r\n'),
  'answers 200 and resets': afterRequest(
    (socket, reset) => void socket.write('HTTP/1.1 200 OK\r\n\r\n', reset),
  ),
  'answers 200 and stays silent': says('HTTP/1.1 200 OK\r\n\r\n'),
};

type Wrap = (socket: Socket, way: Way) => void;

const bare: Wrap = (socket, way) => way(socket, () => socket.resetAndDestroy());

/** Speaks TLS first, as a server does. */
const behindTls: Wrap = (socket, way) => {
  const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(pair) });
  secure.on('error', () => {});
  secure.on('secure', () => way(secure, () => socket.resetAndDestroy()));
};

/** Opens each tunnel that it is asked for. */
const tunnel =
  (way: Way): Way =>
  (socket, reset) =>
    void socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      way(socket, reset);
    });

/** A server that fails in one way, and counts its connections. */
async function failing(way: Way, wrap: Wrap = bare) {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    wrap(socket, way);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Send a request until it fails for good; waits are counted, not waited. */
async function failed(
  transport: Transport,
  origin: string,
  method = 'GET',
): Promise<{ failure: Failure; waits: number }> {
  let waits = 0;
  const client = createClient(transport, {
    root: `${origin}/api/v4`,
    userAgent: 'svc/test',
    retries,
    maxWait: 60_000,
    retryUnsafe: false,
    notify: ({ kind }) => {
      if (kind === 'wait') waits++;
    },
    now: Date.now,
    sleep: async () => {},
    random: () => 0.5,
  });
  try {
    return { failure: await failureOf(client.send({ ...get(origin, '/api/v4/x'), method })), waits };
  } finally {
    await client.close();
  }
}

interface Route {
  readonly name: string;
  readonly open: (host: string) => { readonly transport: Transport; readonly origin: string };
  readonly wrap?: Wrap;
  /** What is sent is no TLS, which a retry does not help against. */
  readonly beforeTls?: true;
  readonly more?: readonly Readonly<Record<string, Way>>[];
}

const direct = (scheme: string) => (host: string) => {
  const origin = `${scheme}://${host}`;
  return { origin, transport: createDirectTransport(origin, options) };
};
const proxied = (origin: string, scheme: string) => (host: string) => ({
  origin,
  transport: createProxiedTransport(origin, { ...options, proxy: `${scheme}://${host}` }),
});

const routes: readonly Route[] = [
  { name: 'a server, by http', open: direct('http') },
  { name: 'a server, by https', open: direct('https'), wrap: behindTls },
  { name: 'a server, before TLS is agreed on', open: direct('https'), beforeTls: true },
  { name: 'a proxy, asked by http', open: proxied('http://api.example', 'http') },
  {
    name: 'a proxy, asked for a tunnel',
    open: proxied('https://api.example', 'http'),
    more: [brokenTunnels, refusals],
  },
  {
    name: 'a server behind a tunnel',
    open: proxied('https://api.example', 'http'),
    wrap: (socket, way) => tunnel((inner) => behindTls(inner, way))(socket, () => {}),
  },
  {
    name: 'a proxy, before TLS is agreed on',
    open: proxied('https://api.example', 'https'),
    beforeTls: true,
  },
  {
    name: 'a proxy with TLS, asked for a tunnel',
    open: proxied('https://api.example', 'https'),
    wrap: behindTls,
    more: [brokenTunnels, refusals],
  },
  {
    name: 'a server behind a tunnel that needs no TLS',
    open: proxied('http://api.example', 'https'),
    wrap: (socket, way) => behindTls(socket, tunnel(way)),
  },
];

describe.concurrent.each(routes.map((route) => [route.name, route] as const))('%s', (_, route) => {
  const { more: [broken = {}, refused = {}] = [] } = route;
  const again = { ...temporary, ...(route.beforeTls ? {} : half), ...broken };
  const ways = { ...half, ...others, ...refused, ...again };

  it.each(Object.entries(ways))('%s: one wait for each connection after the first', async (name, way) => {
    const server = await failing(way, route.wrap);
    try {
      const { origin, transport } = route.open(server.host);
      const { failure, waits } = await failed(transport, origin);
      expect(failure.kind).toBe('network');
      expect({ says: failure.message, connections: server.count() }).toEqual({
        says: failure.message,
        connections: waits + 1,
      });
      if (name in again) expect(waits).toBe(retries);
      else expect(waits).toBeLessThanOrEqual(retries);
    } finally {
      await server.close();
    }
  });

  it.each(Object.entries(again).filter(([name]) => !name.includes('silent')))(
    '%s: a POST is sent once',
    async (_name, way) => {
      const server = await failing(way, route.wrap);
      try {
        const { origin, transport } = route.open(server.host);
        const { waits } = await failed(transport, origin, 'POST');
        expect({ waits, connections: server.count() }).toEqual({ waits: 0, connections: 1 });
      } finally {
        await server.close();
      }
    },
  );

  it('refuses connections: no wait', async () => {
    const server = await failing(() => {});
    await server.close();
    const { origin, transport } = route.open(server.host);
    const { failure, waits } = await failed(transport, origin);
    expect(failure.message).toMatch(/127\.0\.0\.1:\d+ refused the connection$/);
    expect(waits).toBe(0);
  });
});
