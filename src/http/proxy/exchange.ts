/** One request sent by undici, with its response. */
import type { Dispatcher } from 'undici';
import { BodyStream, replyOf } from '../body/stream.ts';
import { networkFailure } from '../errors/network.ts';
import type { Attempt } from '../errors/network-texts.ts';
import { headersFrom, type ProxiedOptions, pathWithin, type Reply, type Request } from '../transport.ts';

/** The handler that undici calls during a request. */
export class ProxiedExchange implements Dispatcher.DispatchHandler {
  readonly #request: Request;
  readonly #options: ProxiedOptions;
  readonly #onEnd: () => void;
  readonly #bodyStream: BodyStream;
  #controller: Dispatcher.DispatchController | undefined;
  /** Settles the promise of `start`; undefined once it is settled. */
  #pending: { resolve: (reply: Reply) => void; reject: (error: unknown) => void } | undefined;
  #hasResponse = false;
  readonly #onAbort = () => this.#abort(this.#options.signal?.reason);

  /** @param onEnd called when the exchange is complete or has failed */
  constructor(request: Request, options: ProxiedOptions, onEnd: () => void) {
    this.#request = request;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#bodyStream = new BodyStream(
      {
        pause: () => this.#controller?.pause(),
        resume: () => this.#controller?.resume(),
        close: () => this.#abort(new Error('the body is not needed')),
      },
      (error) => (this.#isAborted(error) ? error : networkFailure(error, this.attempt())),
    );
  }

  /** The state of the request, for the text of a failure. */
  attempt(): Attempt {
    const { method, url } = this.#request;
    const { timeout, proxy } = this.#options;
    return { method, url, timeout, proxy, hasResponse: this.#hasResponse };
  }

  /** Send the request. Resolves when the response headers have arrived. */
  start(dispatcher: Dispatcher, origin: string): Promise<Reply> {
    const { method, url, body } = this.#request;
    const { timeout, signal } = this.#options;
    const headers = this.#request.headers.flat();
    if (body && 'open' in body && body.length !== undefined)
      headers.push('content-length', String(body.length));
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      dispatcher.dispatch(
        {
          origin,
          path: pathWithin(url, origin),
          method: method as Dispatcher.HttpMethod,
          headers,
          // undici accepts any async iterable; its types do not say so.
          body: body ? ('open' in body ? (body.open() as unknown as Buffer) : Buffer.from(body.bytes)) : null,
          headersTimeout: timeout,
          bodyTimeout: timeout,
        },
        this,
      );
    });
  }

  /** Whether the parser waits for the reader of the body. */
  get paused(): boolean {
    return this.#bodyStream.paused;
  }

  /** Resume the parser, even if much data is unread. */
  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { signal } = this.#options;
    if (signal?.aborted && signal.reason) controller.abort(signal.reason);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    this.#hasResponse = true;
    const headers = headersFrom(Array.isArray(controller.rawHeaders) ? controller.rawHeaders : []);
    this.#pending?.resolve(replyOf(this.#request, status, headers, this.#bodyStream));
    this.#pending = undefined;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyStream.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
    this.#bodyStream.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish();
    const reason = this.#options.signal?.aborted ? this.#options.signal.reason : error;
    this.#pending?.reject(reason);
    this.#pending = undefined;
    this.#bodyStream.fail(reason);
  }

  #abort(reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    if (this.#controller) this.#controller.abort(error);
    // undici cannot abort a request before it is connected.
    else this.#pending?.reject(error);
  }

  #finish(): void {
    this.#onEnd();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }

  #isAborted(error: unknown): boolean {
    const { signal } = this.#options;
    return signal?.aborted === true && error === signal.reason;
  }
}
