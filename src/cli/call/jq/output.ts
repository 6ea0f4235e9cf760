/** The output of `--jq`: JSON goes through a jq program before it is printed. */
import { Failure } from '../../../errors.ts';
import { picker } from '../../../output/fields.ts';
import { createOutput } from '../../../output/index.ts';
import { parseExact } from '../../../output/json/values.ts';
import type { Output, OutputOptions } from '../../../output/model.ts';
import { readBatches } from '../../../output/printer.ts';
import { collect, jsonStream, once } from '../../../support/bytes.ts';
import { jsonText, layoutJson } from '../../../support/json.ts';
import { isRecord } from '../../../support/record.ts';
import { printable } from '../../../support/text/printable.ts';
import { parseJsonText } from '../../request/response.ts';
import type { Session } from '../../session/model.ts';
import { evaluate, type InputFormat, inputLimit, inputTooLarge, isRowWise, runtimeError } from './engine.ts';

/** Open the output of `--jq`. A program that processes items separately runs in batches, any other over the whole result. */
export async function jqOutput(
  session: Session,
  program: string,
  options: OutputOptions,
  { limit, objects }: Pick<OutputOptions, 'limit' | 'objects'>,
): Promise<Output> {
  const isWhole = !isRowWise(program);
  const { notes, progress, context } = session;
  const { value, source } = session.settings.output;
  const isJson = source !== 'flag' || value === 'json' || value === 'ndjson';
  const results = await (isJson ? asJson(session) : asRows(session, options, isWhole));
  const { fields, check } = options;
  const pick = fields ? picker(fields) : (row: unknown): unknown => row;
  const tally = { rows: 0, objects, check };
  const kept: string[] = [];
  let size = 0;
  /** Run the program and print its results. An error at run time is thrown after the results before it are printed. */
  const run = async (input: string, format: InputFormat): Promise<void> => {
    const endProgress = progress.open(() => 'running the jq program');
    const { stdout, stderr, exitCode } = await evaluate(input, program, format, context.signal).finally(
      endProgress,
    );
    if (stdout !== '' || exitCode === 0) await results.print(stdout);
    if (exitCode !== 0) {
      await results.end();
      throw runtimeError(stderr);
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
    // Of a program over the whole list, nothing is printed before the list is complete.
    tally: isWhole ? { rows: 0 } : tally,
    page: (body) => readBatches(body, add, { tally, limit }),
    async endList() {
      if (isWhole) await run(`[${kept.join(',')}]`, 'ndjson');
      await results.end();
    },
    async object(body) {
      const bytes = await collect(body, inputLimit, () => inputTooLarge(program, 'json'));
      const value = await parseJsonText(bytes.toString('utf8'), undefined, parseExact);
      check?.([value].flat());
      await run(jsonText(pick(value)), 'json');
      await results.end();
    },
  };
}

interface Results {
  print(text: string): Promise<void>;
  end(): Promise<void>;
}

async function asJson({ options, terminal, context }: Session): Promise<Results> {
  const { Sink } = await import('../../../output/sink.ts');
  const { jsonGuard } = await import('../../../output/guard.ts');
  const raw = options.rawStrings === true;
  const sink = new Sink(context.stdout);
  const shown = (line: string): string => {
    if (raw && line.startsWith('"')) {
      const text: string = JSON.parse(line);
      return terminal.screen ? printable(text, { multiline: true }) : text;
    }
    return terminal.screen ? String(jsonGuard(layoutJson(line, 0))) : line;
  };
  return {
    async print(text) {
      if (text !== '') await sink.write([`${text.split('\n').map(shown).join('\n')}\n`]);
    },
    end: async () => {},
  };
}

/** Print objects as rows, with the columns of the first results. @param isWhole all results are printed at once */
async function asRows(session: Session, given: OutputOptions, isWhole: boolean): Promise<Results> {
  // The program has already processed the fields.
  const options = { ...given, fields: undefined, wrap: undefined, check: undefined };
  const { format } = options;
  const isYaml = format === 'yaml';
  const open = () => createOutput({ ...options, allFields: true }, session.context.stdout);
  let output: Output | undefined;
  return {
    async print(text) {
      const lines = text === '' ? [] : text.split('\n');
      if (isWhole && lines.length === 1 && (isYaml || text.startsWith('{')))
        return open().object(once(Buffer.from(text)));
      const results = await Promise.all(lines.map(parseExact));
      const rows = isYaml ? results : objectsIn(results, format);
      if (rows.length === 0 && !isYaml) return;
      output ??= open();
      await output.page(jsonStream(rows));
    },
    async end() {
      await output?.endList();
    },
  };
}

/** The objects among results and in arrays. @throws Failure `internal` for another value, since a write may have been carried out */
function objectsIn(results: readonly unknown[], format: string): readonly unknown[] {
  const rows = results.flat();
  if (rows.every(isRecord)) return rows;
  throw new Failure('internal', `--jq: -o ${format} prints objects only, and a result is another value`, {
    hint: ['build objects: {name: .}', '-o json prints any result; -r prints strings without quotes'],
  });
}
