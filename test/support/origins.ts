// Small servers on the loopback interface that stop after their test, and helpers for requests to them.
import { once } from 'node:events';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps, type ServerOptions } from 'node:https';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { afterEach } from 'vitest';
import type { Reply, Request, Transport } from '../../src/http/transport.ts';
import { collect } from '../../src/support/bytes.ts';

/** Servers and transports of one test file. Each is closed after the test that opened it. */
export function origins() {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function listen(server: Server | TcpServer): Promise<number> {
    const sockets = new Set<{ destroy(): void }>();
    server.on('connection', (socket) => sockets.add(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }

  return {
    cleanups,
    listen,
    http: async (serve: RequestListener) => `http://127.0.0.1:${await listen(createHttp(serve))}`,
    https: async (options: ServerOptions, serve: RequestListener = (_, res) => res.end('secure')) =>
      `https://127.0.0.1:${await listen(createHttps(options, serve))}`,
    opened(transport: Transport): Transport {
      cleanups.push(() => transport.close());
      return transport;
    },
  };
}

export const get = (origin: string, path = '/x'): Request => ({
  method: 'GET',
  url: `${origin}${path}`,
  headers: [],
});

export const text = async (reply: Reply): Promise<string> => String(await collect(reply.body));
