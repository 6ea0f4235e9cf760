/** An answer's body on its way from a transport to its reader. */

import type { Header, Reply, Request } from '../transport.ts';
import { decoded } from './encoding.ts';

/** Bytes that wait for their reader before the connection is paused. */
const highWater = 512 * 1024;
/** Bytes of an unwanted body that are read to keep its connection; a longer one is cut. */
const drainLimit = 64 * 1024;

/** What a transport does with its connection when the reader asks. */
export interface FlowControl {
  pause(): void;
  resume(): void;
  /** The connection is given up. */
  cut(): void;
}

/** A transport pushes on one side; on the other stands an async iterator, with a bounded queue in between. */
export class BodyStream implements AsyncIterableIterator<Uint8Array> {
  readonly #flow: FlowControl;
  /** What a reader is told of an error. */
  readonly #told: (error: unknown) => unknown;
  readonly #chunks: Uint8Array[] = [];
  #queued = 0;
  #paused = false;
  #ended = false;
  /** Bytes that nobody wanted; undefined while they are wanted. */
  #dropped: number | undefined;
  #error: unknown;
  #reader:
    | { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: unknown) => void }
    | undefined;

  constructor(flow: FlowControl, told: (error: unknown) => unknown) {
    this.#flow = flow;
    this.#told = told;
  }

  /** Whether the connection stands still because of the reader. */
  get paused(): boolean {
    return this.#paused;
  }

  push(chunk: Uint8Array): void {
    // A parser that is let go on may give one: it is no reason to pause again.
    if (chunk.length === 0) return;
    if (this.#dropped !== undefined) {
      this.#dropped += chunk.length;
      if (this.#dropped > drainLimit) this.#flow.cut();
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
      this.#flow.pause();
    }
  }

  end(): void {
    this.#ended = true;
    this.#reader?.resolve({ done: true, value: undefined });
    this.#reader = undefined;
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#reader?.reject(this.#told(error));
    this.#reader = undefined;
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
    if (this.#error !== undefined) throw this.#told(this.#error);
    if (this.#ended) return { done: true, value: undefined };
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** The reader wants no more: the connection is given up. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#dropped = 0;
    this.#chunks.length = 0;
    if (!this.#ended) this.#flow.cut();
    return { done: true, value: undefined };
  }

  /** Nobody wants the rest: a short one is read, so that its connection can be used again. */
  drain(): void {
    if (this.#dropped !== undefined) return;
    this.#dropped = this.#queued;
    this.#chunks.length = 0;
    if (this.#ended) return;
    if (this.#dropped > drainLimit) this.#flow.cut();
    else if (this.#paused) this.#resume();
  }

  #resume(): void {
    this.#paused = false;
    this.#flow.resume();
  }
}

/** The answer to a request, with what flows in for its body. */
export function replyOf(
  { method, url }: Request,
  status: number,
  headers: readonly Header[],
  bodyStream: BodyStream,
): Reply {
  const empty = method === 'HEAD' || status === 204 || status === 304;
  return {
    status,
    headers,
    url,
    body: empty ? bodyStream : decoded(bodyStream, headers, { method, url, status }),
    discard: async () => bodyStream.drain(),
  };
}
