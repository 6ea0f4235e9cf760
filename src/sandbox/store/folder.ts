/** The folder of a sandbox, which one process at a time uses and only its owner can read. */
import { chmod, open, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure, unusable, usage } from '../../errors.ts';
import { replaceFile } from '../../support/atomic-write.ts';
import { errorCode } from '../../support/errno.ts';
import { appendTo } from '../../support/journal.ts';
import { makeFolder } from '../../support/own-files.ts';
import { commandLine } from '../../support/shell.ts';
import { acquireLock, type Lock, LockTimeout } from '../../support/waiting/lock.ts';
import { initial, type Storage, snapshotPath } from './state.ts';

const folderHint =
  'set HOME or XDG_STATE_HOME to a folder that you can write to, or run svc sandbox start --data <dir>';

async function lockFolder(dir: string, wait: number): Promise<Lock> {
  try {
    return await acquireLock(join(dir, 'lock'), wait);
  } catch (error) {
    if (!(error instanceof LockTimeout)) throw error;
    throw usage(`the sandbox folder is in use by process ${error.owner}`, [
      `to stop it: ${commandLine(['svc', 'sandbox', 'stop', '--data', dir])}`,
      'if it runs in another container, stop it there, or use another state folder',
    ]);
  }
}

async function orIfMissing<T, U>(result: Promise<T>, other: U): Promise<T | U> {
  try {
    return await result;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return other;
    throw error;
  }
}

/** Lock a folder, and create it if needed. @throws Failure `usage` if it is in use for `wait` milliseconds, `internal` if not writable */
export async function folderStorage(dir: string, wait: number): Promise<Storage> {
  let lock: Lock;
  try {
    makeFolder(dir);
    await chmod(dir, 0o700);
    lock = await lockFolder(dir, wait);
  } catch (error) {
    throw error instanceof Failure ? error : unusable('the sandbox folder', error, folderHint);
  }
  const requireLock = () => {
    if (!lock.isHeld()) throw new Failure('internal', 'another process took over the sandbox folder');
  };
  return {
    dir,
    read: (path) => orIfMissing(readFile(join(dir, path)), undefined),
    async write(path, parts) {
      requireLock();
      const file = join(dir, path);
      makeFolder(dirname(file));
      const draft = `${file}.new`;
      await rm(draft, { force: true });
      await replaceFile(file, (handle) => writeFile(handle, parts), { draft, durable: true });
    },
    remove: (path) => rm(join(dir, path), { force: true }),
    list: (folder) => orIfMissing(readdir(join(dir, folder)), []),
    async append(path, end) {
      const handle = await open(join(dir, path), 'a');
      const appender = appendTo(handle, end);
      return {
        async append(text) {
          requireLock();
          await appender.append(text);
        },
        close: () => appender.close(),
      };
    },
    release: () => lock.release(),
  };
}

/** Whether a folder contains a state. True for an unreadable folder, which `folderStorage` reports. */
export async function hasState(dir: string): Promise<boolean> {
  try {
    const names = await readdir(dir);
    return names.some((name) => name.startsWith('state.jsonl') || name === 'snapshots');
  } catch (error) {
    return errorCode(error) !== 'ENOENT';
  }
}

/** The files that a sandbox creates in its folder, including those of killed processes. */
const stateFile = /^(server\.(json(\.\d+)?|log)|state\.jsonl(\.new|\.damaged-\d+)?|lock\.guard)$/;

/** Delete the state in a folder, but not other files. @throws Failure `usage` if a sandbox uses the folder */
export async function deleteState(dir: string, wait: number): Promise<void> {
  if (!(await orIfMissing(stat(dir), undefined))?.isDirectory()) return;
  const lock = await lockFolder(dir, wait);
  try {
    for (const name of await readdir(dir))
      if (stateFile.test(name)) await rm(join(dir, name), { recursive: true, force: true });
    // The other snapshots are those of the user.
    const first = join(dir, snapshotPath(initial));
    await rm(first, { force: true });
    await rmdir(dirname(first)).catch(() => {});
    // Snapshots share the files.
    if (!(await hasState(dir))) await rm(join(dir, 'files'), { recursive: true, force: true });
  } finally {
    lock.release();
  }
}
