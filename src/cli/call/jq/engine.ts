/** The jq engine, compiled to WebAssembly. Loaded only for `--jq`. */

import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { MessageChannel, Worker } from 'node:worker_threads';
import { Failure } from '../../../errors.ts';
import { shellQuote } from '../../../support/shell.ts';

/** Bytes of JSON that the engine accepts at once. It has 256 MiB of memory for the parsed values and the results. */
export const inputLimit = 64 * 1024 * 1024;

/** The format in which an external jq would read the same input. A list has one item per line. */
export type InputFormat = 'json' | 'ndjson';

/** The output of jq and its exit code. */
export interface JqResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

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

/** Run a program in the thread. @throws the reason of an aborted signal, and errors of the engine */
async function runInThread(input: string, program: string, signal: AbortSignal): Promise<JqResult> {
  signal.throwIfAborted();
  thread ??= startThread();
  const worker = thread;
  const { port1, port2 } = new MessageChannel();
  const stop = new AbortController();
  let onAbort = (): void => {};
  try {
    return await new Promise((resolve, reject) => {
      port1.once('message', ({ result, error }) => (result ? resolve(result) : reject(new Error(error))));
      once(worker, 'error', { signal: stop.signal }).then(
        ([error]) => reject(error),
        () => {},
      );
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort);
      worker.postMessage({ input, program, flags, port: port2 }, [port2]);
    });
  } catch (error) {
    if (signal.aborted) await worker.terminate();
    throw error;
  } finally {
    stop.abort();
    signal.removeEventListener('abort', onAbort);
    port1.close();
  }
}

/**
 * Run a program over JSON texts. Without input, the program is compiled but not run.
 * @throws Failure `usage` if the memory of the engine or of this process is exhausted
 */
export async function evaluate(
  input: string,
  program: string,
  format: InputFormat,
  signal: AbortSignal,
): Promise<JqResult> {
  try {
    return await runInThread(input, program, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (input !== '') throw inputTooLarge(program, format, error);
    throw new Failure('usage', '--jq: not enough memory for the built-in jq engine', {
      hint: `instead of --jq, append: -o json | jq -c ${shellQuote(program)}`,
      cause: error,
    });
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
