/** Temporary files and folders, and the removal of those that earlier runs left. */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../process.ts';
import { acquireLock } from '../waiting/lock.ts';

/**
 * Remove the files and folders in a folder that earlier runs left and whose lock no process holds. Errors are ignored: the next run tries
 * again.
 */
export async function removeLeftovers(
  folder: string,
  isLeftover: (name: string, found: Stats, path: string) => boolean | Promise<boolean>,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const check = async () => isLeftover(name, await lstat(path), path);
    try {
      if (!(await check())) continue;
      const lock = await acquireLock(`${path}.lock`, 0);
      try {
        // Another process may have used it meanwhile.
        if (await check()) await rm(path, { recursive: true });
      } finally {
        lock.release();
      }
    } catch {}
  }
}

const folderName = /^svc-exec-(\d+)-[\da-f-]{36}$/;

/** Call a function with a folder that only this user can access. It is removed afterwards. */
export async function withPrivateFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(tmpdir(), `svc-exec-${process.pid}-${randomUUID()}`);
  // A folder always has a lock, which its process keeps up to date.
  const lock = await acquireLock(`${folder}.lock`, 0);
  try {
    await mkdir(folder, { mode: 0o700 });
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    lock.release();
  }
}

/**
 * Remove the private folders of runs that were killed. A suspended process does not update its lock, and a process in a container is
 * unknown here: each alone proves nothing.
 */
export function removePrivateFolders(): Promise<void> {
  return removeLeftovers(tmpdir(), (name, found) => {
    const [, pid] = folderName.exec(name) ?? [];
    const isOwn = found.isDirectory() && found.uid === (process.geteuid?.() ?? found.uid);
    return pid !== undefined && isOwn && !isAlive(Number(pid));
  });
}

/** Create a file in a private folder, within a folder of its own: names that differ only in case are one file on some systems. @returns its path */
export async function createPrivateFile(
  folder: string,
  index: number,
  name: string,
  content: string,
): Promise<string> {
  const own = join(folder, String(index));
  await mkdir(own, { mode: 0o700 });
  const path = join(own, name);
  await writeFile(path, content, { mode: 0o600, flag: 'wx' });
  return path;
}

/** A file in a folder of its own that stays until `remove`, because it can be the only copy of the user's text. */
export interface Draft {
  readonly path: string;
  read(): Promise<Buffer>;
  /** Write another file in the folder. @param ending follows the path of the draft @returns its path */
  add(ending: string, content: Uint8Array): Promise<string>;
  remove(): Promise<void>;
}

/** Create a file that only this user can read, for a program. */
export async function createDraft(name: string, content: Uint8Array): Promise<Draft> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-edit-'));
  const path = join(folder, name);
  const add = async (ending: string, bytes: Uint8Array) => {
    await writeFile(`${path}${ending}`, bytes, { mode: 0o600, flag: 'wx' });
    return `${path}${ending}`;
  };
  await add('', content);
  return {
    path,
    read: () => readFile(path),
    add,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
