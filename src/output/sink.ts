import type { Writable } from 'node:stream';
import { fileBehind, writeToFile } from './file.ts';
import { isTurnDue, turn } from './turn.ts';

export type Shown = (piece: Uint8Array | string) => Uint8Array | string;

/**
 * Writes to a stream no faster than it takes. A reader that went away is an Error with the code EPIPE; any other error
 * of the stream (ENOSPC, EIO) is thrown as it is, by the `write` or the `settle` that learns of it.
 */
export class Sink {
  readonly #out: Writable;
  readonly #shown: Shown | undefined;
  readonly #file: number | undefined;
  #failure: Error | undefined;
  /** Writes that the stream has not confirmed. */
  #pending = 0;
  #listening = false;
  #wake = (): void => {};

  /** @param shown changes each piece on its way to a terminal */
  constructor(out: Writable, shown?: Shown) {
    this.#out = out;
    this.#shown = shown;
    this.#file = fileBehind(out);
  }

  /** Write some pieces as one. Resolves when the stream can take more. */
  write(...pieces: readonly (Uint8Array | string)[]): Promise<void> {
    return this.writeAll(pieces);
  }

  /** The same for any number of pieces: a call takes some 100,000 arguments at most. */
  async writeAll(given: readonly (Uint8Array | string)[]): Promise<void> {
    const pieces = this.#shown ? given.map(this.#shown) : given;
    if (isTurnDue()) await turn();
    this.#listen();
    this.#check();
    if (this.#file !== undefined && this.#out.writableLength === 0) {
      writeToFile(this.#file, pieces);
      return;
    }
    let roomy = true;
    this.#out.cork();
    for (const piece of pieces) if (piece.length > 0) roomy = this.#put(piece) && roomy;
    this.#out.uncork();
    // What has been taken already is told of a turn later.
    const taken = this.#out.writableLength === 0 && !this.#out.errored;
    if (!roomy && !taken) await this.#until(() => !this.#out.writableNeedDrain);
    this.#check();
  }

  #put(piece: Uint8Array | string): boolean {
    this.#pending++;
    return this.#out.write(piece, (error) => {
      this.#pending--;
      if (error) this.#fail(error);
      this.#wake();
    });
  }

  /** Resolves when all that was written has left this process. */
  async settle(): Promise<void> {
    await this.#until(() => this.#pending === 0);
    this.#check();
    // After a failure the listeners stay: the stream's own `error` event may still be on its way.
    this.#out.off('error', this.#fail).off('close', this.#closed);
    this.#listening = false;
  }

  async #until(ready: () => boolean): Promise<void> {
    while (!ready() && !this.#failure && !this.#out.destroyed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    this.#out.on('error', this.#fail).on('close', this.#closed);
  }

  readonly #fail = (error: Error): void => {
    this.#failure ??= error;
    this.#wake();
  };

  readonly #closed = (): void => this.#wake();

  #check(): void {
    const failure = this.#failure ?? this.#out.errored;
    if (failure) throw isGone(failure) ? brokenPipe(failure) : failure;
    if (this.#out.destroyed) throw brokenPipe();
  }
}

/** Bytes as they are, from one stream to another. Throws as `Sink` does, and whatever reading throws. */
export async function writeAll(body: AsyncIterable<Uint8Array>, out: Writable): Promise<void> {
  await passBytes(body, new Sink(out));
}

/** Bytes as they are. */
export async function passBytes(body: AsyncIterable<Uint8Array>, sink: Sink): Promise<void> {
  for await (const chunk of body) await sink.write(chunk);
  await sink.settle();
}

function isGone(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');
}

function brokenPipe(cause?: Error): Error {
  return Object.assign(new Error('the reader of standard output went away', { cause }), { code: 'EPIPE' });
}
