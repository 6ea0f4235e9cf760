// A transport never reconnects: each connection is one attempt, for every kind of failure.
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/errors.ts';
import { createClient } from '../../src/http/client.ts';
import { createDirectTransport } from '../../src/http/node/transport.ts';
import { createProxiedTransport } from '../../src/http/proxy/transport.ts';
import type { Transport, TransportOptions } from '../../src/http/transport.ts';
import { authority, server as pair } from '../support/certificates.ts';
import { failureOf } from '../support/failures.ts';
import { get } from '../support/origins.ts';
import { until } from '../support/process.ts';

const retries = 2;

/** Behaviors that send nothing always end with the timeout. The others never do, even on a busy machine. */
const optionsFor = (behavior: string) => ({
  timeout: behavior.includes('nothing') ? 500 : 20_000,
  tls: { ca: authority },
});

/** How a server fails. @param reset resets the TCP connection, also below TLS */
type Behavior = (socket: Socket, reset: () => void) => void;

const afterRequest =
  (respond: Behavior): Behavior =>
  (socket, reset) =>
    void socket.once('data', () => respond(socket, reset));
const sends = (text: string): Behavior => afterRequest((socket) => void socket.write(text));
const sendsAndCloses = (text: string): Behavior => afterRequest((socket) => void socket.end(text));

/** Failures after which a retry may help (resets and timeouts). */
const temporary: Readonly<Record<string, Behavior>> = {
  'closes at once': (socket) => void socket.end(),
  'resets at once': (_, reset) => reset(),
  'closes after the request': afterRequest((socket) => void socket.end()),
  'resets after the request': afterRequest((_, reset) => reset()),
  'sends nothing': (socket) => void socket.resume(),
};
const half: Readonly<Record<string, Behavior>> = {
  'sends half a status line and then nothing': sends('HTTP/1.1 20'),
  'sends half of its headers and then nothing': sends('HTTP/1.1 200 OK\r\nserver: x'),
};

/** Failures that may or may not be retried. */
const others: Readonly<Record<string, Behavior>> = {
  'sends half a status line and closes': sendsAndCloses('HTTP/1.1 20'),
  'sends half of its headers and closes': sendsAndCloses('HTTP/1.1 200 OK\r\nserver: x'),
  'sends an informational status and closes': sendsAndCloses('HTTP/1.1 100 Continue\r\n\r\n'),
  'sends an early hint and closes': sendsAndCloses('HTTP/1.1 103 Early Hints\r\n\r\n'),
  'switches protocols': sends(
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  ),
  'uses another protocol': sendsAndCloses('220 mail.example ESMTP ready\r\n'),
};

/** Failures of a proxy when a tunnel is requested. */
const tunnelErrors: Readonly<Record<string, Behavior>> = {
  'responds 407': sendsAndCloses('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
  'responds 403': sendsAndCloses('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'),
  'responds 502': sendsAndCloses('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'),
  'responds 200 and uses another protocol': sendsAndCloses('HTTP/1.1 200 OK\r\n\r\n220 mail.example\r\n'),
};
const brokenTunnels: Readonly<Record<string, Behavior>> = {
  'responds 200 and closes': sendsAndCloses('HTTP/1.1 200 OK\r\n\r\n'),
  'responds 200 and resets': afterRequest(
    (socket, reset) => void socket.write('HTTP/1.1 200 OK\r\n\r\n', reset),
  ),
  'responds 200 and then nothing': sends('HTTP/1.1 200 OK\r\n\r\n'),
};

type Wrap = (socket: Socket, behavior: Behavior) => void;

const plainTcp: Wrap = (socket, behavior) => behavior(socket, () => socket.resetAndDestroy());

/** Completes a TLS handshake first. */
const behindTls: Wrap = (socket, behavior) => {
  const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(pair) });
  secure.on('error', () => {});
  secure.on('secure', () => behavior(secure, () => socket.resetAndDestroy()));
};

/** Opens each requested tunnel. */
const tunnel =
  (behavior: Behavior): Behavior =>
  (socket, reset) =>
    void socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      behavior(socket, reset);
    });

/** Start a server that fails and counts its connections. */
async function failing(behavior: Behavior, wrap: Wrap = plainTcp) {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    wrap(socket, behavior);
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

/** Send a request until it fails permanently. Waits are counted and take no time. */
async function failed(
  transport: Transport,
  origin: string,
  method = 'GET',
): Promise<{ failure: Failure; waits: number }> {
  let waits = 0;
  const client = createClient(transport, {
    root: `${origin}/api/v4`,
    secrets: [],
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
  readonly open: (
    host: string,
    options: TransportOptions,
  ) => { readonly transport: Transport; readonly origin: string };
  readonly wrap?: Wrap;
  /** The server sends data that is not TLS; a retry does not help. */
  readonly beforeTls?: true;
  readonly more?: readonly Readonly<Record<string, Behavior>>[];
}

const direct = (scheme: string) => (host: string, options: TransportOptions) => {
  const origin = `${scheme}://${host}`;
  return { origin, transport: createDirectTransport(origin, options) };
};
const proxied = (origin: string, scheme: string) => (host: string, options: TransportOptions) => ({
  origin,
  transport: createProxiedTransport(origin, { ...options, proxy: `${scheme}://${host}` }),
});

const routes: readonly Route[] = [
  { name: 'a server over http', open: direct('http') },
  { name: 'a server over https', open: direct('https'), wrap: behindTls },
  { name: 'a server before the TLS handshake', open: direct('https'), beforeTls: true },
  { name: 'a proxy for http', open: proxied('http://api.example', 'http') },
  {
    name: 'a proxy with a tunnel',
    open: proxied('https://api.example', 'http'),
    more: [brokenTunnels, tunnelErrors],
  },
  {
    name: 'a server behind a tunnel',
    open: proxied('https://api.example', 'http'),
    wrap: (socket, behavior) => tunnel((inner) => behindTls(inner, behavior))(socket, () => {}),
  },
  {
    name: 'a proxy before the TLS handshake',
    open: proxied('https://api.example', 'https'),
    beforeTls: true,
  },
  {
    name: 'a proxy over TLS with a tunnel',
    open: proxied('https://api.example', 'https'),
    wrap: behindTls,
    more: [brokenTunnels, tunnelErrors],
  },
  {
    name: 'an http server behind a proxy over TLS',
    open: proxied('http://api.example', 'https'),
    wrap: (socket, behavior) => behindTls(socket, tunnel(behavior)),
  },
];

describe.concurrent.each(routes.map((route) => [route.name, route] as const))('%s', (_, route) => {
  const { more: [broken = {}, rejected = {}] = [] } = route;
  const retryable = { ...temporary, ...(route.beforeTls ? {} : half), ...broken };
  const behaviors = { ...half, ...others, ...rejected, ...retryable };

  it.each(Object.entries(behaviors))('%s: opens one connection per attempt', async (name, behavior) => {
    const server = await failing(behavior, route.wrap);
    try {
      const { origin, transport } = route.open(server.host, optionsFor(name));
      const { failure, waits } = await failed(transport, origin);
      expect(failure.kind).toBe('network');
      // A connection may time out before the server accepts it.
      await until(`${waits + 1} connections`, () => server.count() === waits + 1);
      if (name in retryable) expect(waits).toBe(retries);
      else expect(waits).toBeLessThanOrEqual(retries);
    } finally {
      await server.close();
    }
  });

  it.each(Object.entries(retryable).filter(([name]) => !name.includes('nothing')))(
    '%s: sends a POST once',
    async (name, behavior) => {
      const server = await failing(behavior, route.wrap);
      try {
        const { origin, transport } = route.open(server.host, optionsFor(name));
        const { waits } = await failed(transport, origin, 'POST');
        expect({ waits, connections: server.count() }).toEqual({ waits: 0, connections: 1 });
      } finally {
        await server.close();
      }
    },
  );

  it('does not retry a refused connection', async () => {
    const server = await failing(() => {});
    await server.close();
    const { origin, transport } = route.open(server.host, optionsFor('refuses'));
    const { failure, waits } = await failed(transport, origin);
    expect(failure.message).toMatch(/^connection refused by (proxy )?127\.0\.0\.1:\d+$/);
    expect(waits).toBe(0);
  });
});
