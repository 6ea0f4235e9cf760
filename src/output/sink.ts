import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { errorCode, isClosedPipe } from '../support/errno.ts';
import { isTurnDue, turn } from './turn.ts';

export type Filter = (piece: Uint8Array | string) => Uint8Array | string;

/**
 * Writes to a stream with backpressure. `write` and `settle` throw an Error with code EPIPE if the reader closed the pipe,
 * and any other error of the stream (ENOSPC, EIO) unchanged.
 */
export class Sink {
  readonly #out: Writable;
  readonly #filter: Filter | undefined;
  readonly #file: number | undefined;
  #failure: Error | undefined;
  /** Writes that the stream has not confirmed. */
  #pending = 0;
  #listening = false;
  #wake = (): void => {};

  constructor(out: Writable, filter?: Filter) {
    this.#out = out;
    this.#filter = filter;
    this.#file = fileBehind(out);
  }

  async write(all: readonly (Uint8Array | string)[]): Promise<void> {
    const pieces = this.#filter ? all.map(this.#filter) : all;
    if (isTurnDue()) await turn();
    this.#listen();
    this.#check();
    if (this.#file !== undefined && this.#out.writableLength === 0) {
      writeToFile(this.#file, pieces);
      return;
    }
    let hasRoom = true;
    this.#out.cork();
    for (const piece of pieces) if (piece.length > 0) hasRoom = this.#put(piece) && hasRoom;
    this.#out.uncork();
    if (!hasRoom) await this.#until(() => this.#pending === 0);
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

  /** Resolve when everything written has left the process. */
  async settle(): Promise<void> {
    await this.#until(() => this.#pending === 0);
    this.#check();
    // After a failure the listeners stay, because the stream may still emit `error`.
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

/** Copy bytes unchanged to a stream. Throws the errors of `Sink` and of reading `body`. */
export async function writeAll(body: AsyncIterable<Uint8Array>, out: Writable): Promise<void> {
  await passBytes(body, new Sink(out));
}

export async function passBytes(body: AsyncIterable<Uint8Array>, sink: Sink): Promise<void> {
  for await (const chunk of body) await sink.write([chunk]);
  await sink.settle();
}

function isGone(error: Error): boolean {
  return isClosedPipe(error) || errorCode(error) === 'ERR_STREAM_DESTROYED';
}

function brokenPipe(cause?: Error): Error {
  return Object.assign(new Error('the reader of standard output closed the pipe', { cause }), {
    code: 'EPIPE',
  });
}

/**
 * Return the descriptor of a stream to a file, or to a device other than a terminal; undefined for a pipe, a terminal or
 * any other stream.
 */
export function fileBehind(out: object): number | undefined {
  if (!('fd' in out) || typeof out.fd !== 'number' || ('isTTY' in out && out.isTTY)) return undefined;
  const stat = fstatSync(out.fd);
  return stat.isFile() || stat.isCharacterDevice() ? out.fd : undefined;
}

/**
 * Write all pieces to a file. Node's stream does not notice partial writes on a full disk.
 * @param write for tests: writes a part and returns its length
 * @throws the system error: ENOSPC, EIO
 */
export function writeToFile(
  fd: number,
  pieces: readonly (Uint8Array | string)[],
  write: (fd: number, bytes: Uint8Array) => number = writeSync,
): void {
  for (const piece of pieces) {
    let rest = typeof piece === 'string' ? Buffer.from(piece) : piece;
    while (rest.length > 0) rest = rest.subarray(write(fd, rest));
  }
}
