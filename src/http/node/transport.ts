/** The transport for direct connections: Node's own client, whose parser is compiled into Node. */

import type { ClientRequest, IncomingMessage } from 'node:http';
import { networkCode } from '../../support/errno.ts';
import { TransportError } from '../errors/network.ts';
import { createTransport, Exchange } from '../exchange.ts';
import {
  type Body,
  headersFrom,
  maxHeaderBytes,
  pathWithin,
  type StreamBody,
  type Transport,
  type TransportOptions,
  tlsOptions,
} from '../transport.ts';

/** Milliseconds that an idle connection is kept. Servers close idle connections after five seconds or later. */
const idleLimit = 4000;

/**
 * Create a transport to one origin.
 * @param origin scheme, host and port: `https://host:8443`
 * @throws Failure `usage` on the first request, for an unreadable certificate or key
 */
export function createDirectTransport(origin: string, options: TransportOptions): Transport {
  const open = () => clientFor(origin, options);
  // Later, since a process that ends now closes the connections faster.
  const close = ({ agent }: OriginClient) => void setTimeout(() => agent.destroy()).unref();
  return createTransport(origin, options, DirectExchange, open, close);
}

type OriginClient = Awaited<ReturnType<typeof clientFor>>;

async function clientFor(origin: string, { tls }: TransportOptions) {
  const { protocol, host, hostname, port } = new URL(origin);
  const { Agent, request } = await (protocol === 'https:' ? import('node:https') : import('node:http'));
  return {
    origin,
    /** Host and port as in the `Host` header. */
    authority: host,
    // An IPv6 address is in brackets.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    /** Empty for the default port of the scheme. */
    port,
    agent: new Agent({ keepAlive: true, timeout: idleLimit, ...(await tlsOptions(tls)) }),
    request,
  };
}

/** Methods that usually have a body: without one they send `Content-Length: 0` (RFC 9110 section 8.6). */
const bodyMethods = new Set(['POST', 'PUT', 'PATCH']);

/** Headers that hide themselves when NODE_DEBUG makes Node print the options of a request. */
class HiddenHeaders extends Array<string> {
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `(${this.length / 2} headers)`;
  }
}

class DirectExchange extends Exchange<OriginClient> {
  #clientRequest: ClientRequest | undefined;
  #message: IncomingMessage | undefined;

  pause(): void {
    this.#message?.pause();
  }

  resume(): void {
    this.#message?.resume();
  }

  override fail(error: unknown): void {
    super.fail(isHangUp(error) ? new TransportError('TRANSPORT_CLOSED') : error);
  }

  protected dispatch(client: OriginClient): void {
    const { method, url, headers, body } = this.request;
    const clientRequest = client.request({
      agent: client.agent,
      host: client.host,
      port: client.port,
      method,
      path: pathWithin(url, client.origin),
      headers: HiddenHeaders.of('host', client.authority, ...headers.flat(), ...framing(method, body)),
      maxHeaderSize: maxHeaderBytes,
    });
    this.#clientRequest = clientRequest;
    // Node would silently drop headers beyond a number; their total size is limited instead.
    clientRequest.maxHeadersCount = 0;
    // An error after the end of the response does not affect it.
    clientRequest.on('error', (error) => {
      if (!this.#message?.complete) this.fail(error);
    });
    clientRequest.on('close', () => {
      if (!this.#message?.complete) this.fail(new TransportError('TRANSPORT_CLOSED'));
    });
    clientRequest.on('response', (message) => {
      if ((message.statusCode ?? 0) < 200) this.fail(new TransportError('TRANSPORT_PROTOCOL'));
      else this.#onResponse(message);
    });
    clientRequest.on('upgrade', (_, socket) => {
      socket.destroy();
      this.fail(new TransportError('TRANSPORT_PROTOCOL'));
    });
    clientRequest.on('socket', (socket) => {
      this.useSocket(socket, clientRequest.reusedSocket);
      const onConnected = () => {
        this.connected();
        // Opened only once connected, because some bodies can be read only once.
        if (body && 'open' in body && !this.ended) void this.#send(body, clientRequest);
      };
      if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', onConnected);
      else onConnected();
    });
    if (!body) clientRequest.end();
    else if ('bytes' in body) clientRequest.end(body.bytes);
  }

  /** Deliver the data that arrived before the error, and close the connection. */
  protected abort(): void {
    const message = this.#message?.removeAllListeners('data');
    for (let chunk = message?.read(); chunk; chunk = message?.read()) this.bodyStream.push(chunk);
    this.#clientRequest?.destroy();
  }

  async #send(body: StreamBody, clientRequest: ClientRequest): Promise<void> {
    try {
      for await (const chunk of this.chunksOf(body))
        if (!clientRequest.write(chunk)) await drained(clientRequest);
      if (!this.ended) clientRequest.end();
    } catch (error) {
      this.fail(error);
    }
  }

  #onResponse(message: IncomingMessage): void {
    this.#message = message;
    message.on('data', (chunk: Buffer) => this.receive(chunk));
    message.on('end', () => {
      this.complete();
      // The response came before the request was sent completely: the connection cannot be reused.
      if (this.isSending) this.#clientRequest?.destroy();
    });
    message.on('error', (error) => this.fail(error));
    this.beginResponse(message.statusCode ?? 0, headersFrom(message.rawHeaders));
  }
}

/** Whether the connection was closed normally but too early. Node reports this with the code of a reset, and Bun also with its own. */
function isHangUp(error: unknown): boolean {
  const code = networkCode(error);
  const isReset = code === 'ECONNRESET' && error instanceof Error && !('syscall' in error);
  return isReset || code === 'ERR_SOCKET_CLOSED';
}

/** Resolve when more can be written, or when the request has ended. */
function drained(clientRequest: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clientRequest.off('drain', done).off('close', done);
      resolve();
    };
    clientRequest.on('drain', done).on('close', done);
  });
}

function framing(method: string, body: Body | undefined): string[] {
  if (!body) return bodyMethods.has(method) ? ['content-length', '0'] : [];
  const length = 'bytes' in body ? body.bytes.length : body.length;
  return length === undefined ? ['transfer-encoding', 'chunked'] : ['content-length', String(length)];
}
