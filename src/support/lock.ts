import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../errors.ts';

/** Milliseconds to wait for a lock that another process holds. */
const patience = 5_000;
/** Milliseconds after which a lock is left over whoever made it: it is held for some milliseconds only. */
const leftOver = 10_000;

/**
 * Do something while no other `svc` does it: `<file>.lock`, made exclusively, is the lock. A lock whose process is gone is
 * taken away.
 * @param wait milliseconds
 * @param act synchronous, so that no signal's handler runs in the middle; `held` tells whether the lock is still ours
 * @throws Failure `internal` where another process still holds it after the wait; errors of the file system as they are
 */
export async function withLock<T>(
  file: string,
  act: (held: () => boolean) => T,
  wait: number = patience,
): Promise<T> {
  const lock = `${file}.lock`;
  const mine = `${process.pid} ${randomUUID()} ${os.hostname()}`;
  const held = () => textOf(lock) === mine;
  const deadline = performance.now() + wait;
  while (!create(lock, mine)) {
    if (takeAway(lock, mine)) continue;
    if (performance.now() > deadline) {
      throw new Failure(
        'internal',
        `another svc holds ${lock} (process ${textOf(lock)?.split(' ')[0] || '?'})`,
        {
          hint: 'try again; if no svc is running, delete that file',
        },
      );
    }
    // Uneven, so that those who wait do not come back all at once.
    await sleep(5 + Math.random() * 20);
  }
  try {
    return act(held);
  } finally {
    if (held()) fs.rmSync(lock, { force: true });
  }
}

/**
 * Make a lock that holds this text, in one step: a symbolic link whose target is the text, so that a process killed in the
 * middle leaves no lock without an owner. A plain file where there are no such links.
 * @returns whether it was made; false where there is one already
 */
function create(lock: string, text: string): boolean {
  try {
    if (process.platform !== 'win32') {
      fs.symlinkSync(text, lock);
      return true;
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) throw error;
  }
  try {
    fs.writeFileSync(lock, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Windows says EPERM while another process deletes the file.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false;
    throw error;
  }
}

/** Take away a lock that was left over. One process at a time, else two could take away each other's new lock. */
function takeAway(lock: string, mine: string): boolean {
  if (!isLeftOver(lock)) return false;
  const guard = `${lock}.guard`;
  if (!create(guard, mine)) {
    if (isLeftOver(guard)) fs.rmSync(guard, { force: true });
    return false;
  }
  try {
    if (!isLeftOver(lock)) return false;
    fs.rmSync(lock, { force: true });
    return true;
  } finally {
    fs.rmSync(guard, { force: true });
  }
}

function isLeftOver(lock: string): boolean {
  if (ageOf(lock) > leftOver) return true;
  const [pid, , host] = textOf(lock)?.split(' ') ?? [];
  return host === os.hostname() && !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Milliseconds since the lock was made; 0 where there is none. */
function ageOf(lock: string): number {
  const stat = fs.lstatSync(lock, { throwIfNoEntry: false });
  return stat ? Date.now() - stat.mtimeMs : 0;
}

function textOf(lock: string): string | undefined {
  try {
    return fs.lstatSync(lock).isSymbolicLink() ? fs.readlinkSync(lock) : fs.readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
}
