/** The only file that touches `process`: argv, streams, signals, exit code. */
import type { Context } from './cli/context.ts';
import { report } from './cli/exits.ts';
import { run } from './cli/program.ts';
import { Failure } from './errors.ts';

const argv = process.argv.slice(2);
const ending = new AbortController();
let done = false;

/** What may be going on has a second to end by itself; then the process ends, whatever it does. */
const grace = 900;
const signals = { SIGINT: ['interrupted', 130], SIGTERM: ['terminated', 143] } as const;
for (const [signal, [kind, code]] of Object.entries(signals)) {
  process.on(signal, () => {
    if (ending.signal.aborted) process.exit(code);
    ending.abort(new Failure(kind, kind));
    setTimeout(() => process.exit(done ? code : told(ending.signal.reason)), grace).unref();
  });
}

// `svc` warns of it in one line of its own, whichever transport is used.
if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') process.removeAllListeners('warning');

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
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
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
let input: NodeJS.ReadStream | undefined;
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
    return watch(process.stdout, onWriteError);
  },
  get stderr() {
    // Where nobody reads what is said, the exit code still says it.
    return watch(process.stderr, () => {});
  },
  now: Date.now,
  signal: ending.signal,
  random: Math.random,
  leave: (code) => process.exit(code),
};

void run(argv, context).then((code) => {
  // Not process.exit(): output still queued on a pipe would be cut.
  // Whatever stands there by now: jq's engine leaves a code of its own.
  process.exitCode = code === 0 && lost ? told(lost) : code;
  done = true;
  // Nobody reads on, and whoever writes to it may take his time.
  input?.destroy();
  // Where all that was written has left, Node need not take itself apart: that takes it up to 10 ms.
  if ([...watched].every(({ writableLength, errored }) => writableLength === 0 && !errored)) process.exit();
});
