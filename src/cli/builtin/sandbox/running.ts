/** The sandbox that stays: which one runs over a folder, told by a file in it. */
import { closeSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../errors.ts';
import type { Info } from '../../../sandbox/index.ts';
import { createOwn, makeFolder, readOwn, writeOwn } from '../../../support/own-files.ts';
import { isAlive } from '../../../support/process.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';

export interface Running extends Info {
  readonly url: string;
  readonly pid: number;
  /** The folder of its state; null where it is in memory. */
  readonly data: string | null;
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** What could not be read of a saved state. */
  readonly damage?: string;
}

/** A sandbox in memory has a file of its own: any number of them may run. */
const fileOf = ({ data, pid }: Pick<Running, 'data' | 'pid'>): string =>
  data === null ? `server-${pid}.json` : 'server.json';
/** The flags that a sandbox in the background is started with. */
interface StartOptions {
  readonly port?: string | undefined;
  readonly data?: string | undefined;
  readonly seed?: string | undefined;
  readonly spam?: string | undefined;
  readonly memory?: true | undefined;
}

/** Whether somebody listens at the port of a URL of this machine. */
function isListening(url: string): Promise<boolean> {
  const { connect } = process.getBuiltinModule('node:net');
  return new Promise((done) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}

const isRunning = (value: Partial<Running> | null): value is Running =>
  Number.isInteger(value?.pid) &&
  (value?.pid as number) > 1 &&
  /^http:\/\/127\.0\.0\.1:\d+$/.test(value?.url ?? '');

/** What a file says about a sandbox that runs; undefined where it does not, and the file is outdated. */
async function readFileOf(path: string): Promise<Running | undefined> {
  try {
    const running = JSON.parse(readOwn(path).toString('utf8')) as Partial<Running> | null;
    if (!isRunning(running)) return undefined;
    if (isAlive(running.pid)) return (await isListening(running.url)) ? running : undefined;
    if (running.data === null) await rm(path, { force: true });
  } catch {
    // An unreadable file says nothing.
  }
  return undefined;
}

/**
 * The sandboxes of a folder: the one that keeps its state there, and those in memory, oldest first. Its process alone proves nothing:
 * after a restart of the machine the number is another's, and one that was killed may be there until its parent looks.
 */
export async function readAllRunning(folder: string): Promise<Running[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => /^server(-\d+)?\.json$/.test(name));
  const found = await Promise.all(files.map((name) => readFileOf(join(folder, name))));
  return found
    .filter((running) => running !== undefined)
    .sort((a, b) => Number(a.data === null) - Number(b.data === null) || a.started - b.started);
}

/** The sandbox that commands use, unless they name one. */
export async function readRunning(folder: string): Promise<Running | undefined> {
  return (await readAllRunning(folder))[0];
}

/** The sandbox that keeps its state in a folder. */
export function readKeeping(folder: string): Promise<Running | undefined> {
  return readFileOf(join(folder, 'server.json'));
}

export async function writeRunning(folder: string, running: Running): Promise<void> {
  makeFolder(folder);
  writeOwn(join(folder, fileOf(running)), `${JSON.stringify(running)}\n`);
}

export async function removeRunning(folder: string, running: Pick<Running, 'data' | 'pid'>): Promise<void> {
  await rm(join(folder, fileOf(running)), { force: true });
}

/** Milliseconds. */
const patience = 20_000;
const step = 50;
/** What a sandbox that listens no more has to save its state. */
const farewell = 5_000;

/** Start a sandbox that outlives this process, and wait until it can be asked. */
export async function startDetached(
  folder: string,
  options: StartOptions,
  context: Context,
): Promise<Running> {
  makeFolder(folder);
  const log = createOwn(join(folder, 'server.log'));
  const { spawn } = process.getBuiltinModule('node:child_process');
  const passed = (['port', 'data', 'seed', 'spam'] as const).flatMap((name) =>
    options[name] === undefined ? [] : [`--${name}`, String(options[name])],
  );
  const memory = options.memory === true ? ['--memory'] : [];
  const [command = '', ...args] = [...context.program, 'sandbox', 'start', ...passed, ...memory];
  const child = spawn(command, args, {
    detached: true,
    env: context.env,
    cwd: context.cwd,
    stdio: ['ignore', log, log],
  });
  child.unref();
  try {
    for (let waited = 0; waited < patience && child.exitCode === null; waited += step) {
      const running = (await readAllRunning(folder)).find(({ pid }) => pid === child.pid);
      if (running) return running;
      await sleep(step);
    }
  } finally {
    closeSync(log);
  }
  const text = await readFile(join(folder, 'server.log'), 'utf8').catch(() => '');
  throw new Failure(child.exitCode === exitCodes.usage ? 'usage' : 'internal', 'the sandbox did not start', {
    details: text.trim().split('\n').slice(-3),
  });
}

/** End a running sandbox and wait until it has. */
export async function stopRunning(folder: string, running: Running): Promise<void> {
  const { pid, url } = running;
  process.kill(pid, 'SIGTERM');
  let silent = 0;
  for (let waited = 0; waited < patience; waited += step) {
    silent = (await isListening(url)) ? 0 : silent + step;
    if (!isAlive(pid) || silent > farewell) return removeRunning(folder, running);
    await sleep(step);
  }
  throw new Failure('internal', `the sandbox (process ${pid}) does not end`);
}
