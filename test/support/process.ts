/** Runs the built program in a child process with a separate home. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, type Options } from 'execa';
import { afterAll, onTestFinished } from 'vitest';

/** `bin/svc.js` of this checkout, which needs `dist/`: `npm test` builds it first. */
export const program = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));

/** The Node that runs the program. `npm run test:nodes` sets other versions. */
export const node = process.env['SVC_TEST_NODE'] || process.execPath;

/** The executable to test in place of `bin/svc.js`, from `npm run test:executable`. */
export const executable = process.env['SVC_BIN'] ? resolve(process.env['SVC_BIN']) : undefined;

/** The words that start the program, before its arguments. */
export const command: readonly string[] = executable ? [executable] : [node, program];

const [file = '', ...words] = command;

/** Copy the program, without the other files of its package. @returns the words that start the copy */
export async function copyProgram(folder: string): Promise<readonly string[]> {
  await mkdir(folder);
  const parts = executable ? [executable] : [dirname(program), join(program, '../../dist')];
  for (const part of parts) await cp(part, join(folder, basename(part)), { recursive: true });
  return executable ? [join(folder, basename(executable))] : [node, join(folder, 'bin/svc.js')];
}

/** A folder used as a home. */
export interface Home {
  readonly path: string;
  /** Path of the profile file. */
  readonly profiles: string;
  /** The whole environment of a process. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

async function makeHome(): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), 'svc-home-'));
  return {
    path,
    profiles: join(path, 'config', 'svc', 'profiles.json'),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: path,
      XDG_CONFIG_HOME: join(path, 'config'),
      XDG_STATE_HOME: join(path, 'state'),
      XDG_CACHE_HOME: join(path, 'cache'),
    },
    async remove() {
      // A test may have made it read-only.
      await chmod(path, 0o700);
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** A home that is removed after the test. */
export async function testHome(): Promise<Home> {
  const home = await makeHome();
  onTestFinished(() => home.remove());
  return home;
}

/** A home that is removed after all tests of the file. */
export async function sharedHome(): Promise<Home> {
  const home = await makeHome();
  afterAll(() => home.remove());
  return home;
}

export interface Ended {
  /** The exit code, or 128 plus the number of the signal that ended the process. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
}

/** Run one command line to its end. */
export async function svc(home: Home, argv: readonly string[], running: Running = {}): Promise<Ended> {
  const { exitCode, signal, stdout, stderr } = await execa(file, [...words, ...argv], {
    ...(running.stdin === undefined ? { stdin: 'ignore' } : { input: running.stdin }),
    env: { ...home.env, ...running.env },
    cwd: running.cwd ?? home.path,
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    timeout: 120_000,
    maxBuffer: 1 << 28,
  } as const satisfies Options);
  if (exitCode === undefined) return { code: signal === 'SIGKILL' ? 137 : 128, out: stdout, err: stderr };
  return { code: exitCode, out: stdout, err: stderr };
}

/** A command line that is running. */
export interface Started {
  readonly child: ChildProcess;
  /** The output so far. */
  out(): string;
  err(): string;
  ended: Promise<Ended>;
}

/** Start a command line without waiting for its end. */
export function start(home: Home, argv: readonly string[], running: Running = {}): Started {
  const child = spawn(file, [...words, ...argv], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...home.env, ...running.env },
    cwd: running.cwd ?? home.path,
  });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.err += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ ...texts, code: code ?? signalCode(signal) }));
  });
  return { child, out: () => texts.out, err: () => texts.err, ended };
}

/** The exit code that a shell reports. */
function signalCode(signal: NodeJS.Signals | null): number {
  return signal === 'SIGKILL' ? 137 : signal === 'SIGTERM' ? 143 : signal === 'SIGINT' ? 130 : 128;
}

/** Wait until a condition is true. @throws Error with its description after a minute */
export async function until(description: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting for: ${description}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Text that no output may contain: stack traces and internals. */
export const stackTrace = /^\s+at .+:\d+:\d+\)?$|node:internal|UnhandledPromise|\[object Object\]/m;
