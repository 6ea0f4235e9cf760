/**
 * Replace files atomically: readers see the old or the new content, also after a crash. The content goes to a temporary file, which is
 * renamed when it is complete and removed on failure.
 */
import { promises, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './errno.ts';
import { platform } from './system/platform.ts';

/** Fails for an existing file or link, which another user may have planted. */
const create = 'wx+';

export interface Replacement {
  /** Path of the temporary file, on the same file system. It must not exist. */
  readonly draft?: string;
  /** Default 0600. */
  readonly mode?: number;
  /** Flush the content and the new name to the disk. */
  readonly durable?: boolean;
  /** Move the temporary file into place. Default: rename it, which overwrites an existing file. */
  readonly place?: (draft: string, file: string) => Promise<void>;
}

/**
 * Replace a file with what `write` writes to the temporary file. Threads of one process may replace the same file at the same time.
 * @throws the errors of the file system, of `write` and of `place`
 */
export async function replaceFile<T>(
  file: string,
  write: (handle: promises.FileHandle) => Promise<T>,
  { draft = `${file}.${crypto.randomUUID()}`, mode = 0o600, durable, place = renameFile }: Replacement = {},
): Promise<T> {
  const handle = await promises.open(draft, create, mode);
  try {
    let result: T;
    try {
      result = await write(handle);
      if (durable) await handle.datasync();
    } finally {
      await handle.close();
    }
    await place(draft, file);
    // Windows cannot open folders, and does not need the flush.
    const folder = durable && (await promises.open(dirname(file), 'r').catch(() => undefined));
    if (folder) await folder.sync().finally(() => folder.close());
    return result;
  } catch (error) {
    await promises.rm(draft, { force: true });
    throw error;
  }
}

/**
 * Replace a file at once. The name of the temporary file has the process id, so that killed processes leave few of them.
 * @throws the errors of the file system
 */
export function replaceFileSync(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${process.pid}`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, content, { flag: create, mode: 0o600 });
    renameFileSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Rename a file over another. On Windows this fails while another process, such as a virus scanner, has one of them open, so it is tried
 * again for about a second.
 * @throws the errors of the file system
 */
export function renameFileSync(from: string, to: string, longestWait = platform === 'win32' ? 640 : 0): void {
  for (let wait = 10; ; wait *= 2) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (wait > longestWait || !['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '')) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
  }
}

/** The same, for callers that expect a promise. */
export const renameFile = async (from: string, to: string): Promise<void> => renameFileSync(from, to);
