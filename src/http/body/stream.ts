/** The body of a response on its way from a transport to its reader. */

/** Queued bytes at which the connection is paused. */
const highWater = 512 * 1024;
/** A shorter discarded body is read so that its connection can be reused; for a longer one the connection is closed. */
const discardLimit = 64 * 1024;

interface ConnectionControl {
  pause(): void;
  resume(): void;
  fail(error: Error): void;
  toFailure(error: unknown): unknown;
}

/** A bounded queue: a transport pushes chunks, and the reader iterates over them. */
export class BodyStream implements AsyncIterableIterator<Uint8Array> {
  readonly #connection: ConnectionControl;
  readonly #chunks: Uint8Array[] = [];
  #queued = 0;
  /** Whether the connection is paused because the reader is slow. */
  paused = false;
  #ended = false;
  /** Number of discarded bytes; undefined unless the body is discarded. */
  #discarded: number | undefined;
  #error: unknown;
  #reader:
    | { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: unknown) => void }
    | undefined;

  constructor(connection: ConnectionControl) {
    this.#connection = connection;
  }

  push(chunk: Uint8Array): void {
    // A resumed parser may push an empty chunk; it must not pause the connection again.
    if (chunk.length === 0) return;
    if (this.#discarded !== undefined) {
      this.#discarded += chunk.length;
      if (this.#discarded > discardLimit) this.#connection.fail(new Error('the body is not needed'));
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
      this.paused = true;
      this.#connection.pause();
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
    this.#reader?.reject(this.#connection.toFailure(error));
    this.#reader = undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const value = this.#chunks.shift();
    if (value) {
      this.#queued -= value.length;
      if (this.paused && this.#queued < highWater / 2) this.#resume();
      return { done: false, value };
    }
    if (this.#error !== undefined) throw this.#connection.toFailure(this.#error);
    if (this.#ended) return { done: true, value: undefined };
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** The reader stops early: close the connection. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#discarded = 0;
    this.#chunks.length = 0;
    if (!this.#ended) this.#connection.fail(new Error('the body is not needed'));
    return { done: true, value: undefined };
  }

  discard(): void {
    if (this.#discarded !== undefined) return;
    this.#discarded = this.#queued;
    this.#chunks.length = 0;
    if (this.#ended) return;
    if (this.#discarded > discardLimit) this.#connection.fail(new Error('the body is not needed'));
    else if (this.paused) this.#resume();
  }

  #resume(): void {
    this.paused = false;
    this.#connection.resume();
  }
}
