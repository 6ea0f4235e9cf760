/** The only file that touches `process`: argv, streams, signals, exit code. */
import type { Context } from './cli/context.ts';
import { report } from './cli/exits.ts';
import { run } from './cli/program.ts';
import { Failure } from './errors.ts';

const argv = process.argv.slice(2);
const ending = new AbortController();

/** What may be going on has a second to end by itself; then the process ends, whatever it does. */
const grace = 900;
const signals = { SIGINT: ['interrupted', 130], SIGTERM: ['terminated', 143] } as const;
for (const [signal, [kind, code]] of Object.entries(signals)) {
  process.on(signal, () => {
    if (ending.signal.aborted) process.exit(code);
    ending.abort(new Failure(kind, kind));
    setTimeout(() => process.exit(told(ending.signal.reason)), grace).unref();
  });
}

let watching = false;
function watched(): typeof process.stdout {
  if (!watching) process.stdout.on('error', onWriteError);
  watching = true;
  return process.stdout;
}

/** A failed write that nobody awaited. A reader that went away is no error (`| head`). */
function onWriteError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
  process.exitCode = told(error);
}

function told(error: unknown): number {
  return report(error, process.stderr, { json: false, clean: (text) => text });
}

process.on('uncaughtException', (error) => process.exit(told(error)));

let cwd: string;
try {
  cwd = process.cwd();
} catch {
  // The folder was removed under our feet: paths are then taken from the root.
  cwd = '/';
}
// Node makes each standard stream when it is first asked for, and that takes time: a command that needs none gets none.
const context: Context = {
  env: process.env,
  cwd,
  program: [process.execPath, ...process.argv.slice(1, 2)],
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return watched();
  },
  get stderr() {
    return process.stderr;
  },
  now: Date.now,
  signal: ending.signal,
  random: Math.random,
};

void run(argv, context).then((code) => {
  // Not process.exit(): output still queued on a pipe would be cut.
  process.exitCode ??= code;
});
