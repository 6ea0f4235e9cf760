/** Temporary files and folders, and the removal of those that earlier runs left. */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

/** Create a file that only this user can read. @returns its path */
async function createPrivate(path: string, content: string | Uint8Array): Promise<string> {
  await writeFile(path, content, { mode: 0o600, flag: 'wx' });
  return path;
}

/**
 * Remove the private folders of runs that were killed. A suspended process does not update its lock, and a process in a container is
 * unknown here: each alone proves nothing.
 */
export function removePrivateFolders(): Promise<void> {
  return removeLeftovers(tmpdir(), (name, found) => {
    const [, pid] = /^svc-exec-(\d+)-[\da-f-]{36}$/.exec(name) ?? [];
    const isOwn = found.isDirectory() && found.uid === (process.geteuid?.() ?? found.uid);
    return pid !== undefined && isOwn && !isAlive(Number(pid));
  });
}

/**
 * Call a function with a folder that only this user can access and that is removed afterwards.
 * @param act gets a function that creates a file in a folder of its own, because names that differ only in case are one file on some systems
 */
export async function withPrivateFolder<T>(
  act: (create: (name: string, content: string) => Promise<string>) => Promise<T>,
): Promise<T> {
  const folder = resolve(tmpdir(), `svc-exec-${process.pid}-${randomUUID()}`);
  // A folder always has a lock, which its process keeps up to date.
  const lock = await acquireLock(`${folder}.lock`, 0);
  try {
    await mkdir(folder, { mode: 0o700 });
    return await act(async (name, content) =>
      createPrivate(join(await mkdtemp(join(folder, 'file-')), name), content),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
    lock.release();
  }
}

export type Draft = Awaited<ReturnType<typeof createDraft>>;

/**
 * Create a file that only this user can read, for a program, in a folder of its own. It stays until `remove`, because it can be the only copy
 * of the user's text.
 */
export async function createDraft(name: string, content: Uint8Array) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-edit-'));
  const path = await createPrivate(join(folder, name), content);
  return {
    path,
    read: () => readFile(path),
    /** Whether the folder has other files, such as the swap file of an editor. */
    hasOthers: async () => (await readdir(folder)).length > 1,
    /** Write another file in the folder. @param ending follows the path of the draft @returns its path */
    add: (ending: string, bytes: Uint8Array) => createPrivate(`${path}${ending}`, bytes),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
