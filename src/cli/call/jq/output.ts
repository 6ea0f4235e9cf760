/** The output of `--jq`: JSON goes through a jq program before it is printed. */
import { Writable } from 'node:stream';
import { Failure } from '../../../errors.ts';
import { createOutput } from '../../../output/index.ts';
import type { Output, OutputOptions } from '../../../output/model.ts';
import { nativeJsonBytes } from '../../../support/runtime.ts';
import type { Session } from '../../session/model.ts';
import { readOutputOptions } from '../output-options.ts';
import { evaluate, type InputFormat, inputLimit, inputTooLarge } from './engine.ts';
import { isRowWise, runtimeError } from './program.ts';
import { openResults, type Results } from './results.ts';

/** A stream that collects its input. */
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

type Lists = { readonly limit: number | undefined } & Pick<OutputOptions, 'objects' | 'long'>;

/** Open the output of `--jq`. A program that processes items separately runs in batches, any other over the whole result. */
export async function jqOutput(session: Session, program: string, lists: Lists): Promise<Output> {
  const { limit, objects } = lists;
  const results = await openResults(session, !isRowWise(program));
  const run = runner(session, program, results);
  const whole = await wholeOutput(session, program, { run, end: results.end }, lists);
  if (!isRowWise(program)) return whole;
  const [{ printed }, { picker }, { Sink }] = await Promise.all([
    import('../../../output/printer.ts'),
    import('../../../output/fields.ts'),
    import('../../../output/sink.ts'),
  ]);
  const { fields } = readOutputOptions(session);
  const pick = fields ? picker(fields) : (row: unknown): unknown => row;
  const byRow = printed(
    new Sink(session.context.stdout),
    limit ?? Number.POSITIVE_INFINITY,
    fields,
    nativeJsonBytes(lists.long),
    async (numbers) => ({
      async rows(rows) {
        await run(numbers.stringify(rows.map(pick)), 'ndjson');
        return '';
      },
      end: () => '',
      object: () => '',
    }),
    objects,
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

type Run = (input: string, format: InputFormat) => Promise<void>;

/**
 * Run the program and print its results.
 * @throws Failure `internal` for an error at run time, after printing the results before it
 */
function runner({ context: { signal }, notes, progress }: Session, program: string, results: Results): Run {
  return async (input, format) => {
    const endProgress = progress.open(() => 'running the jq program');
    const { stdout, stderr, exitCode } = await evaluate(input, program, format, signal).finally(endProgress);
    await results.print(stdout);
    if (exitCode !== 0) {
      await results.end();
      throw runtimeError(stderr, program);
    }
    for (const line of stderr === '' ? [] : stderr.split('\n')) notes.say(`jq: ${line}`);
  };
}

/** All pages of a list as one array, or one object. */
async function wholeOutput(
  session: Session,
  program: string,
  { run, end }: { readonly run: Run; readonly end: Results['end'] },
  { limit, objects }: Lists,
): Promise<Output> {
  const { fields, now } = readOutputOptions(session);
  const memory = new Memory();
  const options: OutputOptions = {
    format: 'json',
    ...(fields ? { fields } : {}),
    ...(limit === undefined ? {} : { limit }),
    objects,
    columns: [],
    header: false,
    csvSafe: false,
    color: false,
    time: 'iso',
    now,
  };
  const inner = createOutput(options, memory);
  /** The body, up to the limit of the engine: for a list, the limit applies to the part that is kept. */
  async function* bounded(body: AsyncIterable<Uint8Array>, format: InputFormat): AsyncGenerator<Uint8Array> {
    let read = 0;
    for await (const chunk of body) {
      read += chunk.length;
      if ((format === 'json' ? read : memory.size) > inputLimit) throw inputTooLarge(program, format);
      yield chunk;
    }
  }
  const finish = async (format: InputFormat): Promise<void> => {
    if (memory.size > inputLimit) throw inputTooLarge(program, format);
    await run(memory.text(), format);
    await end();
  };
  return {
    // Nothing is printed before the result is complete.
    rows: 0,
    page: (body) => inner.page(bounded(body, 'ndjson')),
    async endList() {
      const { rows } = await inner.endList();
      await finish('ndjson');
      return { rows };
    },
    async object(body) {
      await inner.object(bounded(body, 'json'));
      await finish('json');
    },
    async raw(body) {
      for await (const _ of body);
      throw new Failure('server_error', '--jq requires a JSON response');
    },
  };
}
