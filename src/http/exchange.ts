/** One request over undici, and its answer. */
import type { Dispatcher } from 'undici';
import { Failure } from '../errors.ts';
import { decoded } from './encoding.ts';
import { type Attempt, networkFailure } from './failures.ts';
import type { Header, Reply, Request, TransportOptions } from './transport.ts';

/** Bytes of a body that wait for their reader before the socket is paused. */
const highWater = 512 * 1024;
/** Bytes of an unwanted body that are read to keep its connection; a longer one is cut. */
const drainLimit = 64 * 1024;

/** Undici's handler on one side, an async iterator with a bounded queue on the other. */
export class Exchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array> {
  readonly #request: Request;
  readonly #options: TransportOptions;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: { resolve: (reply: Reply) => void; reject: (error: unknown) => void } | undefined;
  #begun = false;
  readonly #chunks: Uint8Array[] = [];
  #queued = 0;
  #paused = false;
  #ended = false;
  #dropped: number | undefined;
  #error: unknown;
  #reader:
    | { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: unknown) => void }
    | undefined;
  readonly #onAbort = () => this.#abort(this.#options.signal?.reason);

  constructor(request: Request, options: TransportOptions) {
    this.#request = request;
    this.#options = options;
  }

  /** What was tried so far, for the words of a failure. */
  attempt(): Attempt {
    const { method, url } = this.#request;
    return {
      method,
      url,
      timeout: this.#options.timeout,
      proxy: this.#options.proxy,
      begun: this.#begun,
    };
  }

  /**
   * Send the request; resolves with the answer once its headers are there.
   * @throws the signal's reason, also where it was given while the dispatcher was made: no event tells of it any more
   */
  start(dispatcher: Dispatcher, origin: string): Promise<Reply> {
    const { method, url, body } = this.#request;
    const { timeout, signal } = this.#options;
    signal?.throwIfAborted();
    const headers = this.#request.headers.flat();
    if (body && 'open' in body && body.length !== undefined)
      headers.push('content-length', String(body.length));
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject };
      dispatcher.dispatch(
        {
          origin,
          // Cut out of the text: a URL parser would fold `%2e%2e` away.
          path: url.slice(origin.length) || '/',
          method: method as Dispatcher.HttpMethod,
          headers,
          body: body ? ('open' in body ? (body.open() as unknown as Buffer) : Buffer.from(body.bytes)) : null,
          headersTimeout: timeout,
          bodyTimeout: timeout,
        },
        this,
      );
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#options.signal?.aborted) controller.abort(this.#options.signal.reason);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    this.#begun = true;
    const raw = controller.rawHeaders as readonly Buffer[];
    const headers: Header[] = [];
    for (let i = 0; i + 1 < raw.length; i += 2) {
      headers.push([raw[i]!.toString('latin1').toLowerCase(), raw[i + 1]!.toString('latin1')]);
    }
    const { method, url } = this.#request;
    const empty = method === 'HEAD' || status === 204 || status === 304;
    this.#answer?.resolve({
      status,
      headers,
      url,
      body: empty ? this : decoded(this, headers, { method, url, status }),
      discard: async () => this.#drain(),
    });
    this.#answer = undefined;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#dropped !== undefined) {
      this.#dropped += chunk.length;
      if (this.#dropped > drainLimit) this.#abort(new Error('not wanted'));
      return;
    }
    if (this.#reader) {
      const { resolve } = this.#reader;
      this.#reader = undefined;
      resolve({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#queued += chunk.length;
    if (this.#queued >= highWater) {
      this.#paused = true;
      controller.pause();
    }
  }

  onResponseEnd(): void {
    this.#finish();
    this.#reader?.resolve({ done: true, value: undefined });
    this.#reader = undefined;
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish();
    this.#error = this.#options.signal?.aborted ? this.#options.signal.reason : error;
    if (this.#answer) {
      this.#answer.reject(this.#error);
      this.#answer = undefined;
    } else if (this.#reader) {
      this.#reader.reject(this.#failure());
      this.#reader = undefined;
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const value = this.#chunks.shift();
    if (value) {
      this.#queued -= value.length;
      if (this.#paused && this.#queued < highWater / 2) this.#resume();
      return { done: false, value };
    }
    if (this.#error !== undefined) throw this.#failure();
    if (this.#ended) return { done: true, value: undefined };
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** The reader wants no more: the connection is given up. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#dropped = 0;
    this.#chunks.length = 0;
    if (!this.#ended) this.#abort(new Error('not wanted'));
    return { done: true, value: undefined };
  }

  #drain(): void {
    if (this.#dropped !== undefined) return;
    this.#dropped = this.#queued;
    this.#chunks.length = 0;
    if (this.#ended) return;
    if (this.#dropped > drainLimit) this.#abort(new Error('not wanted'));
    else if (this.#paused) this.#resume();
  }

  #resume(): void {
    this.#paused = false;
    this.#controller?.resume();
  }

  #abort(reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    if (this.#controller) this.#controller.abort(error);
    // Not connected yet: undici has nothing to abort.
    else this.#answer?.reject(error);
  }

  #finish(): void {
    this.#ended = true;
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }

  #failure(): unknown {
    const aborted = this.#options.signal?.aborted && this.#error === this.#options.signal.reason;
    return aborted || this.#error instanceof Failure
      ? this.#error
      : networkFailure(this.#error, this.attempt());
  }
}
