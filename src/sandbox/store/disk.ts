/**
 * A sandbox's folder: the journal of its tables, the uploaded files and the git repositories. Only its owner can read it, and one
 * sandbox at a time works on it.
 */
import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../errors.ts';
import { acquireLock, type Lock, LockTimeout } from '../../support/lock.ts';
import { makeFolder } from '../../support/own-files.ts';
import { writeDurably } from './durable.ts';
import { openJournal } from './journal.ts';
import type { Files, Store } from './store.ts';

function local(what: string, cause: unknown): Failure {
  return new Failure('internal', `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}

export interface Disk {
  readonly dir: string;
  /** The tables as they were saved; empty in a new folder. */
  readonly store: Store;
  readonly isNew: boolean;
  /** What could not be read, and where the damaged file is kept. */
  readonly damage: string | undefined;
  readonly files: Files;
  /** Write the changes of the store, and return when they are on the disk. */
  save(): Promise<void>;
  /** Let other sandboxes use the folder. */
  release(): Promise<void>;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** Let one sandbox at a time use a folder. @throws Failure `internal` after the wait */
async function lockFolder(dir: string, wait: number): Promise<Lock> {
  try {
    return await acquireLock(join(dir, 'lock'), wait);
  } catch (error) {
    if (!(error instanceof LockTimeout)) throw error;
    throw new Failure('internal', `the sandbox folder is in use by process ${error.owner}`, {
      hint: 'svc sandbox status shows a running sandbox; svc sandbox stop stops it',
    });
  }
}

/**
 * Open a folder for one sandbox.
 * @param wait milliseconds to wait for another sandbox that works on it
 * @throws Failure `internal`: it is in use for longer than that, can't be written, or holds something else
 */
export async function openDisk(dir: string, wait: number): Promise<Disk> {
  let held: Lock;
  try {
    makeFolder(join(dir, 'files'));
    await chmod(dir, 0o700);
    held = await lockFolder(dir, wait);
  } catch (error) {
    throw error instanceof Failure ? error : local("the sandbox's folder can't be used", error);
  }
  try {
    const journal = await openJournal(dir);
    const files = new DiskFiles(join(dir, 'files'));
    return {
      dir,
      store: journal.store,
      isNew: journal.isNew,
      damage: journal.damage,
      files,
      async save() {
        if (!held.isHeld())
          throw new Failure('internal', "the sandbox's folder was taken over by another process");
        try {
          await journal.save();
          await files.sweep();
        } catch (error) {
          throw local("the sandbox's state can't be saved", error);
        }
      },
      async release() {
        await journal.close();
        held.release();
      },
    };
  } catch (error) {
    held.release();
    throw error instanceof Failure ? error : local("the sandbox's state can't be read", error);
  }
}

/** Every file that a sandbox makes in its folder, those of older versions and of killed processes included. */
const made =
  /^(files|repositories|server\.(json(\.\d+)?|log)|state\.json(\.[0-9a-f-]{36})?|state\.jsonl(\.new|\.damaged-\d+)?|lock\.guard)$/;

/**
 * Delete the state in a folder, and nothing else: the user may have named the folder by mistake.
 * @throws Failure `internal` while a sandbox works on it
 */
export async function deleteState(dir: string, wait: number): Promise<void> {
  if (!(await isFolder(dir))) return;
  const held = await lockFolder(dir, wait);
  try {
    for (const name of await readdir(dir)) {
      if (made.test(name)) await rm(join(dir, name), { recursive: true, force: true });
    }
  } finally {
    held.release();
  }
}

const newName = (): string => randomBytes(16).toString('hex');
const isName = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

class DiskFiles implements Files {
  readonly #dir: string;
  /** Deleted only after the state that no longer refers to them is saved: a crash in between must not lose them. */
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
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    if (isName(name)) this.#removed.add(name);
  }

  async sweep(): Promise<void> {
    for (const name of this.#removed) {
      await rm(join(this.#dir, name), { force: true });
      this.#removed.delete(name);
    }
  }
}

export function memoryFiles(): Files {
  const kept = new Map<string, Uint8Array>();
  return {
    async put(bytes) {
      const name = newName();
      kept.set(name, bytes);
      return name;
    },
    get: async (name) => kept.get(name),
    async remove(name) {
      kept.delete(name);
    },
  };
}
