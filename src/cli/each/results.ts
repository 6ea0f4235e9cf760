import { errorObject, Failure } from '../../errors.ts';
import type { Redact } from '../../http/redact.ts';
import { createOutput } from '../../output/index.ts';
import type { Output } from '../../output/model.ts';
import { readBatches } from '../../output/printer.ts';
import { writeAll } from '../../output/sink.ts';
import { type Endpoint, wholeListOf } from '../../spec/endpoint.ts';
import { type Fields, keysOf, text as textField } from '../../spec/field.ts';
import { counted, targetLabel } from '../../spec/names.ts';
import { collect, jsonStream, once, peeked } from '../../support/bytes.ts';
import { jsonText } from '../../support/json.ts';
import { isRecord } from '../../support/record.ts';
import type { Format } from '../../support/text/formats.ts';
import { shortList } from '../../support/text/list.ts';
import { printable } from '../../support/text/printable.ts';
import type { TargetLine, TargetResult } from '../../tasks/context.ts';
import type { PlanPart } from '../../tasks/engine/plan-text.ts';
import { checkWrap, readOutputOptions } from '../call/output-options.ts';
import { openOutput, print, requestsOutput, sayHidden } from '../call/print.ts';
import { paintPlans } from '../call/task/context.ts';
import { errorOutput, report } from '../report.ts';
import type { Session } from '../session/model.ts';
import { formatOf, isSlurped, isTabular, Spool, type Output as TargetOutput } from './output.ts';

interface Results {
  add(line: TargetLine, result: TargetResult, printed: TargetOutput): Promise<void>;
  end(): Promise<void>;
}

/** Open the output of all targets. @param isWrite is known when the command lines have been checked */
export function openResults(session: Session, endpoint: Endpoint | undefined, isWrite: () => boolean) {
  const { context, notes, terminal, options, settings } = session;
  const format = formatOf(session);
  const isTable = isTabular(format) || isSlurped(session);
  const results = isTable
    ? tables(session, endpoint, format, isWrite)
    : records(session, format, () => isWrite() && !requestsOutput(session));
  const plans: PlanPart[] = [];
  const errors = errorOutput({ format: settings.output.value, color: options.color }, context);
  const printError = (failure: Failure) => void report(failure, errors, terminal);
  const said = new Repeats((text) => notes.say(text));
  const warned = new Repeats((text) => notes.warn(text));
  const failed = new Repeats((text) => {
    const [message = '', ...details] = text.split('\n  ');
    printError(new Failure('partial', message, { details }));
  });
  const printFailure = (target: string, { failure }: TargetResult) => {
    if (!failure) return;
    const text = [failure.message, ...failure.details].join('\n  ');
    const print = () => printError(failure.with({ message: `${target}: ${failure.message}` }));
    if (errors.json) print();
    else failed.add(target, text, print);
  };
  return {
    async print(line: TargetLine, result: TargetResult, printed: TargetOutput): Promise<void> {
      const target = targetLabel(line);
      for (const { how, text } of printed.notes)
        if (how === 'say' && (isTable || !isWrite())) said.add(target, text);
        else if (how === 'warn') warned.add(target, text);
        else if (isTable) notes[how](text);
      if (printed.kind === 'requests') {
        await writeAll(printed.data.read(), context.stdout);
        return printFailure(target, result);
      }
      plans.push(...printed.plans);
      // Each line of another program has the target.
      const errors = (await collect(printed.errors.read())).toString('utf8');
      for (const line of errors === '' ? [] : errors.replace(/\n$/, '').split(/\r?\n/))
        context.stderr.write(`${terminal.clean(`${target}: ${line}`)}\n`);
      await results.add(line, result, printed);
      // The rows that arrived before a failure were printed above, as by the command alone.
      if (isTable) printFailure(target, result);
    },
    async end(): Promise<void> {
      if (options.dryRun !== true && options.curl !== true) await results.end();
      if (plans.length > 0) await paintPlans(session, plans);
      said.end();
      warned.end();
      failed.end();
    },
  };
}

/** Texts that occur for several targets, which are printed for the first one and once more, with `{target}`, for all others. */
class Repeats {
  readonly #print: (text: string) => void;
  readonly #others = new Map<string, string[]>();

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  add(target: string, text: string, printFirst = () => this.#print(`${target}: ${text}`)): void {
    const common = text.replaceAll(target, '{target}');
    const known = this.#others.get(common);
    if (known?.at(-1) === target) return;
    if (known) return void known.push(target);
    this.#others.set(common, [target]);
    printFirst();
  }

  /** `a, b and 3 more (5 targets): text` */
  end(): void {
    for (const [text, [, ...targets]] of this.#others) {
      const count = targets.length > 1 ? ` (${counted(targets.length, 'target')})` : '';
      if (targets.length > 0) this.#print(`${shortList(targets)}${count}: ${text}`);
    }
  }
}

/** One object for each target. A write without a requested format prints only results and errors. */
function records(session: Session, format: Format, omitsEmpty: () => boolean): Results {
  const options = { ...readOutputOptions(session), fields: undefined, allFields: undefined, wrap: undefined };
  let output: Output | undefined;
  const open = () => {
    output ??= createOutput({ ...options, format }, session.context.stdout);
    return output;
  };
  return {
    async add({ name: target, row }, result, printed) {
      const { exit, failure } = result;
      const error = errorOf(result, printed, session.notes.redact);
      if (!error && omitsEmpty() && printed.isEmpty) return;
      if (!error && printed.isUnchanged && 'changedOnly' in session.options) return printed.data.discard();
      // The rows of a report are whole, although it says that something is wrong.
      const isReport = failure?.kind === 'unsuccessful' && !printed.data.isEmpty;
      const hasData = !failure || isReport || printed.kind === 'steps';
      if (!hasData) printed.data.discard();
      const record = { target, row, exit, error };
      await open().page(hasData ? withData(record, printed) : jsonStream([record]));
    },
    async end() {
      if (output || !omitsEmpty()) await open().endList();
    },
  };
}

/** The error of a record. A task that ends with a kind of failure gave its reasons in notes. */
export function errorOf(
  { failure, kind }: Pick<TargetResult, 'failure' | 'kind'>,
  { notes }: TargetOutput,
  redact: Redact,
) {
  const said = notes.flatMap(({ how, text }) => (how === 'say' ? [redact(text)] : []));
  const last = failure || kind === undefined ? undefined : said.pop();
  const shown = last === undefined ? failure : new Failure('partial', last);
  if (!shown) return undefined;
  const { error } = errorObject(shown);
  const details = [...said, ...shown.details];
  return { ...error, ...(kind ? { kind } : {}), ...(details.length > 0 ? { details } : {}) };
}

async function* withData(record: object, printed: TargetOutput): AsyncGenerator<Uint8Array> {
  const name = printed.kind === 'steps' ? 'steps' : 'data';
  yield Buffer.from(`[${JSON.stringify(record).slice(0, -1)},"${name}":`);
  yield* printed.json();
  yield Buffer.from('}]');
}

/** Targets whose rows determine the widths of the columns, and the length of these rows as JSON. */
const first = { targets: 100, length: 256 * 1024 };

const targetColumn = { path: 'TARGET', label: 'TARGET', kind: 'name' } as const;

/** The attributes of an object that fit in cells, with those of the objects in it. */
function cellsOf(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.kind === 'rows') return [];
    return field.kind === 'object' ? Object.keys(keysOf(field) ?? {}).map((key) => `${name}.${key}`) : name;
  });
}

function withTarget(endpoint: Endpoint, format: Format): Endpoint {
  const { returns, columns } = endpoint;
  if (!('fields' in returns)) return endpoint;
  const fields = { TARGET: textField('Target'), ...returns.fields };
  const shown = columns.length > 0 || format !== 'table' ? columns : cellsOf(returns.fields);
  // Without columns, a table has every key of its rows.
  const all = shown.length > 0 ? [targetColumn, ...shown] : [];
  return { ...endpoint, returns: wholeListOf(fields), columns: all };
}

/** The rows of all targets in one table or, with `--slurp`, in one list. */
function tables(
  session: Session,
  returned: Endpoint | undefined,
  format: Format,
  isWrite: () => boolean,
): Results {
  const { context, terminal, settings, options } = session;
  const isList = isSlurped(session);
  const name = isList ? 'target' : 'TARGET';
  const { jq, rawStrings: _, sortBy: __, fields, ...others } = options;
  // A jq program gets the fields, and its results have any others.
  let endpoint = isList || jq !== undefined || !returned ? undefined : withTarget(returned, format);
  const named = fields === undefined ? {} : { fields: `${name},${fields}` };
  const shown = format === 'raw' ? 'table' : format;
  const own: Session = isList
    ? { ...session, options: { ...options, ...named } }
    : {
        ...session,
        options: { ...others, ...(jq === undefined ? named : { allFields: true }) },
        settings: { ...settings, output: { ...settings.output, value: shown } },
      };
  if (endpoint) checkWrap(own, endpoint);
  let opened: Promise<Output> | undefined;
  let hidden: readonly string[] = [];
  const open = () => {
    const onHidden = (labels: readonly string[]) => (hidden = labels);
    opened ??= openOutput(own, { endpoint, isWrite: isWrite(), onHidden });
    return opened;
  };
  /** Rows as JSON. Those of the first targets wait, because they determine the widths of the columns. */
  const rows = new Spool();
  let targets = 0;
  const flush = async () => {
    targets = first.targets;
    if (!rows.isEmpty) await (await open()).page(asList(rows.read()));
  };
  const addRows = async (target: string, values: readonly unknown[]) => {
    const texts = values.map((value) => rowText(name, target, value));
    if (texts.length > 0) rows.write(`${rows.isEmpty ? '' : ','}${texts.join(',')}`);
    if (!isList && rows.size >= first.length) await flush();
  };
  const printText = async (target: string, exit: number, text: string, isDocument: boolean) => {
    await flush();
    const name = `${terminal.clean(target)}${exit === 0 ? '' : ` (exit code ${exit})`}`;
    // Documents of YAML together are one file, which svc diff and svc apply read.
    const heading = isDocument ? `--- # ${name}` : `==> ${name} <==`;
    const shown = terminal.screen ? printable(text, { multiline: true }) : text;
    const block = `${heading}\n${shown}${shown.endsWith('\n') ? '' : '\n'}`;
    await writeAll(once(Buffer.from(block)), context.stdout);
  };
  return {
    async add({ name: target }, { exit, failure }, printed) {
      const { kind, data } = printed;
      if (data.isEmpty) return;
      if (endpoint && printed.endpoint) endpoint = withTarget(printed.endpoint, format);
      if (kind === 'text' && !isList) return printText(target, exit, await data.text(), printed.isDocument);
      await eachValue(printed, failure !== undefined, (values) => addRows(target, values));
      targets += 1;
      if (targets >= first.targets && !isList) await flush();
    },
    async end() {
      if (isList) return void (await print(own, { kind: 'rows', pages: once(asList(rows.read())) }));
      await flush();
      const isTyped = jq === undefined && returned?.returns.kind === 'list';
      if (opened || isTyped) await (await open()).endList();
      sayHidden(session, hidden);
    },
  };
}

/** A row with its target. Any value but an object is an attribute, and an attribute with the name of the target gets another name. */
function rowText(name: string, target: string, value: unknown): string {
  const row = isRecord(value) ? value : { value };
  let other = name;
  while (Object.hasOwn(row, other)) other += '_2';
  const entries = Object.entries(row).map(([key, item]) => [key === name ? other : key, item]);
  return jsonText(Object.fromEntries([[name, target], ...entries]));
}

/** Read the values that a target printed. @param isPartial a list that failed is not closed */
async function eachValue(
  printed: TargetOutput,
  isPartial: boolean,
  act: (values: readonly unknown[]) => Promise<void>,
): Promise<void> {
  const { first: start, body } = await peeked(printed.json());
  // A jq program may print lists of rows.
  const flat = (values: readonly unknown[]) =>
    act(values.flatMap((value) => (isRows(value) ? value : [value])));
  await readBatches(start === '[' ? body : asList(body), flat).catch((error: unknown) => {
    if (!isPartial) throw error;
  });
}

async function* asList(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('[');
  yield* body;
  yield Buffer.from(']');
}

const isRows = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.every(isRecord);
