/** `--jq`: jq's own engine, as WebAssembly, over the whole result. Loaded only where it is asked for. */
import { Writable } from 'node:stream';
import type { Jq } from 'jq-wasm/inline';
import { Failure, usage } from '../errors.ts';
import type { Output } from '../output/index.ts';
import { printable } from '../output/text.ts';
import type { Session } from './session.ts';
import { readSettings } from './view.ts';

/** A stream that keeps what is written. */
class Memory extends Writable {
  readonly #chunks: Buffer[] = [];
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** Each run needs a fresh engine: one that was broken off is not to be used again. */
async function loadEngine(): Promise<Jq> {
  // The carrier keeps its own small parser from being optimised; a program over a long list wants to be.
  process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=1800000');
  // With its bytes inside: there is no second file to be found beside it.
  const { loadJq } = await import('jq-wasm/inline');
  return loadJq();
}

/** One result a line, and an end of the flags: a program may begin with a dash. */
const flags = ['--compact-output', '--'];

/**
 * Judge `--jq` and `--raw-strings` before anything is sent.
 * @throws Failure `usage` that says where the program is wrong, or for flags that don't go together
 */
export async function checkProgram({ globals, settings }: Session): Promise<void> {
  const program = globals['jq'];
  if (typeof program !== 'string') throw usage('--raw-strings (-r) goes with --jq');
  const { value, source, from } = settings.output;
  if (source === 'flag' && value !== 'json' && value !== 'ndjson')
    throw usage(`--jq prints JSON: it does not go with ${from} ${value}`);
  if (program.includes('\0')) throw usage('--jq: a program holds no NUL');
  // With no input a program is compiled, and not run.
  const { exitCode, stderr } = evaluate(await loadEngine(), '', program);
  if (exitCode !== 0) throw compileError(stderr);
}

/** `syntax error, unexpected end of file (line 1, column 2)`, then the line and a mark below the place. */
function compileError(stderr: string): Failure {
  const lines = stderr.split('\n').filter((line) => !/^jq: \d+ compile errors?$/.test(line));
  const [first = '', ...more] = lines;
  const message = first
    .replace(/^jq: error: /, '')
    .replace(/ at <top-level>, (line \d+, column \d+):$/, ' ($1)');
  return new Failure('usage', `--jq: ${message}`, {
    details: more.filter((line) => line.trim() !== '').map((line) => line.replace(/^jq: error: /, '')),
    hint: 'https://jqlang.org/manual describes the language',
  });
}

/** The result of a command goes through the program once it is whole: all pages of a list are one array. */
export function jqOutput(session: Session, limit?: number): Output {
  const { fields } = readSettings(session);
  const memory = new Memory();
  const inner = import('../output/index.ts').then(({ createOutput }) =>
    createOutput(
      {
        format: 'json',
        ...(fields ? { fields } : {}),
        ...(limit === undefined ? {} : { limit }),
        columns: [],
        header: false,
        csvSafe: false,
        color: false,
        time: 'iso',
        now: session.context.now,
      },
      memory,
    ),
  );
  let rows = 0;
  return {
    get rows() {
      return rows;
    },
    async page(body) {
      const page = await (await inner).page(body);
      rows = page.rows;
      return page;
    },
    async endList() {
      await (await inner).endList();
      await run(session, memory.text());
      return { rows };
    },
    async object(body) {
      await (await inner).object(body);
      await run(session, memory.text());
    },
    async raw(body) {
      for await (const _ of body);
      throw new Failure('broken', '--jq wants JSON, and the answer is something else');
    },
  };
}

/**
 * Run the program and print its results, one a line; indented on a terminal.
 * @throws Failure `local` for an error of the program while it ran; what came before is printed
 */
async function run(session: Session, input: string): Promise<void> {
  const { globals, notes, terminal, context } = session;
  const { stdout, stderr, exitCode } = evaluate(await loadEngine(), input, globals['jq'] as string);
  const { writeAll } = await import('../output/sink.ts');
  const { indent } = await import('../output/json.ts');
  const { jsonGuard } = await import('../output/guard.ts');
  const raw = globals['raw-strings'] === true;
  const shown = (line: string): Uint8Array => {
    if (raw && line.startsWith('"')) {
      const text = JSON.parse(line) as string;
      return Buffer.from(terminal.screen ? printable(text, { multiline: true }) : text);
    }
    const bytes = Buffer.from(line);
    return terminal.screen ? Buffer.from(jsonGuard(indent(bytes))) : bytes;
  };
  const newline = Buffer.from('\n');
  await writeAll(
    (async function* () {
      for (const line of stdout === '' ? [] : stdout.split('\n')) {
        yield Buffer.concat([shown(line), newline]);
      }
    })(),
    context.stdout,
  );
  if (exitCode !== 0)
    throw /^jq: \d+ compile error/m.test(stderr) ? compileError(stderr) : runtimeError(stderr);
  for (const line of stderr === '' ? [] : stderr.split('\n')) notes.say(`jq: ${line}`);
}

function evaluate(engine: Jq, input: string, program: string) {
  try {
    return engine.raw(input, program, flags);
  } catch (error) {
    throw new Failure('local', '--jq: the engine gave up; the result may be too large for it', {
      cause: error,
    });
  }
}

function runtimeError(stderr: string): Failure {
  const [first = '', ...details] = stderr
    .split('\n')
    .map((line) => line.replace(/^jq: (parse )?error ?(\(at \/dev\/stdin:\d+\))?:? ?/, ''));
  return new Failure('local', `--jq: ${first === '' ? 'the program ended with an error' : first}`, {
    details,
    hint: 'the program does not fit the answer: see it with --json',
  });
}
