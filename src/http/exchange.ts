/** One request with its response, and the transport that sends them: everything that Node's client and undici have in common. */
import type { Socket } from 'node:net';
import { networkCode } from '../support/errno.ts';
import { isReadMethod } from '../support/http-method.ts';
import { decodedBody } from './body/encoding.ts';
import { BodyStream } from './body/stream.ts';
import { interruption, networkFailure, TransportError } from './errors/network.ts';
import { shownUrl } from './policy/redirect.ts';
import {
  type Header,
  isWithin,
  type Reply,
  type Request,
  type StreamBody,
  type Transport,
  type TransportOptions,
} from './transport.ts';

/** @template Client sends the requests of all exchanges with one origin */
export abstract class Exchange<Client> {
  protected readonly request: Request;
  readonly bodyStream: BodyStream;
  protected hasResponse = false;
  protected ended = false;
  /** Whether a request body is not sent completely. */
  protected isSending = false;
  protected socket: Socket | undefined;
  readonly #options: TransportOptions;
  readonly #onEnd: () => void;
  #pending: { resolve: (reply: Reply) => void; reject: (error: unknown) => void } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isConnected = false;
  #isProducing = false;
  #isReused = false;
  /** Bytes that earlier responses used on this connection. */
  #readBefore = 0;
  #error: unknown;

  /** @param onEnd called when the exchange is complete or has failed */
  constructor(request: Request, options: TransportOptions, onEnd: () => void) {
    this.request = request;
    this.#options = options;
    this.#onEnd = onEnd;
    this.bodyStream = new BodyStream(this);
  }

  abstract pause(): void;
  abstract resume(): void;
  /** Send the request, and call the methods below as it proceeds. */
  protected abstract dispatch(client: Client): void;
  protected abstract abort(error: unknown): void;

  /** Send the request. Resolves when the response headers have arrived. */
  start(client: Promise<Client>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#timer = setTimeout(() => this.#onTimeout(), this.#options.timeout);
      client
        .then((opened) => {
          if (!this.ended) this.dispatch(opened);
        })
        .catch((error: unknown) => this.fail(error));
    });
  }

  /** The error to throw: the reason of the signal, or a network failure. */
  toFailure(error: unknown): unknown {
    const { signal, timeout, proxy } = this.#options;
    const { method } = this.request;
    const url = shownUrl(this.request);
    if (signal?.aborted)
      return this.#isConnected && !this.isSending
        ? interruption(signal.reason, { method, url })
        : signal.reason;
    return networkFailure(error, { method, url, timeout, proxy, hasResponse: this.hasResponse });
  }

  /** Whether it failed because the service had closed a kept-alive connection. */
  get wasStale(): boolean {
    const isUnanswered = this.#isReused && this.socket?.bytesRead === this.#readBefore;
    const lost = ['TRANSPORT_CLOSED', 'TRANSPORT_RESET', 'ECONNRESET', 'EPIPE'];
    return isUnanswered && lost.includes(networkCode(this.#error) ?? '');
  }

  fail(error: unknown): void {
    if (this.ended) return;
    this.#finish();
    this.#error = error;
    this.#pending?.reject(error);
    this.abort(error);
    this.bodyStream.fail(error);
  }

  useSocket(socket: Socket, isReused: boolean): void {
    this.socket = socket;
    this.#isReused = isReused;
    this.#readBefore = socket.bytesRead;
  }

  protected connected(): void {
    this.#isConnected = true;
    this.#timer?.refresh();
  }

  protected beginResponse(status: number, headers: readonly Header[]): void {
    this.hasResponse = true;
    this.#timer?.refresh();
    const { method, url } = this.request;
    const exchange = { method, url: shownUrl(this.request), status };
    this.#pending?.resolve({
      status,
      headers,
      url,
      body: decodedBody(this.bodyStream, headers, exchange),
      discard: async () => this.bodyStream.discard(),
    });
    this.#pending = undefined;
  }

  protected receive(chunk: Uint8Array): void {
    this.#timer?.refresh();
    this.bodyStream.push(chunk);
  }

  protected complete(): void {
    if (this.ended) return;
    this.#finish();
    this.bodyStream.end();
  }

  /** The chunks of a request body. @throws TransportError if their length differs from the announced one */
  protected async *chunksOf(body: StreamBody): AsyncGenerator<Uint8Array> {
    this.isSending = true;
    this.#isProducing = true;
    let remaining = body.length ?? Number.POSITIVE_INFINITY;
    for await (const chunk of body.open()) {
      if (this.ended) return;
      remaining -= chunk.length;
      // The server would take excess bytes for another request.
      if (remaining < 0) throw new TransportError('TRANSPORT_BODY_LENGTH');
      this.#timer?.refresh();
      this.#isProducing = false;
      yield chunk;
      this.#isProducing = true;
      if (this.ended) return;
      this.#timer?.refresh();
    }
    if (remaining > 0 && remaining < Number.POSITIVE_INFINITY)
      throw new TransportError('TRANSPORT_BODY_LENGTH');
    this.#isProducing = false;
    this.isSending = false;
  }

  #onTimeout(): void {
    // Time during which the program itself reads or produces a body slowly does not count.
    if (this.bodyStream.paused || this.#isProducing) this.#timer?.refresh();
    else this.fail(new TransportError(this.#isConnected ? 'TRANSPORT_TIMEOUT' : 'TRANSPORT_CONNECT_TIMEOUT'));
  }

  #finish(): void {
    this.ended = true;
    clearTimeout(this.#timer);
    this.#onEnd();
  }
}

/**
 * Create a transport to one origin. Connections are kept alive; a new one is opened if all are busy.
 * @param open creates the client before the first request
 * @param close closes its connections
 */
export function createTransport<Client>(
  origin: string,
  options: TransportOptions,
  OwnExchange: new (request: Request, options: TransportOptions, onEnd: () => void) => Exchange<Client>,
  open: () => Promise<Client>,
  close: (client: Client) => void | Promise<void>,
): Transport {
  const { signal } = options;
  let client: Promise<Client> | undefined;
  const active = new Set<Exchange<Client>>();
  const failAll = (error: unknown) => {
    for (const exchange of active) exchange.fail(error);
  };
  const onAbort = () => failAll(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  let isUsed = false;
  return {
    async send(request) {
      if (!isWithin(request.url, origin))
        throw new Error(`a transport to ${origin} cannot send a request to ${request.url}`);
      const isRead = isReadMethod(request.method);
      // The service may have closed a connection right after its response. A write on it would fail, and it would be unknown whether the
      // service executed it. Two turns of the event loop are enough to notice.
      for (let turn = 0; turn < 2 && isUsed && !isRead; turn++) await new Promise(setImmediate);
      isUsed = true;
      for (;;) {
        signal?.throwIfAborted();
        const exchange = new OwnExchange(request, options, () => active.delete(exchange));
        active.add(exchange);
        client ??= open();
        try {
          return await exchange.start(client);
        } catch (error) {
          exchange.fail(error);
          // A request that only reads may be sent again on a new connection.
          if (!isRead || !exchange.wasStale) throw exchange.toFailure(error);
        }
      }
    },
    async close() {
      signal?.removeEventListener('abort', onAbort);
      // An error without a code, so that it is not retried.
      failAll(new Error('the transport was closed'));
      const opened = await client?.catch(() => undefined);
      if (opened) await close(opened);
    },
  };
}
