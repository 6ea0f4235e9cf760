/** Folders for the files of a program, which are removed when it ends, or by a later run if svc was killed. */
import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../support/process.ts';
import { acquireLock } from '../../support/waiting/lock.ts';

const ownName = /^svc-exec-(\d+)-[\da-f-]{36}$/;

/** Call a function with a folder that only this user can access. */
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

/** Remove the folders of runs that were killed. Errors are ignored: the next run tries again. */
export async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) await removeIfAbandoned(name).catch(() => {});
}

/** A suspended process does not update its lock, and a process in a container is unknown here: each alone proves nothing. */
async function removeIfAbandoned(name: string): Promise<void> {
  const [, pid] = ownName.exec(name) ?? [];
  if (pid === undefined || isAlive(Number(pid))) return;
  const folder = join(tmpdir(), name);
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== (process.geteuid?.() ?? found.uid)) return;
  const lock = await acquireLock(`${folder}.lock`, 0);
  await rm(folder, { recursive: true, force: true }).finally(lock.release);
}
