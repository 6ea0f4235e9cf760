import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { errorCode, isClosedPipe } from '../support/errno.ts';
import { isTurnDue, turn } from './turn.ts';

export type Filter = (piece: Uint8Array | string) => Uint8Array | string;

/**
 * Writes to a stream with backpressure. `write` resolves when the bytes have left the process. It throws an Error with code EPIPE if the
 * reader closed the pipe, and any other error of the stream (ENOSPC, EIO) unchanged.
 */
export class Sink {
  readonly #out: Writable;
  readonly #filter: Filter | undefined;
  readonly #file: number | undefined;

  constructor(out: Writable, filter?: Filter) {
    this.#out = out;
    this.#filter = filter;
    this.#file = fileBehind(out);
  }

  async write(all: readonly (Uint8Array | string)[]): Promise<void> {
    const pieces = (this.#filter ? all.map(this.#filter) : all).filter(({ length }) => length > 0);
    if (isTurnDue()) await turn();
    if (this.#file !== undefined && this.#out.writableLength === 0) writeToFile(this.#file, pieces);
    else if (pieces.length > 0) await writeToStream(this.#out, pieces);
  }
}

/** After a failure, a stream may emit `error` again. */
const ignore = (): void => {};

function writeToStream(out: Writable, pieces: readonly (Uint8Array | string)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => end(brokenPipe());
    const end = (error?: Error | null) => {
      const failure = out.errored ?? error;
      out.off('close', closed).off('error', end);
      if (!failure) return resolve();
      if (!out.listeners('error').includes(ignore)) out.on('error', ignore);
      reject(isGone(failure) ? brokenPipe(failure) : failure);
    };
    out.on('error', end).on('close', closed);
    out.cork();
    for (const [at, piece] of pieces.entries()) out.write(piece, at === pieces.length - 1 ? end : undefined);
    out.uncork();
  });
}

/** Copy bytes unchanged to a stream. Throws the errors of `Sink` and of reading `body`. */
export async function writeAll(body: AsyncIterable<Uint8Array>, out: Writable): Promise<void> {
  await passBytes(body, new Sink(out));
}

export async function passBytes(body: AsyncIterable<Uint8Array>, sink: Sink): Promise<void> {
  for await (const chunk of body) await sink.write([chunk]);
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
