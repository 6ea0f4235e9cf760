/** The jq engine, compiled to WebAssembly. Loaded only for `--jq`. */
import { setFlagsFromString } from 'node:v8';
import { MessageChannel, Worker } from 'node:worker_threads';
import { Failure, usage } from '../../../errors.ts';
import { shellQuote } from '../../../support/shell.ts';
import type { Session } from '../../session/model.ts';

/** Bytes of JSON that the engine accepts at once. It has 256 MiB of memory for the parsed values and the results. */
export const inputLimit = 64 * 1024 * 1024;

/** The format in which an external jq would read the same input. A list has one item per line. */
export type InputFormat = 'json' | 'ndjson';

/** One result per line. The `--` ends the flags, because a program may begin with a dash. */
const flags = ['--compact-output', '--'];

let thread: Worker | undefined;

/** The engine runs in a thread, so that an endless program does not keep this thread from handling signals. */
function startThread(): Worker {
  // The transport sets a small tiering budget, which would keep the engine from being optimized.
  setFlagsFromString('--wasm-tiering-budget=1800000');
  const worker = new Worker(new URL('./jq-worker.js', import.meta.url));
  worker.once('exit', () => {
    if (thread === worker) thread = undefined;
  });
  worker.unref();
  return worker;
}

/** Run a program over JSON, or only compile it without input. @throws Failure `usage` if its memory is exhausted */
export async function evaluate(
  input: string,
  program: string,
  format: InputFormat,
  signal: AbortSignal,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }> {
  signal.throwIfAborted();
  thread ??= startThread();
  const worker = thread;
  const { port1, port2 } = new MessageChannel();
  let fail = (_?: unknown): void => {};
  try {
    return await new Promise((resolve, reject) => {
      fail = reject;
      port1.once('message', ({ result, error }) => (result ? resolve(result) : reject(new Error(error))));
      worker.once('error', fail);
      signal.addEventListener('abort', fail);
      worker.postMessage({ input, program, flags, port: port2 }, [port2]);
    });
  } catch (error) {
    if (signal.aborted) {
      await worker.terminate();
      throw signal.reason;
    }
    if (input !== '') throw inputTooLarge(program, format, error);
    throw new Failure('usage', '--jq: not enough memory for the built-in jq engine', {
      hint: `instead of --jq, append: -o json | jq -c ${shellQuote(program)}`,
      cause: error,
    });
  } finally {
    worker.off('error', fail);
    signal.removeEventListener('abort', fail);
    port1.close();
  }
}

export function inputTooLarge(program: string, format: InputFormat, cause?: unknown): Failure {
  const pipeline = `-o ${format} | jq -c${format === 'ndjson' ? ' --slurp' : ''} ${shellQuote(program)}`;
  return new Failure('usage', '--jq: the result is too large for the built-in jq engine', {
    hint: [
      `instead of --jq, append: ${pipeline}`,
      "a program that begins with '.[] |' accepts a list of any length",
    ],
    cause,
  });
}

/** Functions that read other items, or that stop the whole program. */
const beyondItem = /\b(?:input\w*|halt\w*|modulemeta)\b|\$__/;

/** Whether a program handles each item separately: `.[]` and a path, alone or before a pipe, which has the lowest precedence. */
export function isRowWise(program: string): boolean {
  return (
    /^\s*\.\[\]\??(?:\.[a-zA-Z_]\w*\??|\[\d*\]\??)*\s*(?:\|(?!=)|$)/.test(program) &&
    !beyondItem.test(program)
  );
}

export function runtimeError(stderr: string): Failure {
  const message = stderr.replace(/^jq: (?:parse )?error ?(?:\(at [^)]*\))?:? ?/m, '').trim();
  // The engine cuts long values, and a part of a token would not be masked.
  const whole = message.replace(/ \(.*?\.\.\.\W?\)/gs, '');
  return new Failure('internal', `--jq: ${whole}`, {
    hint: 'check the program against the response; --json prints it',
  });
}

/** Check `--jq` and `--raw-strings` before anything is sent. @throws Failure `usage` */
export async function checkProgram({ options, settings, context }: Session): Promise<void> {
  const { jq: program, rawStrings } = options;
  if (program === undefined) throw usage('--raw-strings (-r) requires --jq');
  const { value, source, from } = settings.output;
  if (source === 'flag' && value === 'raw') throw usage(`--jq and ${from} raw cannot be used together`);
  if (source === 'flag' && rawStrings === true && !['json', 'ndjson'].includes(value))
    throw usage(`--raw-strings (-r) and ${from} ${value} cannot be used together`);
  const { exitCode, stderr } = await evaluate('', program, 'ndjson', context.signal);
  // The message, with the line and a mark below the position.
  const [first, ...details] = stderr
    .replace(/^jq: (?:error: |\d+ compile errors?$)/gm, '')
    .replace(/ at <top-level>, (line \d+, column \d+):$/m, ' ($1)')
    .trim()
    .split('\n');
  if (exitCode !== 0)
    throw new Failure('usage', `--jq: ${first}`, { details, hint: 'see https://jqlang.org/manual' });
}
