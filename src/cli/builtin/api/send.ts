/** Send a request of `svc api` and print the response. */
import { Failure, usage } from '../../../errors.ts';
import { expectJson } from '../../../http/body/expect.ts';
import type { Client } from '../../../http/client.ts';
import { nextLink } from '../../../http/policy/link.ts';
import { header, type Reply, type Request } from '../../../http/transport.ts';
import type { Endpoint, Method } from '../../../spec/endpoint.ts';
import { isSecretName } from '../../../spec/mask.ts';
import type { Plan } from '../../../spec/request.ts';
import { peeked } from '../../../support/bytes.ts';
import { isReadMethod } from '../../../support/http-method.ts';
import { mask } from '../../../support/mask.ts';
import { requireToken } from '../../call/call.ts';
import { addHints } from '../../call/failure/hints.ts';
import { noteAccepted, noteMore, openOutput, printList } from '../../call/print.ts';
import { prepareTarget, printRaw } from '../../call/transfer.ts';
import { type RequestBase, requestBase } from '../../request/build.ts';
import { isDryRun, printDryRun } from '../../request/dry-run.ts';
import { maxPerPage, type Paging, readPagingFlags } from '../../request/paging.ts';
import { checkReadOnly } from '../../session/connection.ts';
import type { Session } from '../../session/model.ts';
import { type ApiRequest, withQuery } from './request.ts';

/** Resolve the pagination flags. The default is the largest page size. */
function pagingOf(
  { options }: Session,
  { url }: ApiRequest,
  include: boolean,
): { paging: Paging; url: string } {
  const flags = readPagingFlags(options);
  const { follow, limit = maxPerPage } = flags;
  if (follow && include)
    throw usage('--include cannot be used with --all or --limit', 'it prints a single response');
  const inUrl = /[?&]per_page=(\d+)/.exec(url)?.[1];
  const perPage = inUrl === undefined ? Math.min(limit, maxPerPage) : Number(inUrl);
  return {
    paging: { ...flags, perPage },
    url: follow && inUrl === undefined ? withQuery(url, { per_page: perPage }) : url,
  };
}

/** What was printed: a JSON value, or any text. */
export type PrintedKind = 'json' | 'text';

/**
 * Validate a request against the flags.
 * @returns a function that sends it and prints the response, or prints the request in a dry run
 */
export function prepareSending(
  session: Session,
  endpoint: Endpoint,
  apiRequest: ApiRequest,
  include: boolean,
): () => Promise<PrintedKind> {
  const { paging, url } = pagingOf(session, apiRequest, include);
  if (paging.follow && apiRequest.method !== 'GET') throw usage('--all and --limit require the method GET');
  checkFile(session);
  if (!isDryRun(session)) checkReadOnly(session, apiRequest.method);
  return () => perform(session, endpoint, { ...apiRequest, url }, { paging, include });
}

/** The flags that select or format a part of the response. */
function filtersOf({ options: { jq, fields, sortBy }, settings }: Session): string[] {
  const { value: format, source, from } = settings.output;
  const isFormatted = source === 'flag' && format !== 'json' && format !== 'raw';
  return Object.entries({
    '--jq': jq,
    '--fields': fields,
    '--sort-by': sortBy,
    [`${from} ${format}`]: isFormatted || undefined,
  }).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
}

/** @throws Failure `usage` if another flag changes what `--output-file` saves */
function checkFile(session: Session): void {
  const { outputFile = '-', all, limit } = session.options;
  if (outputFile === '-') return;
  const paging = Object.entries({ '--all': all, '--limit': limit });
  const pages = paging.flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  const [other] = [...pages, ...filtersOf(session)];
  if (other !== undefined)
    throw usage(`--output-file and ${other} cannot be used together`, [
      '--output-file saves one response unchanged',
      'to save what is printed, redirect it: > <path>',
    ]);
}

async function perform(
  session: Session,
  endpoint: Endpoint,
  apiRequest: ApiRequest,
  { paging, include }: { readonly paging: Paging; readonly include: boolean },
): Promise<PrintedKind> {
  const { method, url, headers, body } = apiRequest;
  const outgoing = await requestBase(session, endpoint);
  if (isDryRun(session)) {
    printRequest(session, endpoint, apiRequest, outgoing);
    return 'json';
  }
  const target = await prepareTarget(session, 'output-file');
  if (!isReadMethod(method)) await requireToken(session, endpoint);
  const client = await session.client(endpoint.access);
  const request: Request = {
    method,
    url,
    headers: [...(outgoing.extra ?? []), ...headers],
    ...(body ? { body: { bytes: body.bytes } } : {}),
  };
  try {
    if (!paging.follow)
      return await print(session, endpoint, request, await sendOnce(client, request), { target, include });
    await printList(session, client, endpoint, request, paging);
    return 'json';
  } catch (error) {
    // Only for the first page of a list: without a later page the list would be incomplete.
    const { status, url: failed } = (error instanceof Failure && error.exchange) || {};
    if (status === 304 && failed === request.url && isConditional(request)) return sayUnmodified(session);
    throw await addHints(error, { endpoint: { ...endpoint, slots: {} } }, session);
  }
}

/** Whether the request is conditional (RFC 9110 section 13.1), so that 304 is a success without a body. */
function isConditional({ headers }: Request): boolean {
  return headers.some(([name]) => /^if-(none-match|modified-since)$/i.test(name));
}

function sayUnmodified(session: Session): PrintedKind {
  session.notes.say('not modified (304)');
  return 'json';
}

/** Send a request. @throws Failure for an error status, and for an unexpected 304 */
async function sendOnce(client: Client, request: Request): Promise<Reply> {
  const reply = await client.send(request);
  const isSuccess = reply.status < 300 || (reply.status === 304 && isConditional(request));
  if (!isSuccess) throw await client.failure(request, reply);
  return reply;
}

/** Print the request for `--dry-run` and `--curl`. */
function printRequest(
  session: Session,
  endpoint: Endpoint,
  apiRequest: ApiRequest,
  outgoing: RequestBase,
): void {
  const { json } = apiRequest.body ?? {};
  const plan: Plan = {
    method: apiRequest.method as Method,
    target: apiRequest.url,
    ...(json === undefined ? {} : { json: json as NonNullable<Plan['json']> }),
  };
  const extra = [
    ...(outgoing.extra ?? []),
    ...apiRequest.headers.filter(([name]) => json === undefined || name !== 'content-type'),
  ];
  printDryRun(session, endpoint, plan, { ...outgoing, root: '', extra });
}

async function print(
  session: Session,
  endpoint: Endpoint,
  request: Request,
  reply: Reply,
  { target, include }: { target: Awaited<ReturnType<typeof prepareTarget>>; include: boolean },
): Promise<PrintedKind> {
  const isHead = request.method === 'HEAD';
  if (isHead || include) {
    const { statusLine } = await import('../../../http/errors/response.ts');
    const lines = reply.headers.map(([name, value]) => `${name}: ${isSecretName(name) ? mask : value}`);
    const shown = lines.map((line) => `${session.terminal.clean(line)}\n`).join('');
    session.context.stdout.write(`HTTP/1.1 ${statusLine(reply.status)}\n${shown}${isHead ? '' : '\n'}`);
  }
  if (isReadMethod(request.method)) noteAccepted(session, reply);
  else if (reply.status === 202) session.notes.done('Scheduled: the service carries out the request later');
  if (reply.status === 304) sayUnmodified(session);
  const headed = isHead || include ? 'text' : 'json';
  if (isHead || reply.status === 204 || reply.status === 304) {
    await reply.discard();
    return headed;
  }
  const type = header(reply.headers, 'content-type') ?? '';
  const isData = type === '' || /\b(json|html)\b/i.test(type);
  if (target || !isData || session.settings.output.value === 'raw') {
    const [filter] = filtersOf(session);
    if (filter !== undefined && !target) throw notJson(request, reply, { filter, type });
    await printRaw(session, request, reply, target);
    return 'text';
  }
  await printJson(session, endpoint, reply, request.method);
  return headed;
}

function notJson(
  { method, url }: Request,
  { status }: Reply,
  { filter, type }: { readonly filter: string; readonly type: string },
): Failure {
  return new Failure('server_error', `the response is not JSON but ${type}, which ${filter} cannot process`, {
    hint: `without ${filter}, the response is printed unchanged`,
    exchange: { method, url, status },
  });
}

/** Print a list as rows, and any other value as an object. */
async function printJson(session: Session, endpoint: Endpoint, reply: Reply, method: string): Promise<void> {
  const output = await openOutput(session, endpoint);
  const { first, body } = await peeked(expectJson(reply, method));
  if (first === undefined) return;
  if (first !== '[') return output.object(body);
  const { rows } = await output.page(body);
  await output.endList();
  if (nextLink(reply.headers, reply.url) !== undefined) noteMore(session, endpoint, { rows });
}
