/** One request over undici, and its answer. */
import type { Dispatcher } from 'undici';
import { BodyStream, replyOf } from '../body/stream.ts';
import { type Attempt, networkFailure } from '../errors/network.ts';
import type { Header, Reply, Request } from '../transport.ts';
import type { ProxiedOptions } from './transport.ts';

/** Undici's handler: the answer's body goes into an BodyStream. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: Request;
  readonly #options: ProxiedOptions;
  readonly #onEnd: () => void;
  readonly #bodyStream: BodyStream;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: { resolve: (reply: Reply) => void; reject: (error: unknown) => void } | undefined;
  #begun = false;
  readonly #onAbort = () => this.#abort(this.#options.signal?.reason);

  /** @param onEnd called once nothing more will come */
  constructor(request: Request, options: ProxiedOptions, onEnd: () => void) {
    this.#request = request;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#bodyStream = new BodyStream(
      {
        pause: () => this.#controller?.pause(),
        resume: () => this.#controller?.resume(),
        cut: () => this.#abort(new Error('not wanted')),
      },
      (error) => (this.#isAborted(error) ? error : networkFailure(error, this.attempt())),
    );
  }

  /** What was tried so far, for the words of a failure. */
  attempt(): Attempt {
    const { method, url } = this.#request;
    const { timeout, proxy } = this.#options;
    return { method, url, timeout, proxy, begun: this.#begun };
  }

  /** Send the request; resolves with the answer once its headers are there. */
  start(dispatcher: Dispatcher, origin: string): Promise<Reply> {
    const { method, url, body } = this.#request;
    const { timeout, signal } = this.#options;
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

  /** Whether the reader keeps the parser from going on. */
  get paused(): boolean {
    return this.#bodyStream.paused;
  }

  /** Go on reading, however much the reader has before him. */
  flow(): void {
    this.#controller?.resume();
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
    this.#answer?.resolve(replyOf(this.#request, status, headers, this.#bodyStream));
    this.#answer = undefined;
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
    this.#answer?.reject(reason);
    this.#answer = undefined;
    this.#bodyStream.fail(reason);
  }

  #abort(reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    if (this.#controller) this.#controller.abort(error);
    // Not connected yet: undici has nothing to abort.
    else this.#answer?.reject(error);
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
