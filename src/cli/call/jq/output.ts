/** The output of `--jq`: JSON goes through a jq program before it is printed. */
import { Failure, usage } from '../../../errors.ts';
import { picker } from '../../../output/fields.ts';
import { createOutput } from '../../../output/index.ts';
import { parseExact } from '../../../output/json/values.ts';
import type { Output, Tally } from '../../../output/model.ts';
import { readBatches } from '../../../output/printer.ts';
import { collect, once } from '../../../support/bytes.ts';
import { jsonText, layoutJson } from '../../../support/json.ts';
import { isRecord } from '../../../support/record.ts';
import type { Format } from '../../../support/text/formats.ts';
import { printable } from '../../../support/text/printable.ts';
import { parseJsonText } from '../../request/response.ts';
import type { Session } from '../../session/model.ts';
import { readOutputOptions } from '../output-options.ts';
import { evaluate, type InputFormat, inputLimit, inputTooLarge, isRowWise, runtimeError } from './engine.ts';

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
  const { value, source } = session.settings.output;
  const isJson = source !== 'flag' || value === 'json' || value === 'ndjson';
  const results = await (isJson ? asJson(session) : asRows(session, value, isWhole));
  const { fields } = readOutputOptions(session);
  const pick = fields ? picker(fields) : (row: unknown): unknown => row;
  const tally = { rows: 0, objects };
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
      const value = await parseJsonText(bytes.toString('utf8'), undefined, parseExact);
      await run(jsonText(pick(value)), 'json');
      await results.end();
    },
    async raw(body) {
      for await (const _ of body);
      throw new Failure('server_error', '--jq requires a JSON response');
    },
  };
}

/** Prints compact JSON, one result per line. */
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
      if (text !== '') await sink.write(`${text.split('\n').map(shown).join('\n')}\n`);
    },
    end: () => sink.settle(),
  };
}

/**
 * Print objects as rows, and other values as lines. The first results determine which, and the columns. YAML prints any results.
 * @param isWhole all results are printed at once, so that a single one can be printed as an object
 */
async function asRows(session: Session, format: Format, isWhole: boolean): Promise<Results> {
  const isYaml = format === 'yaml';
  let output: Output | undefined;
  let columns: Set<string> | undefined;
  let hasWarned = false;
  const open = async (rows: readonly unknown[]): Promise<Output> => {
    if (isYaml) return openFormat(session);
    if (rows.every((row) => !isRecord(row))) return openFormat(session, { header: false });
    columns = new Set(rows.flatMap((row) => (isRecord(row) ? Object.keys(row) : [])));
    return openFormat(session, { fields: [...columns] });
  };
  const check = (row: unknown): void => {
    if (isRecord(row) !== (columns !== undefined))
      throw usage(`--jq: -o ${format} cannot print objects and other values together`, [
        'build objects only: {name: .}; -o json prints any result',
      ]);
    const others = isRecord(row) ? Object.keys(row).filter((key) => columns?.has(key) === false) : [];
    if (hasWarned || others.length === 0) return;
    hasWarned = true;
    const names = others.map((key) => JSON.stringify(key)).join(', ');
    session.notes.warn(`--jq: later results have keys that are not printed: ${names}`);
  };
  let isSingle = false;
  return {
    async print(text) {
      const lines = text === '' ? [] : text.split('\n');
      isSingle = isWhole && lines.length === 1 && (isYaml || text.startsWith('{'));
      if (isSingle) return (await openFormat(session)).object(once(Buffer.from(text)));
      const results = isYaml ? [] : lines.map((line) => rowsOf(line, format));
      const rows = results.flatMap((one) => one.rows);
      if (rows.length === 0 && !isYaml) return;
      output ??= await open(rows);
      for (const row of rows) check(row);
      const texts = isYaml ? lines : results.flatMap((one) => (one.rows.length > 0 ? [one.text] : []));
      await output.page(once(Buffer.from(`[${texts.join(',')}]`)));
    },
    async end() {
      await output?.endList();
    },
  };
}

/** The output of a format, which prints every field that the program returns. */
async function openFormat(
  session: Session,
  changes: { readonly header?: false; readonly fields?: readonly string[] } = {},
): Promise<Output> {
  // The program has already processed the fields.
  const { fields: _, wrap: __, ...options } = readOutputOptions(session);
  return createOutput({ ...options, ...changes, allFields: true }, session.context.stdout);
}

/** The rows of one result: an array of objects has several. @throws Failure `usage` for another array */
function rowsOf(line: string, format: string): { readonly text: string; readonly rows: readonly unknown[] } {
  const value: unknown = JSON.parse(line);
  if (!Array.isArray(value)) return { text: line, rows: [value] };
  if (value.every(isRecord)) return { text: line.slice(1, -1), rows: value };
  throw usage(`--jq: -o ${format} cannot print a result that is an array of other values than objects`, [
    "for one value per line, append '| .[]' to the program",
    'for columns, build objects: {name: .}; -o json prints any result',
  ]);
}
