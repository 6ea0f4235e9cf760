// The transports, held to the same tests. The one that goes through a proxy gets a relay, which hands on every byte.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createDirectTransport } from '../../src/http/node/transport.ts';
import { createProxiedTransport } from '../../src/http/proxy/transport.ts';
import type { Transport, TransportOptions } from '../../src/http/transport.ts';

export const kinds = ['direct', 'proxied'] as const;

export interface Carriers {
  open(kind: (typeof kinds)[number], origin: string, options: TransportOptions): Transport;
  close(): Promise<void>;
}

export async function startCarriers(): Promise<Carriers> {
  const sockets = new Set<Socket>();
  const relay = createServer((socket) => {
    sockets.add(socket);
    socket.once('data', (first: Buffer) => {
      const [, method, authority = ''] =
        /^([A-Z]+) (?:http:\/\/)?([^/ ]+)/.exec(first.toString('latin1')) ?? [];
      const onward = connect(Number(authority.split(':')[1]), '127.0.0.1');
      sockets.add(onward);
      if (method === 'CONNECT') socket.write('HTTP/1.1 200 OK\r\n\r\n');
      else onward.write(inOriginForm(first));
      socket.on('data', (more: Buffer) => {
        if (!onward.write(method === 'CONNECT' ? more : inOriginForm(more))) socket.pause();
      });
      onward.on('drain', () => socket.resume());
      onward.pipe(socket);
      socket.on('end', () => onward.end());
      // A connection that is reset on one side is on the other.
      onward.on('error', () => socket.resetAndDestroy());
      onward.on('close', () => socket.end());
      socket.on('close', () => onward.destroy());
    });
    socket.on('error', () => {});
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const proxy = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  return {
    open: (kind, origin, options) =>
      kind === 'direct'
        ? createDirectTransport(origin, options)
        : createProxiedTransport(origin, { ...options, proxy }),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

/** What comes begins a request, or goes on with its body: whoever sends writes the head of one at once. */
function inOriginForm(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/^([A-Z]+) http:\/\/[^/ ]+/, '$1 '), 'latin1');
}
