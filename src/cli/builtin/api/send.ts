/** Send a request of `svc api` and print the response. */
import { Failure, usage } from '../../../errors.ts';
import { expectJson } from '../../../http/body/expect.ts';
import type { Client } from '../../../http/client.ts';
import { nextLink } from '../../../http/policy/link.ts';
import { header, type Reply, type Request } from '../../../http/transport.ts';
import type { Endpoint, Method } from '../../../spec/endpoint.ts';
import { isSecretName } from '../../../spec/mask.ts';
import type { Plan } from '../../../spec/request.ts';
import {
  type Done,
  done,
  type One,
  type PlannedRequest,
  type Result,
  type Rows,
  sayNote,
  single,
} from '../../../spec/result.ts';
import { peeked } from '../../../support/bytes.ts';
import { isReadMethod } from '../../../support/http-method.ts';
import { mask } from '../../../support/mask.ts';
import type { Target } from '../../../tasks/context.ts';
import { fileOf, requireToken, saveTo } from '../../call/call.ts';
import { addHints, type FailedCall } from '../../call/failure/hints.ts';
import { listResult, moreNotes, noteAccepted, withExchange } from '../../call/list.ts';
import { prepareTarget } from '../../call/transfer.ts';
import { requestBase } from '../../request/build.ts';
import { isDryRun } from '../../request/dry-run.ts';
import { maxPerPage, type Paging, readPagingFlags } from '../../request/paging.ts';
import type { Session } from '../../session/model.ts';
import { checkReadOnly } from '../../session/read-only.ts';
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

/**
 * Validate a request against the flags.
 * @returns a function that sends it, or describes the request in a dry run
 */
export function prepareSending(
  session: Session,
  endpoint: Endpoint,
  apiRequest: ApiRequest,
  include: boolean,
): () => Promise<Result> {
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
): Promise<Result> {
  const { method, url, headers, body } = apiRequest;
  if (isDryRun(session)) return { kind: 'requests', requests: [plannedRequest(endpoint, apiRequest)] };
  const outgoing = await requestBase(session, endpoint);
  const target = await prepareTarget(session, 'output-file');
  if (!isReadMethod(method)) await requireToken(session, endpoint);
  const client = await session.client(endpoint.access);
  const request: Request = {
    method,
    url,
    headers: [...(outgoing.extra ?? []), ...headers],
    ...(body ? { body: { bytes: body.bytes } } : {}),
  };
  const call = { endpoint: { ...endpoint, slots: {} } };
  try {
    return paging.follow
      ? await listResult(session, client, call, request, paging)
      : await resultOf(session, call, request, await sendOnce(client, request), { target, include });
  } catch (error) {
    // Only for the first page of a list: without a later page the list would be incomplete.
    const { status, url: failed } = (error instanceof Failure && error.exchange) || {};
    if (status === 304 && failed === request.url && isConditional(request)) return unmodified;
    throw await addHints(error, call, session);
  }
}

/** Whether the request is conditional (RFC 9110 section 13.1), so that 304 is a success without a body. */
function isConditional({ headers }: Request): boolean {
  return headers.some(([name]) => /^if-(none-match|modified-since)$/i.test(name));
}

const unmodified = done({ notes: [sayNote('not modified (304)')] });

/** Send a request. @throws Failure for an error status, and for an unexpected 304 */
async function sendOnce(client: Client, request: Request): Promise<Reply> {
  const reply = await client.send(request);
  const isSuccess = reply.status < 300 || (reply.status === 304 && isConditional(request));
  if (!isSuccess) throw await client.failure(request, reply);
  return reply;
}

function plannedRequest(endpoint: Endpoint, { method, url, headers, body }: ApiRequest): PlannedRequest {
  const { json } = body ?? {};
  return {
    endpoint,
    plan: {
      method: method as Method,
      target: url,
      ...(json === undefined ? {} : { json: json as NonNullable<Plan['json']> }),
    },
    headers: headers.filter(([name]) => json === undefined || name !== 'content-type'),
  };
}

async function resultOf(
  session: Session,
  call: FailedCall,
  request: Request,
  reply: Reply,
  { target, include }: { target: Target | undefined; include: boolean },
): Promise<Result> {
  const { method } = request;
  const { status, headers } = reply;
  const isHead = method === 'HEAD';
  const heading = isHead || include ? await headingOf(session, reply, isHead) : undefined;
  if (isReadMethod(method)) noteAccepted(session, reply);
  else if (status === 202) session.notes.done('Scheduled: the service carries out the request later');
  if (isHead || status === 204 || status === 304) {
    await reply.discard();
    return { ...(status === 304 ? unmodified : done()), heading };
  }
  const explain = (error: unknown) => addHints(withExchange(error, method, reply), call, session);
  const type = header(headers, 'content-type') ?? '';
  const isData = type === '' || /\b(json|html)\b/i.test(type);
  if (!target && isData && session.settings.output.value !== 'raw')
    return { ...(await jsonResult(session, call.endpoint, reply, method, explain)), heading };
  const [filter] = filtersOf(session);
  if (filter !== undefined && !target) throw notJson(request, reply, { filter, type });
  if (!target) return { ...fileOf(reply, explain), heading };
  await saveTo(session, reply, target);
  return done({ heading });
}

/** The status line and the headers, with secrets masked. */
async function headingOf({ terminal }: Session, { status, headers }: Reply, isAll: boolean): Promise<string> {
  const { statusLine } = await import('../../../http/errors/response.ts');
  const lines = headers.map(([name, value]) => `${name}: ${isSecretName(name) ? mask : value}`);
  const shown = lines.map((line) => `${terminal.clean(line)}\n`).join('');
  return `HTTP/1.1 ${statusLine(status)}\n${shown}${isAll ? '' : '\n'}`;
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

/** A list as rows, and any other value as an object. */
async function jsonResult(
  session: Session,
  endpoint: Endpoint,
  reply: Reply,
  method: string,
  explain: (error: unknown) => Promise<unknown>,
): Promise<Done | One | Rows> {
  const { first, body } = await peeked(expectJson(reply, method));
  if (first === undefined) return done();
  if (first !== '[') return { kind: 'object', endpoint, body, explain };
  const isCut = nextLink(reply.headers, reply.url) !== undefined;
  return {
    kind: 'rows',
    endpoint,
    pages: single(body),
    explain,
    summarize: ({ rows }) => (isCut ? moreNotes(session, endpoint, { rows }) : []),
  };
}
