/** `--jq`: jq's own engine, as WebAssembly. Loaded only where it is asked for. */

import { once } from 'node:events';
import { Writable } from 'node:stream';
import { MessageChannel, Worker } from 'node:worker_threads';
import { Failure, usage } from '../../errors.ts';
import type { Output, OutputOptions } from '../../output/index.ts';
import { shellQuote } from '../request/dry-run.ts';
import { readSettings } from '../session/output-options.ts';
import type { Session } from '../session/session.ts';
import { compileError, isRowWise, runtimeError } from './jq-program.ts';
import { openResults, type Results } from './jq-results.ts';

/** Bytes of JSON that the engine is given at once. It has 256 MiB for all that it makes of them. */
const longest = 64 * 1024 * 1024;

/** A stream that keeps what is written. */
class Memory extends Writable {
  readonly #chunks: Buffer[] = [];
  size = 0;
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    this.size += chunk.length;
    done();
  }
  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** What jq printed, and how it ended. */
interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

let thread: Worker | undefined;

/** The engine runs in a thread of its own: an endless program must not keep this one from handling signals. */
function startThread(): Worker {
  // The transport keeps its own small parser from being optimized; a program over a long list wants to be.
  process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=1800000');
  const worker = new Worker(new URL('./jq-worker.js', import.meta.url));
  worker.once('exit', () => {
    if (thread === worker) thread = undefined;
  });
  worker.unref();
  return worker;
}

/** Run a program in the thread. @throws the signal's reason where it is aborted, and whatever the engine gave up with */
async function inThread(input: string, program: string, signal: AbortSignal): Promise<Ended> {
  signal.throwIfAborted();
  thread ??= startThread();
  const worker = thread;
  const { port1, port2 } = new MessageChannel();
  const stop = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      port1.once('message', ({ ended, error }) => (ended ? resolve(ended) : reject(new Error(error))));
      once(worker, 'error', { signal: stop.signal }).then(
        ([error]) => reject(error),
        () => {},
      );
      signal.addEventListener('abort', () => reject(signal.reason), { signal: stop.signal });
      worker.postMessage({ input, program, flags, port: port2 }, [port2]);
    });
  } catch (error) {
    if (signal.aborted) await worker.terminate();
    throw error;
  } finally {
    stop.abort();
    port1.close();
  }
}

/** One result a line, and an end of the flags: a program may begin with a dash. */
const flags = ['--compact-output', '--'];

/**
 * Judge `--jq` and `--raw-strings` before anything is sent.
 * @throws Failure `usage` that says where the program is wrong, or for flags that don't go together
 */
export async function checkProgram({ options, settings, context }: Session): Promise<void> {
  const { jq: program, rawStrings } = options;
  if (typeof program !== 'string') throw usage('--raw-strings (-r) goes with --jq');
  const { value, source, from } = settings.output;
  if (source === 'flag' && value === 'raw') throw usage(`--jq does not go with ${from} raw`);
  if (source === 'flag' && rawStrings === true && !['json', 'ndjson'].includes(value))
    throw usage(`--raw-strings (-r) does not go with ${from} ${value}`);
  if (program.includes('\0')) throw usage('--jq: a program holds no NUL');
  // With no input a program is compiled, and not run.
  const { exitCode, stderr } = await evaluate('', program, 'ndjson', context.signal);
  if (exitCode !== 0) throw compileError(stderr);
}

/** What goes through the program: each batch of rows, where it treats them one by one, else the whole result. */
export async function jqOutput(session: Session, limit?: number): Promise<Output> {
  const results = await openResults(session);
  const whole = await wholeOutput(session, results, limit);
  if (!isRowWise(session.options.jq as string)) return whole;
  const [{ printed }, { picker }, { Sink }] = await Promise.all([
    import('../../output/printer.ts'),
    import('../../output/fields.ts'),
    import('../../output/sink.ts'),
  ]);
  const { fields } = readSettings(session);
  const pick = fields ? picker(fields) : (row: unknown): unknown => row;
  const byRow = printed(
    new Sink(session.context.stdout),
    limit ?? Number.POSITIVE_INFINITY,
    fields,
    async (numbers) => ({
      async rows(rows) {
        await run(session, results, numbers.stringify(rows.map(pick)), 'ndjson');
        return '';
      },
      end: () => '',
      object: () => '',
    }),
  );
  return {
    get rows() {
      return byRow.rows;
    },
    page: (body) => byRow.page(body),
    async endList() {
      await results.end();
      return { rows: byRow.rows };
    },
    object: whole.object,
    raw: whole.raw,
  };
}

/** All pages of a list as one array, or one object. */
async function wholeOutput(session: Session, results: Results, limit: number | undefined): Promise<Output> {
  const { createOutput } = await import('../../output/index.ts');
  const { fields } = readSettings(session);
  const memory = new Memory();
  const options: OutputOptions = {
    format: 'json',
    ...(fields ? { fields } : {}),
    ...(limit === undefined ? {} : { limit }),
    columns: [],
    header: false,
    csvSafe: false,
    color: false,
    time: 'iso',
    now: session.context.now,
  };
  const inner = createOutput(options, memory);
  const finish = async (shape: Shape): Promise<void> => {
    if (memory.size > longest) throw tooLarge(session.options.jq as string, shape);
    await run(session, results, memory.text(), shape);
    await results.end();
  };
  return {
    // Nothing is printed before the whole is here.
    rows: 0,
    page: (body) => inner.page(bounded(body, () => memory.size, session, 'ndjson')),
    async endList() {
      const { rows } = await inner.endList();
      await finish('ndjson');
      return { rows };
    },
    async object(body) {
      let size = 0;
      const counted = (async function* () {
        for await (const chunk of body) {
          size += chunk.length;
          yield chunk;
        }
      })();
      await inner.object(bounded(counted, () => size, session, 'json'));
      await finish('json');
    },
    async raw(body) {
      for await (const _ of body);
      throw new Failure('server_error', '--jq wants JSON, and the answer is something else');
    },
  };
}

/** A format from which jq itself, in a pipeline, reads the same: a list is a line each. */
type Shape = 'json' | 'ndjson';

/** @throws Failure `usage` as soon as there is more than the engine can take */
async function* bounded(
  body: AsyncIterable<Uint8Array>,
  size: () => number,
  session: Session,
  shape: Shape,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    if (size() > longest) throw tooLarge(session.options.jq as string, shape);
    yield chunk;
  }
}

function tooLarge(program: string, shape: Shape, cause?: unknown): Failure {
  const pipeline = `-o ${shape} | jq -c${shape === 'ndjson' ? ' --slurp' : ''} ${shellQuote(program)}`;
  return new Failure('usage', '--jq: the result is too large for the engine inside svc', {
    hint: [
      `in place of --jq, append: ${pipeline}`,
      "a program that begins with '.[] |' takes a list of any length",
    ],
    cause,
  });
}

/**
 * Run the program and print its results.
 * @throws Failure `internal` for an error of the program while it ran; what came before is printed
 */
async function run(session: Session, results: Results, input: string, shape: Shape): Promise<void> {
  const program = session.options.jq as string;
  const { stdout, stderr, exitCode } = await evaluate(input, program, shape, session.context.signal);
  await results.print(stdout);
  if (exitCode !== 0) {
    await results.end();
    throw /^jq: \d+ compile error/m.test(stderr) ? compileError(stderr) : runtimeError(stderr, program);
  }
  for (const line of stderr === '' ? [] : stderr.split('\n')) session.notes.say(`jq: ${line}`);
}

/** @throws Failure `usage` where the memory of the engine, or of this process, does not suffice */
async function evaluate(input: string, program: string, shape: Shape, signal: AbortSignal): Promise<Ended> {
  try {
    return await inThread(input, program, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (input !== '') throw tooLarge(program, shape, error);
    throw new Failure('usage', '--jq: there is not enough memory for the engine inside svc', {
      hint: `in place of --jq, append: -o json | jq -c ${shellQuote(program)}`,
      cause: error,
    });
  }
}
