/** The only file that touches `process`: argv, streams, signals, exit code. */
import { fstatSync } from 'node:fs';
import { splitArgv } from './cli/argv/split.ts';
import type { Context } from './cli/context.ts';
import { errorOutput, report } from './cli/report.ts';
import { run } from './cli/run.ts';
import { Failure } from './errors.ts';
import { attempt, isClosedPipe } from './support/errno.ts';
import { selfCommand } from './support/installation.ts';
import { watchQueue, writesReported } from './support/runtime.ts';
import { platform } from './support/system/platform.ts';

const argv = process.argv.slice(2);
const ending = new AbortController();
let done = false;

// In effect if the process ends early: only a command that completes exits with 0.
process.exitCode = 1;
process.once('beforeExit', () => {
  if (!done) leave(reportError(new Error('the command ended before it was complete')));
});

/** Milliseconds to stop and clean up after a signal. */
const gracePeriod = 600;
const signals = {
  SIGINT: ['interrupted', 130],
  SIGTERM: ['terminated', 143],
  SIGHUP: ['terminated', 143],
  SIGQUIT: ['interrupted', 130],
  // Ctrl-Break on Windows. Other systems never send it.
  SIGBREAK: ['interrupted', 130],
} as const;
/** The functions to call on a signal, one for each program that svc runs. While there are some, svc stays. */
const programs = new Set<(signal: NodeJS.Signals) => boolean>();
let graceTimer: NodeJS.Timeout | undefined;
let endSoon = () => {};
for (const [signal, [kind, code]] of Object.entries(signals)) {
  const end = () => programs.size === 0 && leave(done ? code : reportError(ending.signal.reason));
  process.on(signal, (name: NodeJS.Signals) => {
    if (programs.size === 0 && ending.signal.aborted) leave(code);
    const answers = [...programs].map((act) => act(name));
    if (answers.length > 0 && !answers.includes(true)) return;
    // The period starts again when a program has ended: svc then removes its files and prints a summary.
    endSoon = () => {
      clearTimeout(graceTimer);
      graceTimer = setTimeout(end, gracePeriod).unref();
    };
    ending.abort(new Failure(kind, kind));
    endSoon();
  });
}

// `svc` prints its own warning.
if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') process.removeAllListeners('warning');

/** Whether a thread of Node is in a system call. Node waits for it before it exits, without limit if a pipe has no data. */
function isBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(FSReq|GetAddrInfoReq)/.test(name));
}

function leave(code: number): never {
  // The default action of a signal does not wait for threads, and a shell sees the same exit code.
  const signal = code === 130 ? 'SIGINT' : 'SIGTERM';
  // On Windows, a process that ends itself by a signal always has exit code 1.
  if (ending.signal.aborted && platform !== 'win32' && isBusy())
    process.removeAllListeners(signal).kill(process.pid, signal);
  process.exit(code);
}

/** Call `before` and `after` around a suspension, so that a prompt does not leave the terminal in raw mode. */
function onSuspend(before: () => void, after: () => void): { suspend(): void; end(): void } {
  const stop = () => {
    before();
    process.off('SIGTSTP', stop);
    // Returns when the process continues, or at once if no shell can continue it.
    process.kill(process.pid, 'SIGTSTP');
    process.on('SIGTSTP', stop);
    after();
  };
  process.on('SIGTSTP', stop).on('SIGCONT', after);
  return {
    // Suspends the whole process group, as a terminal does, with wrappers such as npx.
    suspend: () => process.kill(0, 'SIGTSTP'),
    end: () => void process.off('SIGTSTP', stop).off('SIGCONT', after),
  };
}

/** The standard streams in use, each with a function that returns whether everything was written. */
const watched = new Map<NodeJS.WriteStream, () => boolean>();
function watch(stream: NodeJS.WriteStream, onError: (error: NodeJS.ErrnoException) => void): typeof stream {
  if (watched.has(stream)) return stream;
  if (stream.isTTY) assumeWidth(stream);
  stream.on('error', onError);
  watched.set(stream, watchQueue(stream));
  return stream;
}

/** Assume 80 columns for a terminal without a size, as some CI runners have. Node assigns `columns` again at every resize. */
function assumeWidth(stream: NodeJS.WriteStream): void {
  let { columns } = stream;
  Object.defineProperty(stream, 'columns', {
    get: () => columns || Number(process.env['COLUMNS']) || 80,
    set(value: number) {
      columns = value;
    },
  });
}

/** The error of a write that no caller awaited. It is reported if the command succeeds otherwise. */
let writeError: unknown;
let whenReaderGone: (() => void) | undefined;
function onWriteError(error: NodeJS.ErrnoException): void {
  // The reader closed the pipe (`| head`), which is not an error.
  if (isClosedPipe(error)) {
    if (done || !whenReaderGone) process.exit(done ? process.exitCode : 0);
    whenReaderGone();
  } else if (!done) writeError = error;
  else if (process.exitCode === 0) process.exitCode = reportError(error);
}

function reportError(error: unknown): number {
  return report(error, errorOutput(splitArgv(argv), context));
}

process.on('uncaughtException', (error) => process.exit(reportError(error)));

let input: NodeJS.ReadStream | undefined;
// Getters, because creating a standard stream takes time.
const context: Context = {
  env: process.env,
  // The current folder may have been removed. A relative path must not become one of another folder.
  cwd: attempt(() => process.cwd()) ?? (process.env['PWD'] || '/'),
  program: selfCommand(process.argv),
  get stdin() {
    // Node treats it as empty input.
    if (platform !== 'win32' && fstatSync(0).isDirectory())
      throw new Failure('usage', 'standard input is a directory');
    input = process.stdin;
    return input;
  },
  get stdout() {
    return watch(process.stdout, onWriteError);
  },
  get stderr() {
    // Errors are ignored: the exit code is still set.
    return watch(process.stderr, () => {});
  },
  now: Date.now,
  elapsed: () => performance.now(),
  signal: ending.signal,
  onSignal(act) {
    programs.add(act);
    return () => {
      programs.delete(act);
      endSoon();
    };
  },
  random: Math.random,
  leave,
  onReaderGone(act) {
    whenReaderGone = act;
  },
  onSuspend,
};

async function runQuietly(): Promise<number> {
  if (process.env['NODE_DEBUG'])
    (await import('./cli/terminal/clean.ts')).hideSecrets(process.stderr, process.env);
  return run(argv, context);
}

void runQuietly().then(async (code) => {
  await writesReported();
  // process.exit() would lose output that is queued on a pipe.
  process.exitCode = code === 0 && writeError ? reportError(writeError) : code;
  done = true;
  // A silent writer would keep the process alive.
  input?.destroy();
  // With no output pending, exit at once: the regular shutdown of Node takes up to 10 ms.
  const written = [...watched].every(([{ errored }, isWritten]) => isWritten() && !errored);
  if (written && !isBusy()) process.exit();
});
