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

/**
 * Appends to a file, in order. Lines that arrive within one turn or during a write are written and flushed together. After an error
 * every call fails with it, because a line could follow a part of another.
 */
export class Appender {
  readonly #handle: FileHandle;
  #end: number | undefined;
  #queued = '';
  #flushes = false;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** @param handle open for appending @param end bytes of complete lines; the first write cuts off the rest */
  constructor(handle: FileHandle, end?: number) {
    this.#handle = handle;
    this.#end = end;
  }

  /** Resolves when the text is written, and on the disk if `flush` is set. @throws the errors of the file system */
  append(text: string, flush = true): Promise<void> {
    this.#queued += text;
    this.#flushes ||= flush;
    this.#next ??= this.#running
      .then(() => setImmediate())
      .then(() => {
        this.#running = this.#write();
        return this.#running;
      });
    return this.#next;
  }

  async #write(): Promise<void> {
    const [text, flush] = [this.#queued, this.#flushes];
    this.#queued = '';
    this.#flushes = false;
    this.#next = undefined;
    if (this.#end !== undefined) await this.#handle.truncate(this.#end);
    this.#end = undefined;
    await this.#handle.appendFile(text);
    if (flush) await this.#handle.datasync();
  }

  /** Wait for all writes, flush them and close the file. @throws the errors of the file system */
  async close(): Promise<void> {
    try {
      await (this.#next ?? this.#running);
      await this.#handle.datasync();
    } finally {
      await this.#handle.close();
    }
  }
}
