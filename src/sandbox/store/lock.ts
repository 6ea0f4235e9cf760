/** The lock of a folder: one sandbox at a time works on it. */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { kill, pid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../errors.ts';

const code = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (code(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Milliseconds between two signs of life, and without one before a lock counts as left behind. */
const beat = 2_000;
const silence = 10_000;

export interface Lock {
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

/**
 * Take the lock at this path, or wait for its owner to release it.
 * @param wait milliseconds
 * @throws Failure `internal` when the wait is over
 */
export async function lock(path: string, wait: number): Promise<Lock> {
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
      throw new Failure(
        'internal',
        `the sandbox's folder is in use by process ${Number.parseInt(text, 10)}`,
        {
          hint: 'svc sandbox status shows a sandbox that runs; svc sandbox stop ends it',
        },
      );
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
