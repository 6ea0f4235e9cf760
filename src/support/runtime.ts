/** Facts about the runtime that executes the program: Node, or Bun in an executable. */
import type { Writable } from 'node:stream';

/** Bun does not wait at its end for threads that wait in the system, and its streams do not report how many bytes wait in them. */
export const isBun: boolean = process.versions['bun'] !== undefined;

/**
 * Watch the queue of a stream. The standard streams of Bun report an empty queue while bytes wait in it, so their writes are counted.
 * @returns a function that returns whether everything was written
 */
export function watchQueue(stream: Writable): () => boolean {
  if (!isBun) return () => stream.writableLength === 0;
  let pending = 0;
  const write = stream.write.bind(stream) as (
    chunk: unknown,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ) => boolean;
  stream.write = (chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
    const callback = typeof encoding === 'function' ? encoding : done;
    pending++;
    return write(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8', (error) => {
      pending--;
      if (typeof callback === 'function') callback(error);
    });
  };
  return () => pending === 0;
}

/**
 * Resolve when streams have reported the errors of writes that do not wait, such as a full disk. Node needs no turn of its event loop
 * for it, and V8 uses a turn to collect garbage.
 */
export const writesReported = (): Promise<void> =>
  new Promise((resolve) => void (isBun ? setImmediate(resolve) : process.nextTick(resolve)));
