/** The only file that touches `process`: argv, streams, signals, exit code. */
import type { Context } from './cli/context.ts';
import { report } from './cli/exits.ts';
import { run } from './cli/program.ts';
import { Failure } from './errors.ts';

const { stdin, stdout, stderr, env } = process;
const argv = process.argv.slice(2);
const ending = new AbortController();

/** What may be going on has a second to end by itself; then the process ends, whatever it does. */
const grace = 900;
const signals = { SIGINT: ['interrupted', 130], SIGTERM: ['terminated', 143] } as const;
for (const [signal, [kind, code]] of Object.entries(signals)) {
  process.on(signal, () => {
    if (ending.signal.aborted) process.exit(code);
    ending.abort(new Failure(kind, kind));
    setTimeout(() => process.exit(code), grace).unref();
  });
}

/** A failed write of standard output that nobody awaited. A reader that went away is no error (`| head`). */
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
  process.exitCode = report(error, stderr, { json: false, clean: (text) => text });
});
stderr.on('error', () => {});
process.on('uncaughtException', (error) => {
  process.exitCode = report(error, stderr, { json: false, clean: (text) => text });
  process.exit();
});

let cwd: string;
try {
  cwd = process.cwd();
} catch {
  // The folder was removed under our feet: paths are then taken from the root.
  cwd = '/';
}
const context: Context = {
  env,
  cwd,
  stdin,
  stdout,
  stderr,
  now: Date.now,
  signal: ending.signal,
  random: Math.random,
};

void run(argv, context).then((code) => {
  // Not process.exit(): output still queued on a pipe would be cut.
  process.exitCode ??= code;
  stdin.destroy();
});
