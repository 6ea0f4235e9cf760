/** One request over Node's own client, and its answer. */
import type { Agent, ClientRequest, IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { BodyStream, replyOf } from '../body/stream.ts';
import { codeOf, networkFailure, TransportError } from '../errors/network.ts';
import {
  type Body,
  type Header,
  maxHeaderBytes,
  type Reply,
  type Request,
  type StreamBody,
  type TransportOptions,
} from '../transport.ts';

/** Where all requests of a transport go. */
export interface Target {
  readonly origin: string;
  /** Host and port as the `Host` header has them. */
  readonly authority: string;
  readonly host: string;
  readonly port: string;
  readonly agent: Agent;
  readonly request: typeof request;
}

/** Methods that mean a body: without one they say so (RFC 9110 section 8.6). */
const bodied = new Set(['POST', 'PUT', 'PATCH']);

/** Headers, of which Node prints nothing where NODE_DEBUG has it print its options. */
class Unseen extends Array<string> {
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `(${this.length / 2} headers)`;
  }
}

export class Exchange {
  readonly #request: Request;
  readonly #options: TransportOptions;
  readonly #onEnd: () => void;
  readonly #bodyStream: BodyStream;
  #wire: ClientRequest | undefined;
  #message: IncomingMessage | undefined;
  #reject: ((error: unknown) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #socket: Socket | undefined;
  /** Bytes that earlier answers took on this connection. */
  #readBefore = 0;
  #connected = false;
  #sending = false;
  #ended = false;
  #error: unknown;

  /** @param onEnd called once nothing more will come */
  constructor(request: Request, options: TransportOptions, onEnd: () => void) {
    this.#request = request;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#bodyStream = new BodyStream(
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

  /** Whether it failed because the connection, kept from an earlier request, had been closed meanwhile. */
  get wasStale(): boolean {
    const unanswered = this.#wire?.reusedSocket === true && this.#socket?.bytesRead === this.#readBefore;
    return unanswered && ['CARRIER_CLOSED', 'ECONNRESET', 'EPIPE'].includes(codeOf(this.#error) ?? '');
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
      // Their size is bounded: beyond a number, they would be left out without a word.
      wire.maxHeadersCount = 0;
      // Behind the end of an answer nothing is wrong with it any more.
      wire.on('error', (error) => {
        if (!this.#message?.complete) this.fail(error);
      });
      wire.on('close', () => {
        if (!this.#ended && !this.#message?.complete) this.fail(new TransportError('closed'));
      });
      wire.on('response', (message) => {
        if ((message.statusCode ?? 0) < 200) this.fail(new TransportError('strange'));
        else resolve(this.#begin(message));
      });
      wire.on('upgrade', (_, socket) => {
        socket.destroy();
        this.fail(new TransportError('strange'));
      });
      wire.on('socket', (socket) => {
        this.#socket = socket;
        this.#readBefore = socket.bytesRead;
        if (!socket.connecting) this.#onConnected(wire);
        else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => this.#onConnected(wire));
      });
      this.#timer = setTimeout(() => this.#onSilence(), this.#options.timeout);
      if (!body) wire.end();
      else if ('bytes' in body) wire.end(body.bytes);
    });
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    this.#finish();
    const reason = isHangUp(error) ? new TransportError('closed') : error;
    this.#error = reason;
    this.#reject?.(reason);
    this.#takeRest();
    this.#bodyStream.fail(reason);
    this.#wire?.destroy();
  }

  #onConnected(wire: ClientRequest): void {
    this.#connected = true;
    this.#timer?.refresh();
    const { body } = this.#request;
    // Not read before: it may be gone once it was.
    if (body && 'open' in body && !this.#ended) void this.#pump(body, wire);
  }

  async #pump(body: StreamBody, wire: ClientRequest): Promise<void> {
    this.#sending = true;
    let left = body.length ?? Number.POSITIVE_INFINITY;
    try {
      for await (const chunk of body.open()) {
        if (this.#ended) return;
        left -= chunk.length;
        // What went beyond the announced length would be taken for another request.
        if (left < 0) throw new TransportError('resized');
        if (!wire.write(chunk)) await drained(wire);
        this.#timer?.refresh();
      }
      if (left > 0 && left < Number.POSITIVE_INFINITY) throw new TransportError('resized');
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
    message.on('data', (chunk: Buffer) => {
      this.#timer?.refresh();
      this.#bodyStream.push(chunk);
    });
    message.on('end', () => this.#end());
    message.on('error', (error) => this.fail(error));
    return replyOf(this.#request, status, headers, this.#bodyStream);
  }

  /** What has come in good order before something went wrong is the reader's. */
  #takeRest(): void {
    const message = this.#message?.removeAllListeners('data');
    for (let chunk = message?.read(); chunk; chunk = message?.read()) this.#bodyStream.push(chunk as Buffer);
  }

  #onSilence(): void {
    // Whoever is to read, or to give what is sent, may take his time.
    const awaited = this.#connected && this.#sending && !this.#wire?.writableNeedDrain;
    if (this.#bodyStream.paused || awaited) this.#timer?.refresh();
    else this.fail(new TransportError(this.#connected ? 'silent' : 'unconnected'));
  }

  #end(): void {
    if (this.#ended) return;
    this.#finish();
    this.#bodyStream.end();
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
  return codeOf(error) === 'ECONNRESET' && error instanceof Error && !('syscall' in error);
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
