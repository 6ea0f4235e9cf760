/** Print responses. */
import { Failure, forPerson, usage } from '../../errors.ts';
import { expectJson, expectObject } from '../../http/body/expect.ts';
import type { Client } from '../../http/client.ts';
import { nextLink } from '../../http/policy/link.ts';
import { Announced, announcesPage } from '../../http/policy/pages.ts';
import { header, type Reply, type Request } from '../../http/transport.ts';
import { createOutput } from '../../output/index.ts';
import type { Output, OutputOptions } from '../../output/model.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Field } from '../../spec/field.ts';
import { counted, plural } from '../../spec/names.ts';
import { once, peeked } from '../../support/bytes.ts';
import type { Column } from '../../support/column.ts';
import { jsonText } from '../../support/json.ts';
import { mayHaveSeveralPages, type Paging } from '../request/paging.ts';
import type { Session } from '../session/model.ts';
import { countText } from '../terminal/progress-text.ts';
import { describe, describeAll } from './columns.ts';
import { readOutputOptions, sortKeys } from './output-options.ts';

/** Open the output for the responses of an endpoint. */
export async function openOutput(
  session: Session,
  endpoint: Endpoint | undefined,
  paging: Partial<Paging> = {},
  isWrite = () => false,
): Promise<Output> {
  const options = readOutputOptions(session);
  const sortBy = sortKeys(session.options);
  const named = [
    { flag: '--fields', paths: options.fields ?? [] },
    { flag: '--sort-by', paths: sortBy.map(({ path }) => path) },
  ];
  let output = await openFormat(session, endpoint, options, paging);
  if (sortBy.length > 0) {
    const { sorted } = await import('../../output/sorted.ts');
    output = sorted(output, sortBy, paging.limit);
  }
  if (named.every(({ paths }) => paths.length === 0)) return output;
  const { expectedFields } = await import('./known-fields.ts');
  const expected = expectedFields(session, endpoint, named, isWrite);
  if (!expected) return output;
  const { expecting } = await import('../../output/expected.ts');
  return expecting(output, expected);
}

async function openFormat(
  session: Session,
  endpoint: Endpoint | undefined,
  options: OutputOptions,
  paging: Partial<Paging>,
): Promise<Output> {
  const { limit } = paging;
  const { jq } = session.options;
  const objects = endpoint?.returns.kind === 'list';
  if (jq !== undefined) return (await import('./jq/output.ts')).jqOutput(session, jq, { ...paging, objects });
  // The detail view of an object prints all fields below the usual columns.
  const isTable = options.format !== 'table' || objects;
  const describeFor = options.allFields && isTable ? describeAll : describe;
  const described = endpoint && needsColumns(options) ? describeFor(endpoint) : { columns: [] };
  const wrap = wrapColumn(options, described.columns);
  return createOutput(
    {
      ...options,
      ...described,
      ...(wrap === undefined ? {} : { wrap }),
      ...(limit === undefined ? {} : { limit }),
      long: mayHaveSeveralPages(paging),
      objects,
    },
    session.context.stdout,
  );
}

/** Whether the columns of an endpoint matter. They do not for whole rows as JSON. */
function needsColumns({ format, fields, wrap }: OutputOptions): boolean {
  return !['json', 'ndjson', 'raw'].includes(format) || fields !== undefined || wrap !== undefined;
}

/** Find the column that `--wrap` names. @throws Failure `usage` if the table has no such column */
function wrapColumn({ wrap, fields }: OutputOptions, columns: readonly Column[]): string | undefined {
  const known = fields ?? columns.map(({ path }) => path);
  if (wrap === undefined || known.length === 0) return wrap;
  const labels = new Map(columns.map(({ path, label }) => [path, label]));
  const typed = wrap.toLowerCase();
  // Users type a path, or the header that they see.
  const found =
    known.find((path) => path.toLowerCase() === typed) ??
    known.find((path) => labels.get(path)?.toLowerCase() === typed);
  if (found === undefined)
    throw usage(`--wrap: the table has no column ${JSON.stringify(wrap)}`, `columns: ${known.join(', ')}`);
  return found;
}

/** Send a request for a list, and print its items as they arrive (interface section 4). */
export async function printList(
  session: Session,
  client: Client,
  endpoint: Endpoint,
  request: Request,
  paging: Paging,
): Promise<void> {
  const output = await openOutput(session, endpoint, paging);
  // A path of `svc api` may also return an object.
  const orOne = endpoint.returns.kind !== 'list' || endpoint.returns.orOne;
  let rows = 0;
  let more = false;
  let last: Reply | undefined;
  let printing: Reply | undefined;
  const announced = new Announced();
  const begun = session.context.now();
  const noun = () => plural(endpoint.noun ?? 'result');
  const endProgress = session.progress.open(() => {
    const done = Math.max(rows, output.rows);
    const total = Number(last && header(last.headers, 'x-total'));
    const amount = {
      done,
      total: total > 0 ? Math.min(total, paging.limit ?? total) : undefined,
      elapsed: session.context.now() - begun,
    };
    return done === 0 ? `fetching ${noun()}` : countText(amount, noun());
  });
  const parallelNotes =
    paging.parallel > 1
      ? new (await import('./parallel.ts')).ParallelNotes(session.notes, noun())
      : undefined;
  // Pages beyond the limit are not requested in advance.
  const ahead =
    paging.limit === undefined ? Number.POSITIVE_INFINITY : Math.ceil(paging.limit / paging.perPage);
  try {
    for await (const reply of client.pages(request, {
      maxPages: paging.follow ? Number.POSITIVE_INFINITY : 1,
      ahead,
      parallel: paging.parallel,
      ...(parallelNotes ? { onSerial: parallelNotes.onSerial } : {}),
    })) {
      parallelNotes?.onPage(reply);
      const accepted = reply.status === 202;
      const mayBeOne = (orOne && last === undefined) || accepted;
      last = reply;
      announced.onPage(reply);
      printing = reply;
      noteAccepted(session, reply);
      const json = expectJson(reply, request.method);
      const { first, body } = mayBeOne ? await peeked(json) : { first: '[', body: json };
      if (first === undefined && accepted) return;
      if (first === '{') return await output.object(body);
      const page = await output.page(body);
      printing = undefined;
      ({ rows, more } = page);
      if (page.full) break;
    }
    await output.endList();
  } catch (error) {
    const failure = last ? withExchange(error, request.method, last) : error;
    if (output.rows === 0 || !(failure instanceof Failure)) throw failure;
    // An error of a jq program does not make the list incomplete.
    if (failure.kind === 'internal' || failure.kind === 'usage') throw failure;
    throw session.omitsIncomplete
      ? withoutResults(failure, output.rows)
      : incompleteList(failure, output.rows, await resumeHint(session, failure, printing, last));
  } finally {
    endProgress();
  }
  if (more || (last && hasNextPage(last))) {
    const total = header(last?.headers ?? [], 'x-total');
    noteMore(session, endpoint, { rows, limit: paging.limit, total });
    return;
  }
  const shortage = announced.shortage(rows, noun(), paging.limit);
  if (shortage !== undefined) session.notes.warn(shortage);
  else if (rows === 0) noteNone(session, endpoint);
}

function hasNextPage({ headers, url }: Reply): boolean {
  return nextLink(headers, url) !== undefined || announcesPage(headers);
}

/** Report a 202 for a read: the result is not ready (section 7). */
export function noteAccepted({ notes }: Session, { status }: Reply): void {
  if (status === 202) notes.say('not ready yet: the service is still working on it');
}

/** Add the exchange to a failure that was detected while printing its response. */
function withExchange(error: unknown, method: string, { url, status }: Reply): unknown {
  if (!(error instanceof Failure) || error.kind !== 'server_error' || error.exchange) return error;
  return error.with({ exchange: { method, url, status } });
}

/** Suggest the command that prints the rest of an interrupted list; undefined if the next page is not known. */
async function resumeHint(
  session: Session,
  { exchange }: Failure,
  printing: Reply | undefined,
  last: Reply | undefined,
): Promise<string | undefined> {
  // A rejected link is reported with the page that contains it.
  const url = printing?.url ?? (exchange?.url === last?.url ? undefined : exchange?.url);
  if (url === undefined) return undefined;
  const { readAgain } = await import('./failure/again.ts');
  const command = readAgain(session, url);
  return `${printing ? 'print this page again and continue' : 'continue with'}: ${command}`;
}

/** The failure of an interrupted list: the number of results printed, and how to continue. */
function incompleteList(failure: Failure, rows: number, hint: string | undefined): Failure {
  const { kind, message, details, advice } = failure;
  const text = `${message} (after ${rows} ${rows === 1 ? 'result' : 'results'})`;
  if (kind === 'interrupted' || kind === 'terminated') return new Failure(kind, text, { cause: failure });
  return failure.with({
    message: text,
    details: [...details, 'the printed list is incomplete'],
    hint: [...advice, ...(hint === undefined ? [] : forPerson(hint))],
    cause: failure,
  });
}

/** The failure of an interrupted list whose results are not printed. */
function withoutResults(failure: Failure, rows: number): Failure {
  const note = `the ${rows === 1 ? 'result' : `${rows} results`} before it ${rows === 1 ? 'is' : 'are'} not printed`;
  return failure.with({ details: [...failure.details, note] });
}

function noteNone({ notes }: Session, { noun = 'result' }: Endpoint): void {
  notes.say(`No ${plural(noun)} found.`);
}

/** Report that a list has more results than were printed. @param total the number of results, if known */
export function noteMore(
  { notes, options }: Session,
  { noun = 'result' }: Endpoint,
  {
    rows,
    limit,
    total,
  }: { readonly rows: number; readonly limit?: number | undefined; readonly total?: string | undefined },
): void {
  const isSorted = options.sortBy !== undefined;
  // A limit that is reached is what the user asked for.
  if (limit !== undefined) {
    if (isSorted) notes.say(`Sorted the first ${counted(rows, noun)}; the list has more.`);
    return;
  }
  const isKnown = /^\d+$/.test(total ?? '') && Number(total) >= rows;
  const shown = isKnown
    ? `${rows} of ${counted(BigInt(total ?? rows), noun)}`
    : `${counted(rows, noun)} of a longer list`;
  notes.say(`Showing ${shown}${isSorted ? '; only these are sorted' : ''}. Use --all or --limit N for more.`);
}

/** Print one object. */
export async function printObject(session: Session, endpoint: Endpoint, reply: Reply): Promise<void> {
  if (session.options.web === true) return (await import('./web.ts')).printPage(session, endpoint, reply);
  const output = await openOutput(session, endpoint);
  try {
    await output.object(expectObject(reply, endpoint.method));
  } catch (error) {
    throw withExchange(error, endpoint.method, reply);
  }
}

/** Print the values of `X-<Vendor>-*` headers, for any vendor. */
export async function printHeaders(session: Session, endpoint: Endpoint, reply: Reply): Promise<void> {
  const { vendorHeaders } = await import('../../http/vendor.ts');
  const fields = endpoint.returns.kind === 'headers' ? endpoint.returns.fields : {};
  const values = vendorHeaders(reply.headers);
  const row: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const text = values.get(name.replaceAll('_', '-'));
    if (text !== undefined) row[name] = parseHeader(text, field);
  }
  if (Object.keys(row).length === 0) {
    throw new Failure('server_error', 'the response lacks the documented headers', {
      hint: 'it may come from a proxy or a login page',
      exchange: { method: endpoint.method, url: reply.url, status: reply.status },
    });
  }
  await printValue(session, row, endpoint);
}

function parseHeader(text: string, field: Field): unknown {
  if (field.kind === 'int' && Number.isSafeInteger(Number(text))) return Number(text);
  if (field.kind === 'bool') return text === 'true';
  return text;
}

/** Print an object that is not a response. */
export async function printValue(session: Session, value: unknown, endpoint?: Endpoint): Promise<void> {
  const output = await openOutput(session, endpoint);
  await output.object(once(Buffer.from(jsonText(value))));
}

/** Print rows that are not a response. */
export async function printRows(
  session: Session,
  rows: readonly unknown[],
  endpoint?: Endpoint,
  isWrite?: () => boolean,
): Promise<void> {
  const output = await openOutput(session, endpoint, {}, isWrite);
  await output.page(once(Buffer.from(jsonText(rows))));
  await output.endList();
  if (endpoint && rows.length === 0) noteNone(session, endpoint);
}
