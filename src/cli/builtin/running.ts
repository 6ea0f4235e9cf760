/** The sandbox that stays: which one runs over a folder, told by a file in it. */
import { closeSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../errors.ts';
import type { Info } from '../../sandbox/index.ts';
import { createOwn, makeFolder, readOwn, writeOwn } from '../../support/own-files.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exits.ts';
import type { Globals } from '../parse.ts';

export interface Running extends Info {
  readonly url: string;
  readonly pid: number;
  /** The folder of its state; null where it is in memory. */
  readonly data: string | null;
}

const fileIn = (folder: string): string => join(folder, 'server.json');

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
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

/**
 * The sandbox that runs over a folder; undefined where none does, whatever an old file says. Its process alone proves nothing: after
 * a restart of the machine the number is another's, and one that was killed may be there until its parent looks.
 */
export async function readRunning(folder: string): Promise<Running | undefined> {
  try {
    const running = JSON.parse(readOwn(fileIn(folder)).toString('utf8')) as Partial<Running> | null;
    return isRunning(running) && isAlive(running.pid) && (await isListening(running.url))
      ? running
      : undefined;
  } catch {
    return undefined;
  }
}

export async function writeRunning(folder: string, running: Running): Promise<void> {
  makeFolder(folder);
  writeOwn(fileIn(folder), `${JSON.stringify(running)}\n`);
}

export async function removeRunning(folder: string): Promise<void> {
  await rm(fileIn(folder), { force: true });
}

/** Milliseconds. */
const patience = 20_000;
const step = 50;
/** What a sandbox that listens no more has to save its state. */
const farewell = 5_000;

/** Start a sandbox that outlives this process, and wait until it can be asked. */
export async function startDetached(folder: string, globals: Globals, context: Context): Promise<Running> {
  makeFolder(folder);
  const log = createOwn(join(folder, 'server.log'));
  const { spawn } = process.getBuiltinModule('node:child_process');
  const passed = (['port', 'data', 'seed', 'spam'] as const).flatMap((name) =>
    globals[name] === undefined ? [] : [`--${name}`, String(globals[name])],
  );
  const memory = globals['memory'] === true ? ['--memory'] : [];
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
      const running = await readRunning(folder);
      if (running?.pid === child.pid) return running as Running;
      await sleep(step);
    }
  } finally {
    closeSync(log);
  }
  const text = await readFile(join(folder, 'server.log'), 'utf8').catch(() => '');
  throw new Failure(child.exitCode === exitCodes.usage ? 'usage' : 'local', 'the sandbox did not start', {
    details: text.trim().split('\n').slice(-3),
  });
}

/** End a running sandbox and wait until it has. */
export async function stopRunning(folder: string, { pid, url }: Running): Promise<void> {
  process.kill(pid, 'SIGTERM');
  let silent = 0;
  for (let waited = 0; waited < patience; waited += step) {
    silent = (await isListening(url)) ? 0 : silent + step;
    if (!isAlive(pid) || silent > farewell) return removeRunning(folder);
    await sleep(step);
  }
  throw new Failure('local', `the sandbox (process ${pid}) does not end`);
}
