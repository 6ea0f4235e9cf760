/** The only file that touches `process`: argv, streams, signals, exit code. */
import type { Context } from './cli/context.ts';
import { report } from './cli/report.ts';
import { run } from './cli/run.ts';
import { Failure } from './errors.ts';

const argv = process.argv.slice(2);
const ending = new AbortController();
let done = false;

// Set before anything can end the process early: exit code 0 means that the command is complete.
process.exitCode = 1;
process.once('beforeExit', () => {
  if (!done) leave(told(new Error('the command ended before it was complete')));
});

/** Milliseconds that running work has to stop and clean up after a signal. */
const grace = 600;
const signals = {
  SIGINT: ['interrupted', 130],
  SIGTERM: ['terminated', 143],
  SIGHUP: ['terminated', 143],
  SIGQUIT: ['interrupted', 130],
} as const;
for (const [signal, [kind, code]] of Object.entries(signals)) {
  process.on(signal, () => {
    if (ending.signal.aborted) leave(code);
    ending.abort(new Failure(kind, kind));
    setTimeout(() => leave(done ? code : told(ending.signal.reason)), grace).unref();
  });
}

// `svc` warns of it in one line of its own, whichever transport is used.
if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') process.removeAllListeners('warning');
/** Whether a thread of Node's pool is in a system call. Node waits for it before it exits: without limit, where a pipe is silent. */
function isBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(FSReq|GetAddrInfoReq)/.test(name));
}

/** End the process now. */
function leave(code: number): never {
  // The default action of a signal does not wait for threads, and a shell sees the same exit code.
  const signal = code === 130 ? 'SIGINT' : 'SIGTERM';
  if (ending.signal.aborted && isBusy()) process.removeAllListeners(signal).kill(process.pid, signal);
  process.exit(code);
}

/** Suspend and continue for a prompt, which must not leave the terminal in raw mode meanwhile. */
function onSuspend(before: () => void, after: () => void): { suspend(): void; end(): void } {
  const stop = () => {
    before();
    process.off('SIGTSTP', stop);
    // Returns when the process continues; at once where no shell could continue it.
    process.kill(process.pid, 'SIGTSTP');
    process.on('SIGTSTP', stop);
    after();
  };
  process.on('SIGTSTP', stop).on('SIGCONT', after);
  return {
    // The whole process group, as the terminal does it: a wrapper such as npx is suspended too.
    suspend: () => process.kill(0, 'SIGTSTP'),
    end: () => void process.off('SIGTSTP', stop).off('SIGCONT', after),
  };
}

const watched = new Set<NodeJS.WriteStream>();
function watch(stream: NodeJS.WriteStream, onError: (error: NodeJS.ErrnoException) => void): typeof stream {
  if (!watched.has(stream)) stream.on('error', onError);
  watched.add(stream);
  return stream;
}

/** A failed write. Whoever awaited it tells of it by himself; we tell of one that nobody awaited, where nothing else went wrong. */
let lost: unknown;
function onWriteError(error: NodeJS.ErrnoException): void {
  // A reader that went away is no error (`| head`).
  if (error.code === 'EPIPE') process.exit(done ? process.exitCode : 0);
  if (!done) lost = error;
  else if (process.exitCode === 0) process.exitCode = told(error);
}

function told(error: unknown): number {
  return report(error, context.stderr, false);
}

process.on('uncaughtException', (error) => process.exit(told(error)));

let cwd: string;
try {
  cwd = process.cwd();
} catch {
  // The folder was removed under our feet: paths are then taken from the root.
  cwd = '/';
}
/**
 * Whether standard output was closed (`>&-`): Node has then opened /dev/null in its place. A parent may have chosen /dev/null in the
 * same mode, so it counts only below a shell that has its own output elsewhere. Linux only.
 */
function isOutputClosed(): boolean {
  const { fstatSync, lstatSync, readFileSync, readlinkSync } = process.getBuiltinModule('node:fs');
  const nullDevice = 0x103;
  const readWrite = 2;
  if (process.platform !== 'linux' || fstatSync(1).rdev !== nullDevice) return false;
  const parent = `/proc/${process.ppid}`;
  try {
    const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(readFileSync('/proc/self/fdinfo/1', 'utf8')) ?? [];
    if ((Number.parseInt(flags, 8) & 3) !== readWrite) return false;
    const own = lstatSync(`${parent}/fd/1`, { throwIfNoEntry: false });
    return (
      /\/(busybox|[a-z]*sh)$/.test(readlinkSync(`${parent}/exe`)) &&
      (own === undefined || readlinkSync(`${parent}/fd/1`) !== '/dev/null')
    );
  } catch {
    return false;
  }
}

/** Fails every write, as the system does for a closed file. */
function closedOutput(): NodeJS.WriteStream {
  const { Writable } = process.getBuiltinModule('node:stream');
  const error = Object.assign(new Error('EBADF: standard output is closed, write'), {
    code: 'EBADF',
    errno: -9,
  });
  return new Writable({ write: (_chunk, _encoding, done) => done(error) }) as NodeJS.WriteStream;
}

let input: NodeJS.ReadStream | undefined;
let output: NodeJS.WriteStream | undefined;
// Node makes each standard stream when it is first asked for, and that takes time: a command that needs none gets none.
const context: Context = {
  env: process.env,
  cwd,
  program: [process.execPath, ...process.argv.slice(1, 2)],
  get stdin() {
    // To Node it would be an empty input.
    if (process.platform !== 'win32' && process.getBuiltinModule('node:fs').fstatSync(0).isDirectory())
      throw new Failure('usage', 'standard input is a folder');
    input = process.stdin;
    return input;
  },
  get stdout() {
    output ??= isOutputClosed() ? closedOutput() : process.stdout;
    return watch(output, onWriteError);
  },
  get stderr() {
    // Where nobody reads what is said, the exit code still says it.
    return watch(process.stderr, () => {});
  },
  now: Date.now,
  signal: ending.signal,
  random: Math.random,
  leave,
  onSuspend,
};

async function runQuietly(): Promise<number> {
  if (process.env['NODE_DEBUG'])
    (await import('./cli/terminal/debug.ts')).hideSecrets(process.stderr, process.env);
  return run(argv, context);
}

void runQuietly().then((code) => {
  // Not process.exit(): output still queued on a pipe would be cut.
  process.exitCode = code === 0 && lost ? told(lost) : code;
  done = true;
  // Nobody reads on, and whoever writes to it may take his time.
  input?.destroy();
  // Where all that was written has left, Node need not take itself apart: that takes it up to 10 ms.
  const written = [...watched].every(({ writableLength, errored }) => writableLength === 0 && !errored);
  if (written && !isBusy()) process.exit();
});
