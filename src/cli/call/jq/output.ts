/** The output of `--jq`: JSON goes through a jq program before it is printed. */
import { Failure } from '../../../errors.ts';
import { picker } from '../../../output/fields.ts';
import { parseExact } from '../../../output/json/values.ts';
import type { Output, Tally } from '../../../output/model.ts';
import { readBatches } from '../../../output/printer.ts';
import { collect } from '../../../support/bytes.ts';
import { jsonText } from '../../../support/json.ts';
import type { Session } from '../../session/model.ts';
import { readOutputOptions } from '../output-options.ts';
import { evaluate, type InputFormat, inputLimit, inputTooLarge } from './engine.ts';
import { isRowWise, runtimeError } from './program.ts';
import { openResults } from './results.ts';

interface Lists extends Pick<Tally, 'objects'> {
  readonly limit: number | undefined;
}

/** Open the output of `--jq`. A program that processes items separately runs in batches, any other over the whole result. */
export async function jqOutput(
  session: Session,
  program: string,
  { limit, objects }: Lists,
): Promise<Output> {
  const isWhole = !isRowWise(program);
  const { notes, progress, context } = session;
  const results = await openResults(session, isWhole);
  const { fields } = readOutputOptions(session);
  const pick = fields ? picker(fields) : (row: unknown): unknown => row;
  const tally = { rows: 0, objects };
  /** The rows of a program over the whole list, as JSON without brackets. */
  const kept: string[] = [];
  let size = 0;
  /** Run the program and print its results. An error at run time is thrown after the results before it are printed. */
  const run = async (input: string, format: InputFormat): Promise<void> => {
    const endProgress = progress.open(() => 'running the jq program');
    const { stdout, stderr, exitCode } = await evaluate(input, program, format, context.signal).finally(
      endProgress,
    );
    await results.print(stdout);
    if (exitCode !== 0) {
      await results.end();
      throw runtimeError(stderr, program);
    }
    for (const line of stderr === '' ? [] : stderr.split('\n')) notes.say(`jq: ${line}`);
  };
  const add = async (rows: readonly unknown[]): Promise<void> => {
    const text = jsonText(rows.map(pick));
    if (!isWhole) return run(text, 'ndjson');
    size += text.length;
    if (size > inputLimit) throw inputTooLarge(program, 'ndjson');
    kept.push(text.slice(1, -1));
  };
  return {
    get rows() {
      // Of a program over the whole list, nothing is printed before the list is complete.
      return isWhole ? 0 : tally.rows;
    },
    page: (body) => readBatches(body, add, { tally, limit }),
    async endList() {
      if (isWhole) await run(`[${kept.join(',')}]`, 'ndjson');
      await results.end();
      return { rows: tally.rows };
    },
    async object(body) {
      const bytes = await collect(body, inputLimit, () => inputTooLarge(program, 'json'));
      await run(jsonText(pick(await parseExact(bytes.toString()))), 'json');
      await results.end();
    },
    async raw(body) {
      for await (const _ of body);
      throw new Failure('server_error', '--jq requires a JSON response');
    },
  };
}
