/** Locks between processes: a file that one process at a time can create. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, errorCode } from '../errno.ts';
import { isAlive, processNamespace } from '../process.ts';
import { platform } from '../system/platform.ts';

/** Milliseconds between two updates of the time of a lock. */
const heartbeat = 2_000;
/** Milliseconds without an update after which a lock is stale. */
const staleAfter = 10_000;
const emptyStaleAfter = 1_000;

export type Lock = Awaited<ReturnType<typeof acquireLock>>;

/** Another process held the lock for longer than the wait. */
export class LockTimeout extends Error {
  readonly path: string;
  /** The process that holds the lock: `?` if the file does not name it. */
  readonly owner: string;

  constructor(path: string, owner: string) {
    super(`process ${owner} holds the lock ${path}`);
    this.path = path;
    this.owner = owner;
  }
}

/**
 * Acquire the lock at this path. A lock is removed if its process has ended or has not updated it for 10 seconds. Whether a process in
 * another container has ended is not known.
 * @param wait milliseconds
 * @throws LockTimeout, and errors of the file system
 */
export async function acquireLock(path: string, wait = 5_000) {
  const own = `${process.pid} ${randomUUID()} ${processNamespace() ?? ''}`;
  const deadline = performance.now() + wait;
  while (!create(path, own)) {
    if (removeStale(path, own)) continue;
    if (performance.now() > deadline) throw new LockTimeout(path, contentOf(path)?.split(' ')[0] || '?');
    // A random delay keeps waiting processes from retrying at the same time.
    await sleep(5 + Math.random() * 20);
  }
  const timer = setInterval(() => {
    const now = Date.now() / 1000;
    // The lock may have been removed since then, which `isHeld` reports.
    if (isHeld()) fs.utimes(path, now, now, () => {});
  }, heartbeat).unref();
  /** Whether this process still holds the lock. A suspended process can lose it. */
  const isHeld = () => contentOf(path) === own;
  return {
    isHeld,
    release(): void {
      clearInterval(timer);
      if (!isHeld()) return;
      removeStaleGuard(path, own);
      fs.rmSync(path, { force: true });
    },
  };
}

function create(path: string, content: string): boolean {
  try {
    fs.writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const code = errorCode(error);
    // Windows reports EPERM while another process deletes the file.
    if (code === 'EEXIST' || (code === 'EPERM' && platform === 'win32')) return false;
    throw error;
  }
}

/** Remove a stale lock. A guard admits one process at a time: two could remove each other's new lock. */
function removeStale(path: string, own: string): boolean {
  if (!isStale(path, own)) return false;
  const guard = `${path}.guard`;
  if (!create(guard, own)) {
    removeStaleGuard(path, own);
    return false;
  }
  try {
    if (!isStale(path, own)) return false;
    fs.rmSync(path, { force: true });
    return true;
  } finally {
    fs.rmSync(guard, { force: true });
  }
}

/** Remove the guard of a process that was killed while it removed a stale lock. */
function removeStaleGuard(path: string, own: string): void {
  const guard = `${path}.guard`;
  if (isStale(guard, own)) fs.rmSync(guard, { force: true });
}

function isStale(path: string, own: string): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  // A process writes its lock right after it has created it: an empty one is of a process that was killed in between.
  const limit = stat?.size === 0 ? emptyStaleAfter : staleAfter;
  if (stat && Date.now() - stat.mtimeMs > limit) return true;
  const [pid, , namespace = ''] = contentOf(path)?.split(' ') ?? [];
  return namespace !== '' && namespace === own.split(' ')[2] && !isAlive(Number(pid));
}

const contentOf = (path: string): string | undefined => attempt(() => fs.readFileSync(path, 'utf8'));
