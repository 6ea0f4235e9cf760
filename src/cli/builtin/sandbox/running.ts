/** Running sandboxes. Each writes a file in its folder. */
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, unusable } from '../../../errors.ts';
import type { Info } from '../../../sandbox/index.ts';
import { replaceFileSync } from '../../../support/atomic-write.ts';
import { makeFolder, readOwn } from '../../../support/own-files.ts';
import { isAlive, processNamespace } from '../../../support/process.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';

export interface Running extends Info {
  readonly url: string;
  readonly pid: number;
  /** The folder of its state; null for a sandbox in memory. */
  readonly data: string | null;
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** The part of the saved state that could not be read. */
  readonly damage?: string | undefined;
}

/** Any number of sandboxes in memory can run, so each has its own file. */
const fileOf = ({ data, pid }: Pick<Running, 'data' | 'pid'>): string =>
  data === null ? `server-${pid}.json` : 'server.json';

async function isListening(url: string): Promise<boolean> {
  const { connect } = await import('node:net');
  const socket = connect(Number(new URL(url).port || 80), '127.0.0.1');
  const attempt = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return attempt.finally(() => socket.destroy());
}

/** Read the file of a sandbox. @returns undefined if that sandbox does not run any more */
async function readFileOf(path: string): Promise<Running | undefined> {
  try {
    const running: Running & { readonly namespace: unknown } = JSON.parse(readOwn(path).toString('utf8'));
    // In another container, the id can belong to any process.
    if (running.namespace !== processNamespace() || !(running.pid > 1)) return undefined;
    if (isAlive(running.pid)) return (await isListening(running.url)) ? running : undefined;
    if (running.data === null) await rm(path, { force: true });
  } catch {
    // An unreadable file belongs to no sandbox.
  }
  return undefined;
}

/**
 * List the running sandboxes of a folder: the one with its state there, then those in memory, oldest first. The process id is not
 * enough to identify them: after a restart of the machine it can belong to another process, and a killed process can be a zombie.
 */
export async function readAllRunning(folder: string): Promise<Running[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => /^server(-\d+)?\.json$/.test(name));
  const found = await Promise.all(files.map((name) => readFileOf(join(folder, name))));
  return found
    .filter((running) => running !== undefined)
    .sort((a, b) => Number(a.data === null) - Number(b.data === null) || a.started - b.started);
}

/** Return the sandbox that commands use by default. @param kept only one with its state in the folder */
export async function readRunning(folder: string, kept?: 'kept'): Promise<Running | undefined> {
  const [first] = await readAllRunning(folder);
  return kept && first?.data === null ? undefined : first;
}

export async function writeRunning(folder: string, running: Running): Promise<void> {
  makeFolder(folder);
  const content = { ...running, namespace: processNamespace() };
  replaceFileSync(join(folder, fileOf(running)), `${JSON.stringify(content)}\n`);
}

export async function removeRunning(folder: string, running: Pick<Running, 'data' | 'pid'>): Promise<void> {
  await rm(join(folder, fileOf(running)), { force: true });
}

/** Milliseconds to wait for a sandbox to start or stop. */
const timeout = 20_000;
const interval = 50;
/** Time for a sandbox to save its state after it stops listening. */
const saveTimeout = 5_000;

export async function startDetached(folder: string, flags: readonly string[], context: Context) {
  let log: number;
  try {
    makeFolder(folder);
    const file = join(folder, 'server.log');
    // A planted link is replaced, not followed.
    replaceFileSync(file, '');
    log = openSync(file, 'r+');
  } catch (error) {
    const remedy = 'set HOME or XDG_STATE_HOME to a folder that you can write to, or use --data <dir>';
    throw unusable('the sandbox folder', error, remedy);
  }
  const { spawn } = await import('node:child_process');
  const [command = '', ...args] = [...context.program, 'sandbox', 'start', ...flags];
  const child = spawn(command, args, {
    detached: true,
    // On Windows, a detached process would open a window.
    windowsHide: true,
    env: context.env,
    cwd: context.cwd,
    stdio: ['ignore', log, log],
  });
  child.unref();
  try {
    for (let waited = 0; waited < timeout && child.exitCode === null; waited += interval) {
      const running = (await readAllRunning(folder)).find(({ pid }) => pid === child.pid);
      if (running) return running;
      await sleep(interval);
    }
    // The child has moved the position in the file.
    const bytes = Buffer.alloc(fstatSync(log).size);
    const text = bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, 0));
    const kind = child.exitCode === exitCodes.usage ? 'usage' : 'internal';
    throw new Failure(kind, 'the sandbox did not start', { details: text.trim().split('\n').slice(-3) });
  } finally {
    closeSync(log);
  }
}

export async function stopRunning(folder: string, running: Running): Promise<void> {
  const { pid, url } = running;
  process.kill(pid, 'SIGTERM');
  let silent = 0;
  for (let waited = 0; waited < timeout; waited += interval) {
    silent = (await isListening(url)) ? 0 : silent + interval;
    if (!isAlive(pid) || silent > saveTimeout) return removeRunning(folder, running);
    await sleep(interval);
  }
  throw new Failure('internal', `the sandbox (process ${pid}) does not stop`);
}
