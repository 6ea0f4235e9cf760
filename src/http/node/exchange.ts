/** One request sent by Node's own client, with its response. */
import type { Agent, ClientRequest, IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { BodyStream, replyOf } from '../body/stream.ts';
import { codeOf, networkFailure, TransportError } from '../errors/network.ts';
import {
  type Body,
  headersFrom,
  maxHeaderBytes,
  pathWithin,
  type Reply,
  type Request,
  type StreamBody,
  type TransportOptions,
} from '../transport.ts';

/** Node's client for one origin. */
export interface OriginClient {
  readonly origin: string;
  /** Host and port as in the `Host` header. */
  readonly authority: string;
  readonly host: string;
  readonly port: string;
  readonly agent: Agent;
  readonly request: typeof request;
}

/** Methods that usually have a body: without one they send `Content-Length: 0` (RFC 9110 section 8.6). */
const bodyMethods = new Set(['POST', 'PUT', 'PATCH']);

/** Headers that hide themselves when NODE_DEBUG makes Node print the options of a request. */
class HiddenHeaders extends Array<string> {
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `(${this.length / 2} headers)`;
  }
}

export class DirectExchange {
  readonly #request: Request;
  readonly #options: TransportOptions;
  readonly #onEnd: () => void;
  readonly #bodyStream: BodyStream;
  #clientRequest: ClientRequest | undefined;
  #message: IncomingMessage | undefined;
  #reject: ((error: unknown) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #socket: Socket | undefined;
  /** Bytes that earlier responses used on this connection. */
  #readBefore = 0;
  #connected = false;
  #sending = false;
  #ended = false;
  #error: unknown;

  /** @param onEnd called when the exchange is complete or has failed */
  constructor(request: Request, options: TransportOptions, onEnd: () => void) {
    this.#request = request;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#bodyStream = new BodyStream(
      {
        pause: () => this.#message?.pause(),
        resume: () => this.#message?.resume(),
        close: () => this.fail(new Error('the body is not needed')),
      },
      (error) => this.toFailure(error),
    );
  }

  /** The error to throw: the reason of the signal, or a network failure. */
  toFailure(error: unknown): unknown {
    const { signal, timeout } = this.#options;
    if (signal?.aborted) return signal.reason;
    const { method, url } = this.#request;
    return networkFailure(error, { method, url, timeout, hasResponse: this.#message !== undefined });
  }

  /** Whether it failed because the service had closed a kept-alive connection. */
  get wasStale(): boolean {
    const isUnanswered =
      this.#clientRequest?.reusedSocket === true && this.#socket?.bytesRead === this.#readBefore;
    return isUnanswered && ['TRANSPORT_CLOSED', 'ECONNRESET', 'EPIPE'].includes(codeOf(this.#error) ?? '');
  }

  /** Send the request. Resolves when the response headers have arrived. */
  start(client: OriginClient): Promise<Reply> {
    const { method, url, headers, body } = this.#request;
    return new Promise((resolve, reject) => {
      this.#reject = reject;
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
        if (!this.#ended && !this.#message?.complete) this.fail(new TransportError('TRANSPORT_CLOSED'));
      });
      clientRequest.on('response', (message) => {
        if ((message.statusCode ?? 0) < 200) this.fail(new TransportError('TRANSPORT_PROTOCOL'));
        else resolve(this.#begin(message));
      });
      clientRequest.on('upgrade', (_, socket) => {
        socket.destroy();
        this.fail(new TransportError('TRANSPORT_PROTOCOL'));
      });
      clientRequest.on('socket', (socket) => {
        this.#socket = socket;
        this.#readBefore = socket.bytesRead;
        if (!socket.connecting) this.#onConnected(clientRequest);
        else
          socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () =>
            this.#onConnected(clientRequest),
          );
      });
      this.#timer = setTimeout(() => this.#onTimeout(), this.#options.timeout);
      if (!body) clientRequest.end();
      else if ('bytes' in body) clientRequest.end(body.bytes);
    });
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    this.#finish();
    const reason = isHangUp(error) ? new TransportError('TRANSPORT_CLOSED') : error;
    this.#error = reason;
    this.#reject?.(reason);
    this.#deliverRest();
    this.#bodyStream.fail(reason);
    this.#clientRequest?.destroy();
  }

  #onConnected(clientRequest: ClientRequest): void {
    this.#connected = true;
    this.#timer?.refresh();
    const { body } = this.#request;
    // Opened only once connected, because some bodies can be read only once.
    if (body && 'open' in body && !this.#ended) void this.#sendBody(body, clientRequest);
  }

  async #sendBody(body: StreamBody, clientRequest: ClientRequest): Promise<void> {
    this.#sending = true;
    let remaining = body.length ?? Number.POSITIVE_INFINITY;
    try {
      for await (const chunk of body.open()) {
        if (this.#ended) return;
        remaining -= chunk.length;
        // The server would take excess bytes for another request.
        if (remaining < 0) throw new TransportError('TRANSPORT_BODY_LENGTH');
        if (!clientRequest.write(chunk)) await drained(clientRequest);
        this.#timer?.refresh();
      }
      if (remaining > 0 && remaining < Number.POSITIVE_INFINITY)
        throw new TransportError('TRANSPORT_BODY_LENGTH');
      clientRequest.end();
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
    message.on('data', (chunk: Buffer) => {
      this.#timer?.refresh();
      this.#bodyStream.push(chunk);
    });
    message.on('end', () => this.#end());
    message.on('error', (error) => this.fail(error));
    return replyOf(this.#request, message.statusCode ?? 0, headersFrom(message.rawHeaders), this.#bodyStream);
  }

  /** Deliver the data that arrived before the error. */
  #deliverRest(): void {
    const message = this.#message?.removeAllListeners('data');
    for (let chunk = message?.read(); chunk; chunk = message?.read()) this.#bodyStream.push(chunk);
  }

  #onTimeout(): void {
    // Time during which the program itself reads or produces a body slowly does not count.
    const isProducing = this.#connected && this.#sending && !this.#clientRequest?.writableNeedDrain;
    if (this.#bodyStream.paused || isProducing) this.#timer?.refresh();
    else this.fail(new TransportError(this.#connected ? 'TRANSPORT_TIMEOUT' : 'TRANSPORT_CONNECT_TIMEOUT'));
  }

  #end(): void {
    if (this.#ended) return;
    this.#finish();
    this.#bodyStream.end();
    // The response came before the request was sent completely: the connection cannot be reused.
    if (this.#sending) this.#clientRequest?.destroy();
  }

  #finish(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#onEnd();
  }
}

/** Whether the connection was closed normally but too early. Node reports this with the code of a reset, and Bun also with its own. */
function isHangUp(error: unknown): boolean {
  const code = codeOf(error);
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

/** The header that delimits the request body. */
function framing(method: string, body: Body | undefined): string[] {
  if (!body) return bodyMethods.has(method) ? ['content-length', '0'] : [];
  const length = 'bytes' in body ? body.bytes.length : body.length;
  return length === undefined ? ['transfer-encoding', 'chunked'] : ['content-length', String(length)];
}
