/**
 * The state on disk: one JSON file, and the bytes beside it, in a folder that only its owner can read. One sandbox at a
 * time works on a folder: the others wait for it.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { kill, pid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import type { Files, State } from './store.ts';

const code = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (code(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function local(what: string, cause: unknown): Failure {
  return new Failure('local', `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}

export interface Disk {
  readonly dir: string;
  /** The state as it was saved; undefined in a new folder. */
  readonly state: State | undefined;
  readonly files: Files;
  /** Put a new state in place of the old, whole or not at all. */
  write(state: State): Promise<void>;
  /** Let others at the folder. */
  release(): Promise<void>;
}

/** Milliseconds between two signs of life, and without one before a lock counts as left behind. */
const beat = 2_000;
const silence = 10_000;

interface Lock {
  /** Whether it is still ours: a machine that slept may have lost it. */
  isOurs(): Promise<boolean>;
  release(): Promise<void>;
}

function isAlive(process: number): boolean {
  try {
    return kill(process, 0);
  } catch (error) {
    return code(error) === 'EPERM';
  }
}

async function isStale(path: string, text: string): Promise<boolean> {
  const owner = Number.parseInt(text, 10);
  // A lock with no owner was cut off, or is being written at this moment.
  if (Number.isInteger(owner) && !isAlive(owner)) return true;
  try {
    return Date.now() - (await stat(path)).mtimeMs > silence;
  } catch {
    return false;
  }
}

/** Take away a lock that was left behind; another's, made in the meantime, is put back. */
async function clear(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await readText(aside)) !== text) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function lock(path: string, wait: number): Promise<Lock> {
  const mine = `${pid} ${randomUUID()}\n`;
  const end = performance.now() + wait;
  for (;;) {
    try {
      await writeFile(path, mine, { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      if (code(error) !== 'EEXIST') throw error;
    }
    const text = await readText(path);
    if (text === undefined) continue;
    if (await isStale(path, text)) await clear(path, text);
    else if (performance.now() > end) {
      throw new Failure('local', `the sandbox's folder is in use by process ${Number.parseInt(text, 10)}`, {
        hint: 'svc sandbox status shows a sandbox that runs; svc sandbox stop ends it',
      });
    } else await sleep(20 + Math.random() * 30);
  }
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, beat);
  timer.unref();
  const isOurs = async () => (await readText(path)) === mine;
  return {
    isOurs,
    async release() {
      clearInterval(timer);
      if (await isOurs()) await rm(path, { force: true });
    },
  };
}

function readState(text: string, path: string): State {
  try {
    const state = JSON.parse(text) as State;
    if (state.version === 1 && typeof state.tables === 'object') return state;
  } catch {
    // told below
  }
  throw new Failure('local', `the sandbox's state can't be read: ${path}`, {
    hint: 'svc sandbox reset begins anew',
  });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** With those above it. Node's own `recursive` goes round for ever where a file system takes no folders, as /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!(await isFolder(folder))) throw error;
  }
}

/**
 * Open a folder for one sandbox.
 * @param wait milliseconds to wait for another sandbox that works on it
 * @throws Failure `local`: it is in use for longer than that, can't be written, or holds something else
 */
export async function openDisk(dir: string, wait: number): Promise<Disk> {
  const path = join(dir, 'state.json');
  let held: Lock;
  try {
    await makeFolder(join(dir, 'files'));
    await chmod(dir, 0o700);
    held = await lock(join(dir, 'lock'), wait);
  } catch (error) {
    throw error instanceof Failure ? error : local("the sandbox's folder can't be used", error);
  }
  try {
    const text = await readText(path);
    const state = text === undefined ? undefined : readState(text, path);
    return {
      dir,
      state,
      files: diskFiles(join(dir, 'files')),
      write: writer(path, held),
      release: held.release,
    };
  } catch (error) {
    await held.release();
    throw error;
  }
}

function writer(path: string, held: Lock): Disk['write'] {
  return async (state) => {
    if (!(await held.isOurs()))
      throw new Failure('local', "the sandbox's folder was taken over by another process");
    const beside = `${path}.${randomUUID()}`;
    try {
      const handle = await open(beside, 'wx', 0o600);
      try {
        await handle.writeFile(JSON.stringify(state));
      } finally {
        await handle.close();
      }
      await rename(beside, path);
    } catch (error) {
      await rm(beside, { force: true });
      throw local("the sandbox's state can't be saved", error);
    }
  };
}

const newName = (): string => randomBytes(16).toString('hex');
const isName = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

function diskFiles(dir: string): Files {
  return {
    async put(bytes) {
      const name = newName();
      await writeFile(join(dir, name), bytes, { flag: 'wx', mode: 0o600 });
      return name;
    },
    async get(name) {
      if (!isName(name)) return undefined;
      try {
        return new Uint8Array(await readFile(join(dir, name)));
      } catch (error) {
        if (code(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    async remove(name) {
      if (isName(name)) await rm(join(dir, name), { force: true });
    },
  };
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
