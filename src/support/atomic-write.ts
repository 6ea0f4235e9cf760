/**
 * Replace files atomically: readers see the old or the new content, also after a crash. The content goes to a temporary file, which is
 * renamed when it is complete and removed on failure.
 */
import fs from 'node:fs';
import path from 'node:path';
import { renameFile, renameFileSync } from './system/rename.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDWR } = fs.constants;

/** Never opens an existing file or link, which another user may have planted. */
const create = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;

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

/** Threads of one process may replace the same file at the same time. */
const draftOf = (file: string): string => `${file}.${crypto.randomUUID()}`;

/**
 * Create a file in place of another one. Processes may do this at the same time: each keeps its own file. The name of the temporary file
 * has the process id, so that killed processes leave few of them.
 * @returns the file descriptor, for reading and writing
 * @throws the errors of the file system
 */
export function createOverSync(file: string, content: string | Uint8Array = ''): number {
  const draft = `${file}.${process.pid}`;
  const handle = createSync(draft);
  try {
    fs.writeFileSync(handle, content);
    renameFileSync(draft, file);
    return handle;
  } catch (error) {
    fs.closeSync(handle);
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Create a file. An existing file or link is removed first.
 * @returns the file descriptor
 * @throws the errors of the file system
 */
export function createSync(file: string, mode = 0o600): number {
  fs.rmSync(file, { force: true });
  return fs.openSync(file, create, mode);
}

/**
 * Replace a file with what `write` writes to the temporary file.
 * @returns the result of `write`
 * @throws the errors of the file system, of `write` and of `place`
 */
export async function replaceFile<T>(
  file: string,
  write: (handle: fs.promises.FileHandle) => Promise<T>,
  { draft = draftOf(file), mode = 0o600, durable = false, place = renameFile }: Replacement = {},
): Promise<T> {
  const handle = await fs.promises.open(draft, create, mode);
  try {
    let result: T;
    try {
      result = await write(handle);
      if (durable) await handle.datasync();
    } finally {
      await handle.close();
    }
    await place(draft, file);
    if (durable) await syncFolder(path.dirname(file));
    return result;
  } catch (error) {
    await fs.promises.rm(draft, { force: true });
    throw error;
  }
}

/** Replace a file at once. @throws the errors of the file system */
export function replaceFileSync(file: string, content: string | Uint8Array): void {
  fs.closeSync(createOverSync(file, content));
}

/** Flush the entries of a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and does not need the flush.
  const handle = await fs.promises.open(folder, 'r').catch(() => undefined);
  if (!handle) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
