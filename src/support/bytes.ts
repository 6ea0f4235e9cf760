import { constants, createReadStream, openSync, promises } from 'node:fs';
import type { Readable } from 'node:stream';
import { attempt } from './errno.ts';
import { jsonText } from './json.ts';
import { isBun } from './runtime.ts';
import { platform } from './system/platform.ts';

/** Bytes of a value that has no smaller limit. */
export const valueLimit = 100 * 1024 * 1024;

/**
 * Read the start of a stream.
 * @param limit bytes
 * @param onError gets the error of a stream that is interrupted. Unless it throws, the bytes before the error are returned
 */
export async function startOf(
  source: AsyncIterable<Uint8Array | string>,
  limit: number,
  onError = (error: unknown): void => {
    throw error;
  },
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of source) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      chunks.push(bytes);
      length += bytes.byteLength;
      if (length >= limit) break;
    }
  } catch (error) {
    onError(error);
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

/**
 * Read a stream to its end.
 * @param limit bytes
 * @param tooLarge the error to throw for more bytes than the limit
 */
export async function collect(
  source: AsyncIterable<Uint8Array | string>,
  limit = Number.POSITIVE_INFINITY,
  tooLarge: () => Error = () => new RangeError(`more than ${limit} bytes`),
): Promise<Buffer> {
  const bytes = await startOf(source, limit + 1);
  if (bytes.length > limit) throw tooLarge();
  return bytes;
}

export async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** A stream of JSON in one chunk. */
export const jsonStream = (value: unknown): AsyncGenerator<Uint8Array> => once(Buffer.from(jsonText(value)));

/** Decode UTF-8 and keep a byte order mark. @returns undefined for other bytes */
export function decode(bytes: Uint8Array): string | undefined {
  return attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** The first character that is not white space. */
export const firstCharacter = (bytes: Uint8Array): string | undefined =>
  /\S/.exec(Buffer.from(bytes).toString('latin1'))?.[0];

/** Read up to the first character that is not white space. @returns that character, and all bytes */
export async function peeked(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ first: string | undefined; body: AsyncIterable<Uint8Array> }> {
  const source = bytes[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let first: string | undefined;
  for (let next = await source.next(); !next.done; next = await source.next()) {
    held.push(next.value);
    first = firstCharacter(next.value);
    if (first !== undefined) break;
  }
  async function* body() {
    yield* held;
    yield* { [Symbol.asyncIterator]: () => source };
  }
  return { first, body: body() };
}

/**
 * Open a file for reading. On Linux a named pipe, such as `<(command)`, is read without the threads of Node: a thread that waits for
 * a silent writer would keep the process alive.
 * @throws the errors of the file system
 */
export async function openInput(file: string): Promise<Readable> {
  const isPipe = !isBun && platform === 'linux' && (await promises.stat(file)).isFIFO();
  if (!isPipe) return createReadStream(file, { highWaterMark: 256 * 1024 });
  const { Socket } = await import('node:net');
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
