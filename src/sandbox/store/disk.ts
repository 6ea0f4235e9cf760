/** The folder of a sandbox: a journal of the tables, uploaded files and git repositories. Only its owner can read it. */
import { chmod, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, unusable } from '../../errors.ts';
import { errnoText, errorCode } from '../../support/errno.ts';
import { makeFolder } from '../../support/own-files.ts';
import { acquireLock, type Lock, LockTimeout } from '../../support/waiting/lock.ts';
import { diskImages, finishLoading } from './disk-images.ts';
import { writeDurably } from './durable.ts';
import type { Images } from './image.ts';
import { openJournal } from './journal.ts';
import { newName } from './memory-files.ts';
import type { Files, Store } from './store.ts';

/** Convert an unexpected error to a Failure. */
function failure(message: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const text = errorCode(cause) === undefined && cause instanceof Error ? cause.message : errnoText(cause);
  return new Failure('internal', `${message}: ${text}`, {
    cause,
  });
}

/** What to do about a sandbox folder that cannot be created or written. */
export const folderHint =
  'set HOME or XDG_STATE_HOME to a folder that you can write to, or run svc sandbox start --data <dir>';

export interface Disk {
  readonly dir: string;
  /** The saved tables; empty in a new folder. */
  readonly store: Store;
  readonly isNew: boolean;
  /** Describes unreadable parts of the state and the location of the damaged file. */
  readonly damage: string | undefined;
  readonly files: Files;
  /** @param forget drops open repositories and caches when the state is replaced */
  images(forget: () => void): Images;
  /** Write the changes of the store, and flush them to the disk. */
  save(): Promise<void>;
  /** Unlock the folder. */
  release(): Promise<void>;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** @throws Failure `internal` if another sandbox holds the lock for longer than the wait */
async function lockFolder(dir: string, wait: number): Promise<Lock> {
  try {
    return await acquireLock(join(dir, 'lock'), wait);
  } catch (error) {
    if (!(error instanceof LockTimeout)) throw error;
    throw new Failure('internal', `the sandbox folder is in use by process ${error.owner}`, {
      hint: [
        'run "svc sandbox stop" to stop it',
        'if it runs in another container, stop it there, or use another state folder',
      ],
    });
  }
}

/**
 * Lock a folder and read its state.
 * @param wait milliseconds to wait for another sandbox that uses the folder @param now the clock of the system
 * @throws Failure `internal` if the folder is in use, not writable or unreadable
 */
export async function openDisk(dir: string, wait: number, now: () => number): Promise<Disk> {
  let held: Lock;
  try {
    makeFolder(join(dir, 'files'));
    await chmod(dir, 0o700);
    held = await lockFolder(dir, wait);
  } catch (error) {
    throw error instanceof Failure ? error : unusable('the sandbox folder', error, folderHint);
  }
  try {
    await finishLoading(dir);
    const journal = await openJournal(dir, now);
    const files = new DiskFiles(join(dir, 'files'));
    return {
      dir,
      store: journal.store,
      isNew: journal.isNew,
      damage: journal.damage,
      files,
      images: (forget) =>
        diskImages(dir, journal, () => {
          files.forget();
          forget();
        }),
      async save() {
        if (!held.isHeld()) throw new Failure('internal', 'another process took over the sandbox folder');
        try {
          await journal.save();
          await files.sweep();
        } catch (error) {
          throw failure('cannot save the state of the sandbox', error);
        }
      },
      async release() {
        await journal.close();
        held.release();
      },
    };
  } catch (error) {
    held.release();
    throw failure('cannot read the state of the sandbox', error);
  }
}

/** All files that a sandbox creates in its folder, including those of older versions and killed processes. */
const stateFile =
  /^(files|repositories|loading(\.new)?|server\.(json(\.\d+)?|log)|state\.json(\.[0-9a-f-]{36})?|state\.jsonl(\.new|\.damaged-\d+)?|lock\.guard)$/;

/** Whether a folder contains a state. True for an unreadable folder, which `openDisk` reports. */
export async function hasState(dir: string): Promise<boolean> {
  try {
    return (await readdir(dir)).some((name) => /^(state\.|loading)/.test(name));
  } catch (error) {
    return errorCode(error) !== 'ENOENT';
  }
}

/**
 * Delete the state in a folder. Other files stay, because the user may have passed the wrong folder.
 * @throws Failure `internal` if a sandbox uses the folder
 */
export async function deleteState(dir: string, wait: number): Promise<void> {
  if (!(await isFolder(dir))) return;
  const held = await lockFolder(dir, wait);
  try {
    for (const name of await readdir(dir)) {
      if (stateFile.test(name)) await rm(join(dir, name), { recursive: true, force: true });
    }
  } finally {
    held.release();
  }
}

const isName = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

class DiskFiles implements Files {
  readonly #dir: string;
  /** Files to delete after the next save: until then the saved state refers to them. */
  readonly #removed = new Set<string>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const name = newName();
    await writeDurably(join(this.#dir, name), bytes);
    return name;
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    if (!isName(name) || this.#removed.has(name)) return undefined;
    try {
      return new Uint8Array(await readFile(join(this.#dir, name)));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    if (isName(name)) this.#removed.add(name);
  }

  /** The state was replaced, so these files no longer exist. */
  forget(): void {
    this.#removed.clear();
  }

  async sweep(): Promise<void> {
    for (const name of this.#removed) {
      await rm(join(this.#dir, name), { force: true });
      this.#removed.delete(name);
    }
  }
}
