/** Print the results of the targets, in one format. */

import { errorObject, Failure } from '../../errors.ts';
import type { Redact } from '../../http/redact.ts';
import { expecting } from '../../output/expected.ts';
import { createOutput, valueBody } from '../../output/index.ts';
import { parseExact } from '../../output/json/values.ts';
import type { Output, OutputOptions } from '../../output/model.ts';
import { readBatches } from '../../output/printer.ts';
import { writeAll } from '../../output/sink.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { decode, once, peeked } from '../../support/bytes.ts';
import { jsonText } from '../../support/json.ts';
import { isRecord } from '../../support/record.ts';
import type { Format } from '../../support/text/formats.ts';
import { printable } from '../../support/text/printable.ts';
import type { TargetResult } from '../../tasks/context.ts';
import { describe, describeAll } from '../call/columns.ts';
import { expectedFields } from '../call/known-fields.ts';
import { readOutputOptions } from '../call/output-options.ts';
import { requestsOutput } from '../call/print.ts';
import { errorText } from '../report.ts';
import type { Session } from '../session/model.ts';
import { formatOf, isTabular, type Spool, type Output as TargetOutput } from './output.ts';

export interface Results {
  print(target: string, result: TargetResult, printed: TargetOutput | undefined): Promise<void>;
  end(): Promise<void>;
}

/** Targets whose rows determine the widths of the columns, and their bytes. */
const first = { targets: 100, bytes: 256 * 1024 };

/**
 * Open the output of all targets.
 * @param endpoint describes the rows, if they are responses of the API
 * @param isWrite whether the command writes, which is known when its command lines have been checked
 */
export function openResults(
  session: Session,
  endpoint: Endpoint | undefined,
  isWrite: () => boolean,
): Results {
  const format = formatOf(session);
  return isTabular(format) ? tables(session, endpoint, format, isWrite) : records(session, format, isWrite);
}

/** One object for each target. A write without a requested format prints only results and errors (interface section 3). */
function records(session: Session, format: Format, isWrite: () => boolean): Results {
  const omitsEmpty = () => isWrite() && !requestsOutput(session);
  const { fields: _, allFields: __, wrap: ___, ...options } = readOutputOptions(session);
  let output: Output | undefined;
  const open = () => {
    output ??= createOutput({ ...options, format }, session.context.stdout);
    return output;
  };
  return {
    async print(target, result, printed) {
      if (printed?.kind === 'requests') return printRequests(session, target, result, printed);
      const { exit, failure } = result;
      for (const { how, text } of printed?.notes ?? []) if (how === 'warn') session.notes.warn(text);
      if (printed) await printErrors(session, target, printed);
      const error = errorOf(result, printed, session.notes.redact);
      if (!failure) {
        if (omitsEmpty() && !error && (printed?.isEmpty ?? true)) return;
        return void (await open().page(recordOf({ target, exit, error }, printed)));
      }
      printed?.discard();
      await open().page(valueBody([{ target, exit, error }]));
    },
    async end() {
      if (session.options.dryRun === true || session.options.curl === true) return;
      if (output || !omitsEmpty()) await open().endList();
    },
  };
}

/** The error of a record. A task that ends with a kind of failure gave its reasons in notes. */
function errorOf({ failure, kind }: TargetResult, printed: TargetOutput | undefined, redact: Redact) {
  const said = (printed?.notes ?? []).flatMap(({ how, text }) => (how === 'say' ? [redact(text)] : []));
  const last = failure || kind === undefined ? undefined : said.pop();
  const shown = last === undefined ? failure : new Failure('partial', last);
  if (!shown) return undefined;
  const { error } = errorObject(shown);
  const details = [...said, ...shown.details];
  return { ...error, ...(kind ? { kind } : {}), ...(details.length > 0 ? { details } : {}) };
}

/** A list of one record, with the data as it was received. */
async function* recordOf(head: object, printed: TargetOutput | undefined): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`[${JSON.stringify(head).slice(0, -1)},"data":`);
  if (!printed) yield Buffer.from('null');
  else if (printed.kind === 'json') yield* orNull(printed.data.read());
  else {
    const text = await textOf(printed.data);
    const lines = linesOf(text);
    // A single result of a jq program is not in a list.
    if (printed.kind === 'lines') yield Buffer.from(lines.length === 1 ? text : `[${lines.join(',')}]`);
    else yield Buffer.from(text === '' ? 'null' : JSON.stringify(text));
  }
  yield Buffer.from('}]');
}

async function* orNull(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  for await (const chunk of body) {
    isEmpty = false;
    yield chunk;
  }
  if (isEmpty) yield Buffer.from('null');
}

async function textOf(capture: Spool): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of capture.read()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return decode(bytes) ?? bytes.toString('base64');
}

/** Print the requests of a dry run, up to a failure. */
async function printRequests(
  session: Session,
  target: string,
  { failure }: TargetResult,
  { data }: TargetOutput,
): Promise<void> {
  await writeAll(data.read(), session.context.stdout);
  if (failure) printFailure(session, target, failure);
}

function printFailure({ context, terminal }: Session, target: string, failure: Failure): void {
  const named = failure.with({ message: `${target}: ${failure.message}` });
  const lines = errorText(named, terminal.messages, terminal.clean);
  context.stderr.write(`${lines.join('\n')}\n`);
}

/** Print what another program printed on standard error, each line with the target. */
async function printErrors(
  { context, terminal }: Session,
  target: string,
  printed: TargetOutput,
): Promise<void> {
  if (printed.errors.isEmpty) return;
  const [{ createInterface }, { Readable }] = await Promise.all([
    import('node:readline'),
    import('node:stream'),
  ]);
  const input = Readable.from(printed.errors.read());
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
    context.stderr.write(`${terminal.clean(`${target}: ${line}`)}\n`);
}

/** The rows of all targets in one table, and errors and notes on standard error. */
function tables(
  session: Session,
  returned: Endpoint | undefined,
  format: Format,
  isWrite: () => boolean,
): Results {
  const { context, notes, terminal } = session;
  const given = readOutputOptions(session);
  const { fields: _, ...withoutFields } = given;
  // A jq program gets the fields, and its results have any others.
  const isFiltered = session.options.jq !== undefined;
  const endpoint = isFiltered ? undefined : returned;
  const options: OutputOptions = isFiltered ? { ...withoutFields, allFields: true } : given;
  const described = endpoint ? (options.allFields ? describeAll : describe)(endpoint) : { columns: [] };
  const column = { path: 'TARGET', label: 'TARGET', kind: 'name' } as const;
  const plain = createOutput(
    {
      ...options,
      ...described,
      format: format === 'raw' ? 'table' : format,
      columns: described.columns.length > 0 ? [column, ...described.columns] : [],
      ...(options.fields ? { fields: ['TARGET', ...options.fields] } : {}),
    },
    context.stdout,
  );
  const named = [{ flag: '--fields', paths: options.fields ?? [] }];
  const expected = expectedFields(session, endpoint, named, isWrite);
  const output = expected ? expecting(plain, expected) : plain;
  /** The rows of the first targets, as JSON: they determine the widths of the columns. */
  let held: string[] | undefined = [];
  let size = 0;
  let targets = 0;
  const printList = async (rows: string) => void (await output.page(once(Buffer.from(`[${rows}]`))));
  const flush = async () => {
    const rows = held ?? [];
    held = undefined;
    if (rows.length > 0) await printList(rows.join(','));
  };
  const add = async (target: string, values: readonly unknown[]) => {
    if (values.length === 0) return;
    const rows = values.map((value) => jsonText(rowOf(target, value))).join(',');
    if (!held) return printList(rows);
    held.push(rows);
    size += rows.length;
    if (size >= first.bytes) await flush();
  };
  const printText = async (target: string, exit: number, text: string) => {
    if (text === '') return;
    await flush();
    const code = exit === 0 ? '' : ` (exit code ${exit})`;
    const shown = terminal.screen ? printable(text, { multiline: true }) : text;
    const block = `==> ${terminal.clean(target)}${code} <==\n${shown}${shown.endsWith('\n') ? '' : '\n'}`;
    return writeAll(once(Buffer.from(block)), context.stdout);
  };
  const printData = async (target: string, result: TargetResult, { kind, data }: TargetOutput) => {
    if (kind === 'text') return printText(target, result.exit, await textOf(data));
    if (kind === 'json') {
      const { first: start, body } = await peeked(data.read());
      if (start === undefined) return;
      const list = start === '[' ? body : asList(body);
      await readBatches(list, (rows) => add(target, rows)).catch((error: unknown) => {
        // A list that failed is not closed.
        if (!result.failure) throw error;
      });
    } else {
      const values = await Promise.all(linesOf(await textOf(data)).map(parseExact));
      await add(
        target,
        values.flatMap((value) => (Array.isArray(value) && value.every(isRecord) ? value : [value])),
      );
    }
    targets += 1;
    if (targets >= first.targets) await flush();
  };
  return {
    async print(target, result, printed) {
      if (printed?.kind === 'requests') return printRequests(session, target, result, printed);
      for (const { how, text } of printed?.notes ?? []) {
        if (how === 'say') notes.say(`${target}: ${text}`);
        else notes[how](text);
      }
      if (printed) {
        await printErrors(session, target, printed);
        await printData(target, result, printed);
      }
      // What arrived before a failure was printed above, as by the command alone.
      if (result.failure) printFailure(session, target, result.failure);
    },
    async end() {
      await flush();
      if (session.options.dryRun === true || session.options.curl === true) return;
      if (output.rows > 0 || endpoint?.returns.kind === 'list') await output.endList();
    },
  };
}

/** A row that begins with the target. Any value but an object is in a column of its own. */
function rowOf(target: string, value: unknown): object {
  return { TARGET: target, ...(isRecord(value) ? value : { value }) };
}

async function* asList(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('[');
  yield* body;
  yield Buffer.from(']');
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
