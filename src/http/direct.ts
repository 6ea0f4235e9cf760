/** The carrier to a service that is reached without a proxy: Node's own client, whose parser is compiled into Node. */
import type { Agent, ClientRequest, IncomingMessage, request } from 'node:http';
import { decoded } from './encoding.ts';
import { BrokenOff, networkFailure } from './failures.ts';
import { Inflow } from './inflow.ts';
import {
  type Body,
  type Header,
  isWithin,
  maxHeaderBytes,
  type Reply,
  type Request,
  type Transport,
  type TransportOptions,
  tlsOptions,
} from './transport.ts';

/** Methods that mean a body: without one they say so (RFC 9110 section 8.6). */
const bodied = new Set(['POST', 'PUT', 'PATCH']);

/** Where all requests of a transport go. */
interface Target {
  readonly origin: string;
  /** Host and port as the `Host` header has them. */
  readonly authority: string;
  readonly host: string;
  readonly port: string;
  readonly agent: Agent;
  readonly request: typeof request;
}

/**
 * A carrier to one origin: keep-alive, one connection more whenever all are busy.
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
      signal?.throwIfAborted();
      const exchange = new Exchange(request, options, () => live.delete(exchange));
      live.add(exchange);
      try {
        target ??= aim(origin, options);
        return await exchange.start(target);
      } catch (error) {
        exchange.fail(error);
        throw exchange.told(error);
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
    agent: new Agent({ keepAlive: true, ...(tls ? tlsOptions(tls) : {}) }),
    request,
  };
}

/** Headers, of which Node prints nothing where NODE_DEBUG has it print its options. */
class Unseen extends Array<string> {
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `(${this.length / 2} headers)`;
  }
}

/** One request and its answer. */
class Exchange {
  readonly #request: Request;
  readonly #options: TransportOptions;
  readonly #onEnd: () => void;
  readonly #inflow: Inflow;
  #wire: ClientRequest | undefined;
  #message: IncomingMessage | undefined;
  #reject: ((error: unknown) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #connected = false;
  #sending = false;
  #ended = false;

  /** @param onEnd called once nothing more will come */
  constructor(request: Request, options: TransportOptions, onEnd: () => void) {
    this.#request = request;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#inflow = new Inflow(
      {
        pause: () => this.#message?.pause(),
        resume: () => this.#message?.resume(),
        cut: () => this.fail(new Error('not wanted')),
      },
      (error) => this.told(error),
    );
  }

  /** What is thrown for an error: the signal's reason, or what the network did. */
  told(error: unknown): unknown {
    const { signal, timeout } = this.#options;
    if (signal?.aborted) return signal.reason;
    const { method, url } = this.#request;
    return networkFailure(error, { method, url, timeout, begun: this.#message !== undefined });
  }

  /** Send the request; resolves with the answer once its headers are there. */
  start(target: Target): Promise<Reply> {
    const { method, url, headers, body } = this.#request;
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      const wire = target.request({
        agent: target.agent,
        host: target.host,
        port: target.port,
        method,
        // Cut out of the text: a URL parser would fold `%2e%2e` away.
        path: url.slice(target.origin.length) || '/',
        headers: Unseen.of('host', target.authority, ...headers.flat(), ...framing(method, body)),
        maxHeaderSize: maxHeaderBytes,
      });
      this.#wire = wire;
      wire.on('error', (error) => this.fail(error));
      wire.on('response', (message) => resolve(this.#begin(message)));
      wire.on('close', () => {
        if (!this.#ended) this.fail(new BrokenOff('closed'));
      });
      wire.on('socket', (socket) => {
        if (socket.connecting)
          socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => this.#onConnected());
        else this.#onConnected();
      });
      this.#timer = setTimeout(() => this.#onSilence(), this.#options.timeout);
      if (!body) wire.end();
      else if ('bytes' in body) wire.end(body.bytes);
      else void this.#pump(body.open(), wire);
    });
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    this.#finish();
    const reason = isHangUp(error) ? new BrokenOff('closed') : error;
    this.#reject?.(reason);
    this.#inflow.fail(reason);
    this.#wire?.destroy();
  }

  #onConnected(): void {
    this.#connected = true;
    this.#timer?.refresh();
  }

  async #pump(body: AsyncIterable<Uint8Array>, wire: ClientRequest): Promise<void> {
    this.#sending = true;
    try {
      for await (const chunk of body) {
        if (this.#ended) return;
        if (!wire.write(chunk)) await drained(wire);
        this.#timer?.refresh();
      }
      wire.end();
    } catch (error) {
      this.fail(error);
    } finally {
      this.#sending = false;
    }
  }

  #begin(message: IncomingMessage): Reply {
    this.#message = message;
    this.#reject = undefined;
    this.#timer?.refresh();
    const { rawHeaders, statusCode: status = 0 } = message;
    const headers: Header[] = [];
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      headers.push([rawHeaders[i]!.toLowerCase(), rawHeaders[i + 1]!]);
    }
    const { method, url } = this.#request;
    const inflow = this.#inflow;
    message.on('data', (chunk: Buffer) => {
      this.#timer?.refresh();
      inflow.push(chunk);
    });
    message.on('end', () => this.#end());
    message.on('error', (error) => this.fail(error));
    const empty = method === 'HEAD' || status === 204 || status === 304;
    return {
      status,
      headers,
      url,
      body: empty ? inflow : decoded(inflow, headers, { method, url, status }),
      discard: async () => inflow.drain(),
    };
  }

  #onSilence(): void {
    // Whoever is to read, or to give what is sent, may take his time.
    if (this.#inflow.paused || (this.#sending && !this.#wire?.writableNeedDrain)) this.#timer?.refresh();
    else this.fail(new BrokenOff(this.#connected ? 'silent' : 'unconnected'));
  }

  #end(): void {
    if (this.#ended) return;
    this.#finish();
    this.#inflow.end();
    // An answer that did not wait for the whole request: its connection is of no more use.
    if (this.#sending) this.#wire?.destroy();
  }

  #finish(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#onEnd();
  }
}

/** A connection that was closed in good order, and too early: Node tells of it with the code of one that was reset. */
function isHangUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && !('syscall' in error);
}

/** Resolves when more can be written, or never will be. */
function drained(wire: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      wire.off('drain', done).off('close', done);
      resolve();
    };
    wire.on('drain', done).on('close', done);
  });
}

/** The header that says where the request ends. */
function framing(method: string, body: Body | undefined): string[] {
  if (!body) return bodied.has(method) ? ['content-length', '0'] : [];
  const length = 'bytes' in body ? body.bytes.length : body.length;
  return length === undefined ? ['transfer-encoding', 'chunked'] : ['content-length', String(length)];
}
