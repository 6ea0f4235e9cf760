/** Files to which lines are appended, and which survive a crash. */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { appendFlags } from './system/user-file.ts';

/** Return the complete lines without line feeds, and their length in bytes. A crash can leave a part of a line after them. */
export function completeLines(bytes: Buffer): { readonly lines: Buffer[]; readonly end: number } {
  const lines: Buffer[] = [];
  let end = 0;
  for (let next = bytes.indexOf(10); next >= 0; next = bytes.indexOf(10, end)) {
    lines.push(bytes.subarray(end, next));
    end = next + 1;
  }
  return { lines, end };
}

/** Read the complete lines of a file. @throws the errors of the file system */
export async function readCompleteLines(path: string) {
  const bytes = await readFile(path);
  return { ...completeLines(bytes), size: bytes.length };
}

/**
 * Open a file that the user names, with its size in bytes. A new one has mode 0600.
 * @throws UnsuitableFile, and the errors of the file system
 */
export async function openForAppending(path: string) {
  const handle = await open(path, appendFlags(path), 0o600);
  return { handle, size: (await handle.stat()).size };
}

export type Appender = ReturnType<typeof appendTo>;

/**
 * Append to a file, in order. Lines that arrive within one turn or during a write are written and flushed together. After an error every
 * call fails with it, because a line could follow a part of another.
 * @param handle open for appending
 * @param end bytes of complete lines; the first write cuts off the rest
 */
export function appendTo(handle: FileHandle, end?: number) {
  let kept = end;
  let queued = '';
  let flushes = false;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    const [text, flush] = [queued, flushes];
    queued = '';
    flushes = false;
    next = undefined;
    if (kept !== undefined) await handle.truncate(kept);
    kept = undefined;
    await handle.appendFile(text);
    if (flush) await handle.datasync();
  };
  return {
    /** Resolves when the text is written, and on the disk if `flush` is set. @throws the errors of the file system */
    append(text: string, flush = true): Promise<void> {
      queued += text;
      flushes ||= flush;
      next ??= running
        .then(() => setImmediate())
        .then(() => {
          running = write();
          return running;
        });
      return next;
    },
    /** Wait for all writes, flush them and close the file. @throws the errors of the file system */
    async close(): Promise<void> {
      try {
        await (next ?? running);
        await handle.datasync();
      } finally {
        await handle.close();
      }
    },
  };
}
