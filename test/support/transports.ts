// The transports, for tests that run against each of them. The proxied one uses a relay that forwards every byte.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import { createDirectTransport } from '../../src/http/node/transport.ts';
import { createProxiedTransport } from '../../src/http/proxy/transport.ts';
import type { Transport, TransportOptions } from '../../src/http/transport.ts';

export const kinds = ['direct', 'proxied'] as const;

/** Start the relay, which stops after all tests of the file. @returns a function that opens a transport */
export async function sharedTransports() {
  const sockets = new Set<Socket>();
  const relay = createServer((socket) => {
    sockets.add(socket);
    socket.once('data', (first: Buffer) => {
      const [, method, authority = ''] =
        /^([A-Z]+) (?:http:\/\/)?([^/ ]+)/.exec(first.toString('latin1')) ?? [];
      const upstream = connect(Number(authority.split(':')[1]), '127.0.0.1');
      sockets.add(upstream);
      if (method === 'CONNECT') socket.write('HTTP/1.1 200 OK\r\n\r\n');
      else upstream.write(inOriginForm(first));
      socket.on('data', (more: Buffer) => {
        if (!upstream.write(method === 'CONNECT' ? more : inOriginForm(more))) socket.pause();
      });
      upstream.on('drain', () => socket.resume());
      upstream.pipe(socket);
      socket.on('end', () => upstream.end());
      // A reset on one side resets the other side.
      upstream.on('error', () => socket.resetAndDestroy());
      upstream.on('close', () => socket.end());
      socket.on('close', () => upstream.destroy());
    });
    socket.on('error', () => {});
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => relay.close(resolve));
  });
  const proxy = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  return (kind: (typeof kinds)[number], origin: string, options: TransportOptions): Transport =>
    kind === 'direct'
      ? createDirectTransport(origin, options)
      : createProxiedTransport(origin, { ...options, proxy });
}

/** Replace the absolute URL in the first line of a request. Transports write the head of a request in one chunk. */
function inOriginForm(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/^([A-Z]+) http:\/\/[^/ ]+/, '$1 '), 'latin1');
}
