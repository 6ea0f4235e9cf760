/** Print what a call answered. */

import { Failure, usage } from '../../errors.ts';
import type { Client } from '../../http/client.ts';
import type { Reply, Request } from '../../http/transport.ts';
import type { Column, Output } from '../../output/index.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Field } from '../../spec/field.ts';
import { peeked } from '../../support/bytes.ts';
import { shellQuote } from '../../support/shell.ts';
import type { Paging } from '../request/paging.ts';
import type { Session } from '../session/model.ts';
import { attributesOf, columnsFor } from './columns.ts';
import { type OutputSettings, readOutputSettings } from './output-settings.ts';

/** The formatter for this session and these columns. */
export async function openOutput(
  session: Session,
  endpoint: Endpoint | undefined,
  { limit, follow = false }: Partial<Paging> = {},
): Promise<Output> {
  const { jq } = session.options;
  if (jq !== undefined) return (await import('./jq/output.ts')).jqOutput(session, jq, limit);
  const { createOutput } = await import('../../output/index.ts');
  const settings = readOutputSettings(session);
  const columns = endpoint ? columnsFor(endpoint) : [];
  const wrap = wrapped(settings, columns);
  if (endpoint && settings.fields) await sayMisspelt(session, endpoint, settings.fields);
  return createOutput(
    {
      format: settings.format,
      ...(settings.fields ? { fields: settings.fields } : {}),
      columns,
      header: settings.header,
      csvSafe: settings.csvSafe,
      ...(session.terminal.screen ? { terminal: session.terminal.screen } : {}),
      color: session.terminal.color,
      time: settings.time,
      ...(wrap === undefined ? {} : { wrap }),
      ...(session.terminal.screen ? { unseen: session.unseen } : {}),
      now: session.context.now,
      ...(limit === undefined ? {} : { limit }),
      long: follow,
    },
    session.context.stdout,
  );
}

/** A field that is none of the answer as far as is known, and comes near one: servers may send more, so it is no error. */
async function sayMisspelt(session: Session, endpoint: Endpoint, fields: readonly string[]): Promise<void> {
  const { returns } = endpoint;
  const known = 'fields' in returns ? attributesOf(returns.fields).map(([path]) => path) : [];
  const strange = fields.filter((path) => isStrange(path, known));
  if (known.length === 0 || strange.length === 0) return;
  const { nearest } = await import('../../support/suggest.ts');
  for (const path of strange) {
    const near = nearest(path, known);
    if (near.length > 0)
      session.notes.say(`--fields ${path}: did you mean ${near.join(' or ')}? --fields help lists all`);
  }
}

/** Whether an attribute stands nowhere in what is known: neither itself, nor one above it whose inside is not described. */
function isStrange(path: string, known: readonly string[]): boolean {
  const above = path.slice(0, Math.max(path.lastIndexOf('.'), 0));
  if (known.includes(path)) return false;
  if (!known.includes(above)) return above === '' || isStrange(above, known);
  return known.some((one) => one.startsWith(`${above}.`));
}

/** The column of `--wrap` as the table names it. @throws Failure `usage` where the table has no such column */
function wrapped({ wrap, fields }: OutputSettings, columns: readonly Column[]): string | undefined {
  const known = fields ?? columns.map(({ path }) => path);
  if (wrap === undefined || known.length === 0) return wrap;
  // A header is in capitals: it may be typed as it stands there.
  const found = known.find((name) => name.toLowerCase() === wrap.toLowerCase());
  if (found === undefined)
    throw usage(
      `--wrap: the table has no column ${JSON.stringify(wrap)}`,
      `its columns: ${known.join(', ')}`,
    );
  return found;
}

/** Send a request that answers with a list, and print its rows as they come (interface section 4). */
export async function printList(
  session: Session,
  client: Client,
  endpoint: Endpoint,
  request: Request,
  paging: Paging,
): Promise<void> {
  const output = await openOutput(session, endpoint, paging);
  const { expectJson } = await import('../../http/body/expect.ts');
  const { header } = await import('../../http/transport.ts');
  const orOne = endpoint.returns.kind === 'list' && endpoint.returns.orOne;
  let rows = 0;
  let last: Reply | undefined;
  /** A page that is being printed. */
  let open: Reply | undefined;
  let more = false;
  // A page beyond the limit would be asked for in vain.
  const ahead =
    paging.limit === undefined ? Number.POSITIVE_INFINITY : Math.ceil(paging.limit / paging.perPage);
  try {
    for await (const reply of client.pages(request, {
      maxPages: paging.follow ? Number.POSITIVE_INFINITY : 1,
      ahead,
    })) {
      last = reply;
      open = reply;
      noteAccepted(session, request.method, reply);
      const json = expectJson(reply, request.method);
      const accepted = reply.status === 202;
      const { first, body } = orOne || accepted ? await peeked(json) : { first: '[', body: json };
      if (first === undefined && accepted) return;
      if (first === '{' && (orOne || accepted)) return await output.object(body);
      const page = await output.page(body);
      open = undefined;
      ({ rows, more } = page);
      if (page.full) break;
    }
    await output.endList();
  } catch (error) {
    const failure = last ? ofReply(error, request.method, last) : error;
    if (output.rows === 0 || !(failure instanceof Failure)) throw failure;
    // The list is not to blame for a jq program that ends with an error.
    if (failure.kind === 'internal' || failure.kind === 'usage') throw failure;
    throw afterRows(failure, output.rows, whereToGoOn(failure, open, last));
  }
  const total = Number(header(last?.headers ?? [], 'x-total') ?? Number.NaN);
  await sayWhatIsLeft(session, rows, total, last, paging, more);
}

/** A 202 is no success yet (section 7): the service has only taken the request on. */
export function noteAccepted({ notes }: Session, method: string, { status }: Reply): void {
  if (status !== 202) return;
  notes.say(
    method === 'GET' || method === 'HEAD'
      ? 'not ready yet: the service is still working on it'
      : 'accepted: the service carries it out in the background',
  );
}

/** A failure that was found while printing, with the exchange that it is of. */
function ofReply(error: unknown, method: string, { url, status }: Reply): unknown {
  if (!(error instanceof Failure) || error.kind !== 'server_error' || error.exchange) return error;
  const { kind, message, hints: hint, details, cause } = error;
  return new Failure(kind, message, { hint, details, cause, exchange: { method, url, status } });
}

/** The command that prints what a list that broke off did not; undefined where no page is known that was not printed. */
function whereToGoOn(
  { exchange }: Failure,
  open: Reply | undefined,
  last: Reply | undefined,
): string | undefined {
  if (open) return `that page again, and all behind it: svc api GET ${shellQuote(open.url)} --all`;
  // A link that was refused is told of with the page in which it stood.
  if (exchange === undefined || exchange.url === last?.url) return undefined;
  return `go on from there: svc api GET ${shellQuote(exchange.url)} --all`;
}

/** Never silently partial: how many rows came, and where to go on. */
function afterRows(failure: Failure, rows: number, goOn: string | undefined): Failure {
  const { kind, message, details, hints, exchange } = failure;
  const says = `${message} (after ${rows} ${rows === 1 ? 'row' : 'rows'})`;
  if (kind === 'interrupted' || kind === 'terminated') return new Failure(kind, says, { cause: failure });
  return new Failure(kind, says, {
    details: [...details, 'what was printed before this is not the whole list'],
    hint: [...hints, ...(goOn === undefined ? [] : [goOn])],
    ...(exchange ? { exchange } : {}),
    cause: failure,
  });
}

async function sayWhatIsLeft(
  session: Session,
  rows: number,
  total: number,
  last: Reply | undefined,
  paging: Paging,
  cut: boolean,
): Promise<void> {
  const { nextLink } = await import('../../http/policy/link.ts');
  const next = last ? nextLink(last.headers, last.url) : undefined;
  if (next === undefined && !cut) {
    if (rows === 0) session.notes.say('no rows');
    return;
  }
  const of = Number.isNaN(total)
    ? `${rows} rows printed, and there are more`
    : `${rows} of ${total} rows printed`;
  session.notes.say(`${of}; --all gives the rest${paging.follow ? '' : ', --limit N as many as you want'}`);
}

/** Print one object. */
export async function printObject(session: Session, endpoint: Endpoint, reply: Reply): Promise<void> {
  const { expectObject } = await import('../../http/body/expect.ts');
  const output = await openOutput(session, endpoint);
  try {
    await output.object(expectObject(reply, endpoint.method));
  } catch (error) {
    throw ofReply(error, endpoint.method, reply);
  }
}

/** Print the facts that came as `X-Service-*` headers, under whichever vendor's name. */
export async function printHeaders(session: Session, endpoint: Endpoint, reply: Reply): Promise<void> {
  const { vendorHeaders } = await import('../../http/vendor.ts');
  const fields = endpoint.returns.kind === 'headers' ? endpoint.returns.fields : {};
  const values = vendorHeaders(reply.headers);
  const row: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const text = values.get(name.replaceAll('_', '-'));
    if (text !== undefined) row[name] = typed(text, field);
  }
  if (Object.keys(row).length === 0) {
    throw new Failure(
      'server_error',
      'the answer has none of the headers that the API promises: a proxy or login page?',
      {
        exchange: { method: endpoint.method, url: reply.url, status: reply.status },
      },
    );
  }
  await printValue(session, row, endpoint);
}

function typed(text: string, field: Field): unknown {
  if (field.kind === 'int' && Number.isSafeInteger(Number(text))) return Number(text);
  if (field.kind === 'bool') return text === 'true';
  return text;
}

/** Print an object of our own through the same formats. */
export async function printValue(session: Session, value: unknown, endpoint?: Endpoint): Promise<void> {
  const output = await openOutput(session, endpoint);
  await output.object(bytesOf(JSON.stringify(value)));
}

/** Print rows of our own through the same formats. */
export async function printRows(session: Session, rows: readonly unknown[]): Promise<void> {
  const output = await openOutput(session, undefined);
  await output.page(bytesOf(JSON.stringify(rows)));
  await output.endList();
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
