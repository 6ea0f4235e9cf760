/** Print the result of a command. The formats are known here and nowhere else. */
import { Failure } from '../../errors.ts';
import { createOutput } from '../../output/index.ts';
import type { Output, OutputOptions, PageResult } from '../../output/model.ts';
import { writeAll } from '../../output/sink.ts';
import { lowerFirst } from '../../spec/command.ts';
import { counted } from '../../spec/names.ts';
import type { Ending, File, One, Result, Rows, Written } from '../../spec/result.ts';
import { firstCharacter, once } from '../../support/bytes.ts';
import { errorCode, isClosedPipe } from '../../support/errno.ts';
import { printableText } from '../../support/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { errorOutput, toFailure } from '../report.ts';
import { maskedResponse } from '../request/response.ts';
import type { Session } from '../session/model.ts';
import {
  describe,
  describeAll,
  isForReaders,
  readOutputOptions,
  sortKeys,
  wrapColumn,
} from './output-options.ts';

/** Print a result in the format of the command line. @throws its failure, after its data */
export async function print(session: Session, result: Result): Promise<ExitCode> {
  const { stdout, onReaderGone, isCaptured } = session.context;
  if (result.heading !== undefined) stdout.write(result.heading);
  // How a command has ended does not depend on a reader that closes the pipe (`| head`). Other output ends with its reader.
  const hasEnded = result.failure !== undefined || result.ending !== undefined;
  if (hasEnded && !isCaptured) onReaderGone?.(() => {});
  await printData(session, result).catch((error) => {
    if (!hasEnded || !isClosedPipe(error)) throw error;
  });
  for (const { how, text } of result.notes ?? []) session.notes[how](text);
  if (result.failure) throw result.failure;
  // Without JSON, the notes are the message.
  if (result.ending === 'partial' && reportsJson(session))
    throw new Failure('partial', session.notes.last() ?? 'not all of it was done');
  return exitCodeOf(result.ending);
}

function reportsJson({ context, settings }: Session): boolean {
  return !context.isCaptured && errorOutput({ format: settings.output.value }, context).json;
}

/** A number is the exit code of another program. */
export const exitCodeOf = (ending: Ending = 0): ExitCode =>
  typeof ending === 'number' ? ending : exitCodes[ending];

async function printData(session: Session, result: Result): Promise<void> {
  switch (result.kind) {
    case 'rows':
      return printList(session, result);
    case 'object':
      return printObject(session, result);
    case 'written':
      return printWritten(session, result);
    case 'file':
      return printFile(session, result);
    case 'requests':
      return (await import('../request/dry-run.ts')).printRequests(session, result.requests);
    case 'text': {
      const { stdout } = session.context;
      stdout.write(stdout.isTTY ? printableText(result.text) : result.text);
    }
  }
}

async function printList(session: Session, result: Rows): Promise<void> {
  let hidden: readonly string[] = [];
  const output = await openOutput(session, { ...result, onHidden: (labels) => (hidden = labels) });
  let read: Omit<PageResult, 'full'> = { rows: 0, more: false };
  try {
    for await (const body of result.pages) {
      const page = await output.page(body);
      read = page;
      if (result.tally) result.tally.rows = page.rows;
      if (page.full) break;
    }
    await output.endList();
  } catch (error) {
    throw result.explain ? await result.explain(error, output.tally.rows) : error;
  }
  if (result.picture && isForReaders(session)) await printPicture(session, result.picture);
  const summary = read.isUncounted ? [] : result.summarize?.(read);
  for (const { how, text } of summary ?? []) session.notes[how](text);
  sayHidden(session, hidden);
}

export function sayHidden({ notes }: Session, labels: readonly string[]): void {
  if (labels.length > 0) notes.say(`${counted(labels.length, 'column')} hidden: ${labels.join(', ')}`);
}

async function printPicture({ context, terminal }: Session, draw: NonNullable<Result['picture']>) {
  const { createPen } = await import('../../output/pen.ts');
  const lines = draw(await createPen(terminal.screen?.width ?? 80, terminal));
  // Columns have no meaning for a screen reader.
  const shown = (line: string) => (terminal.accessible ? line.trim().replace(/ {2,}/g, ' ') : line);
  context.stdout.write(lines.map((line) => `${shown(line)}\n`).join(''));
}

async function printObject(session: Session, result: One): Promise<void> {
  const { body, format, comments = [] } = result;
  try {
    if (result.picture && isForReaders(session)) return await printPicture(session, result.picture);
    if (session.options.web === true) return await (await import('./web.ts')).printPage(session, body);
    if (format === undefined) {
      const hidden: string[] = [];
      const onHidden = (labels: readonly string[]) => void hidden.push(...labels);
      await (await openOutput(withSource(session), { ...result, onHidden })).object(body);
      sayHidden(session, [...new Set(hidden)]);
      if (result.below && isForReaders(session)) await printPicture(session, result.below);
      return;
    }
    const { context } = session;
    if (format === 'yaml') context.stdout.write(comments.map((line) => `# ${line}\n`).join(''));
    await createOutput({ ...readOutputOptions(session), format }, context.stdout).object(body);
  } catch (error) {
    throw result.explain ? await result.explain(error, 0) : error;
  }
}

/** With `--raw`, an object is printed as usual, without rendering its Markdown. */
function withSource(session: Session): Session {
  const { options, settings } = session;
  if (options.raw !== true) return session;
  return { ...session, settings: { ...settings, output: { ...settings.output, value: 'table' } } };
}

export function requestsOutput({ options, settings }: Session): boolean {
  const { fields, allFields, jq } = options;
  return [fields, allFields, jq].some((one) => one !== undefined) || settings.output.source !== 'default';
}

/** Print the response of a write, without the secrets that were sent, if the user requested it or the service generated it. */
async function printWritten(session: Session, { endpoint, write, body, sentence }: Written): Promise<void> {
  const isPage = session.options.web === true;
  if (write.generates !== true && !requestsOutput(session) && !isPage) return;
  const first = firstCharacter(body);
  if (first === undefined) return;
  try {
    if (isPage) return await (await import('./web.ts')).printPage(session, once(body));
    const shown = once(await maskedResponse(body, write.takes));
    // After a write, an unknown field is a warning, even if the printed data is from another call.
    const output = await openOutput(session, { endpoint, isWrite: true });
    if (first !== '[') return await output.object(shown);
    await output.page(shown);
    await output.endList();
  } catch (error) {
    throw withOutcome(error, sentence);
  }
}

/** Add to a failure after a write that the write was carried out, because the user must not repeat it. */
function withOutcome(error: unknown, sentence: string | undefined): unknown {
  // The reader went away, which is not an error.
  if (errorCode(error) === 'EPIPE' || sentence === undefined) return error;
  const failure = toFailure(error);
  return failure?.withHints(`the service carried out the request: ${lowerFirst(sentence)}`) ?? error;
}

async function printFile(session: Session, file: File): Promise<void> {
  const { bytes, length, explain } = file;
  const { stdout } = session.context;
  const output = createOutput({ ...readOutputOptions(session), format: 'raw' }, stdout);
  try {
    if (stdout.isTTY === true && file.shown)
      return await writeAll(file.shown(bytes, session.terminal), stdout);
    if (stdout.isTTY === true) return await output.object(bytes);
    await output.object((await import('./transfer.ts')).counted(session, bytes, 'received', length));
  } catch (error) {
    throw explain ? await explain(error) : error;
  }
}

type Printable = Pick<Rows, 'endpoint' | 'isWrite' | 'limit'> & Pick<OutputOptions, 'onHidden'>;

export async function openOutput(session: Session, printed: Printable): Promise<Output> {
  const options = readOutputOptions(session);
  const sortBy = sortKeys(session.options);
  const named = [
    { flag: '--fields', paths: options.fields ?? [] },
    { flag: '--sort-by', paths: sortBy.map(({ path }) => path) },
  ];
  const { endpoint, isWrite = false, limit } = printed;
  const check = named.some(({ paths }) => paths.length > 0)
    ? (await import('./known-fields.ts')).fieldCheck(session, endpoint, named, isWrite)
    : undefined;
  const output = await openFormat(session, { ...options, check }, printed);
  if (sortBy.length === 0) return output;
  return (await import('../../output/sorted.ts')).sorted(output, sortBy, { check, limit });
}

async function openFormat(
  session: Session,
  options: OutputOptions,
  { endpoint, limit, onHidden }: Printable,
): Promise<Output> {
  const { jq } = session.options;
  const objects = endpoint?.returns.kind === 'list';
  if (jq !== undefined)
    return (await import('./jq/output.ts')).jqOutput(session, jq, options, { limit, objects });
  // The detail view of an object prints all fields below the usual columns.
  const isTable = options.format !== 'table' || objects;
  const describeFor = options.allFields && isTable ? describeAll : describe;
  const described = endpoint && needsColumns(options) ? describeFor(endpoint) : { columns: [] };
  const wrap = wrapColumn(options, described.columns);
  const all = { ...options, ...described, wrap, limit, onHidden, objects };
  return createOutput(all, session.context.stdout);
}

/** Whether the columns of an endpoint matter. They do not for whole rows as JSON. */
function needsColumns({ format, fields, wrap }: OutputOptions): boolean {
  return !['json', 'ndjson', 'raw'].includes(format) || fields !== undefined || wrap !== undefined;
}
