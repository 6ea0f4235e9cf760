/** Send a request of `svc api`. */
import { Failure, usage } from '../../../errors.ts';
import { expectJson } from '../../../http/body/expect.ts';
import { nextLink } from '../../../http/policy/link.ts';
import { header, type Reply, type Request } from '../../../http/transport.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import { isSecretName } from '../../../spec/mask.ts';
import { done, type Result, type Rows, sayNote, single } from '../../../spec/result.ts';
import { peeked } from '../../../support/bytes.ts';
import { isReadMethod } from '../../../support/http-method.ts';
import { mask } from '../../../support/mask.ts';
import type { DownloadFile } from '../../../tasks/context.ts';
import { fileOf, requireToken } from '../../call/call.ts';
import { addHints, type FailedCall } from '../../call/hints.ts';
import { listResult, moreNotes, noteAccepted, withExchange } from '../../call/list.ts';
import { prepareTarget, saveTo } from '../../call/transfer.ts';
import { maxPerPage, type Paging, readPagingFlags, requestBase } from '../../request/build.ts';
import { isDryRun } from '../../request/dry-run.ts';
import { checkReadOnly } from '../../session/connection.ts';
import type { Session } from '../../session/model.ts';
import { type ApiRequest, withQuery } from './request.ts';

/**
 * Validate a request against the flags.
 * @returns a function that sends it, or describes the request in a dry run
 */
export function prepareSending(
  session: Session,
  endpoint: Endpoint,
  request: ApiRequest,
  include: boolean,
): () => Promise<Result> {
  const { all, limit, outputFile = '-' } = session.options;
  const flags = readPagingFlags(session.options);
  const { follow } = flags;
  if (follow && include)
    throw usage('--include cannot be used with --all or --limit', 'it prints a single response');
  if (follow && request.method !== 'GET') throw usage('--all and --limit require the method GET');
  const [changing] = [...givenIn({ '--all': all, '--limit': limit }), ...filtersOf(session)];
  if (outputFile !== '-' && changing !== undefined)
    throw usage(`--output-file and ${changing} cannot be used together`, [
      '--output-file saves one response unchanged',
      'to save what is printed, redirect it: > <path>',
    ]);
  if (!isDryRun(session)) checkReadOnly(session, request.method);
  const inUrl = /[?&]per_page=(\d+)/.exec(request.url)?.[1];
  const perPage = Number(inUrl ?? Math.min(flags.limit ?? maxPerPage, maxPerPage));
  const isSized = !follow || inUrl !== undefined;
  const url = isSized ? request.url : withQuery(request.url, { per_page: perPage });
  return () => send(session, endpoint, { ...request, url }, { ...flags, perPage }, include);
}

const givenIn = (flags: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(flags).filter((flag) => flags[flag] !== undefined);

/** The flags that select or format a part of the response. */
function filtersOf({ options: { jq, fields, sortBy }, settings }: Session): string[] {
  const { value: format, source, from } = settings.output;
  const isFormatted = source === 'flag' && format !== 'json' && format !== 'raw';
  return [
    ...givenIn({ '--jq': jq, '--fields': fields, '--sort-by': sortBy }),
    ...(isFormatted ? [`${from} ${format}`] : []),
  ];
}

async function send(
  session: Session,
  endpoint: Endpoint,
  { json, ...planned }: ApiRequest,
  paging: Paging,
  include: boolean,
): Promise<Result> {
  const { method, url } = planned;
  if (isDryRun(session)) {
    const headers = planned.headers.filter(([name]) => !json || name !== 'content-type');
    const plan = { method, target: url, ...(json ? { json } : {}) };
    return { kind: 'requests', requests: [{ endpoint, plan, headers }] };
  }
  const outgoing = await requestBase(session, endpoint);
  const headers = [...(outgoing.extra ?? []), ...planned.headers];
  const request: Request = { ...planned, headers };
  const target = await prepareTarget(session, 'output-file');
  if (!isReadMethod(method)) await requireToken(session, endpoint);
  const client = await session.client(endpoint.access);
  // For a conditional request (RFC 9110 section 13.1), 304 is a success without a body.
  const isConditional = headers.some(([name]) => /^if-(none-match|modified-since)$/i.test(name));
  const call = { endpoint: { ...endpoint, slots: {} } };
  try {
    if (paging.follow) return await listResult(session, client, call, request, paging);
    const reply = await client.send(request);
    if (reply.status >= 300 && !(reply.status === 304 && isConditional))
      throw await client.failure(request, reply);
    return await resultOf(session, call, request, reply, target, include);
  } catch (error) {
    const { status, url: failed } = (error instanceof Failure && error.exchange) || {};
    // Without a later page the list would be incomplete.
    if (status !== 304 || failed !== url || !isConditional) throw await addHints(error, call, session);
    return unmodified;
  }
}

const unmodified = done({ notes: [sayNote('not modified (304)')] });

async function resultOf(
  session: Session,
  call: FailedCall,
  { method, url }: Request,
  reply: Reply,
  target: DownloadFile | undefined,
  include: boolean,
): Promise<Result> {
  const { status } = reply;
  const isHead = method === 'HEAD';
  const heading = isHead || include ? await headingOf(session, reply, isHead ? '' : '\n') : undefined;
  if (isReadMethod(method)) noteAccepted(session, reply);
  else if (status === 202) session.notes.done('Scheduled: the service carries out the request later');
  if (isHead || status === 204 || status === 304) {
    await reply.discard();
    return { ...(status === 304 ? unmodified : done()), heading };
  }
  const explain = (error: unknown) => addHints(withExchange(error, method, reply), call, session);
  const type = header(reply.headers, 'content-type') ?? '';
  const isData = type === '' || /\b(json|html)\b/i.test(type);
  if (!target && isData && session.settings.output.value !== 'raw') {
    const { first, body } = await peeked(expectJson(reply, method));
    const received = { endpoint: call.endpoint, heading, explain };
    if (first === undefined) return done({ heading });
    if (first !== '[') return { kind: 'object', body, ...received };
    const isCut = nextLink(reply.headers, reply.url) !== undefined;
    const summarize: Rows['summarize'] = ({ rows }) =>
      isCut ? moreNotes(session, call.endpoint, { rows }) : [];
    return { kind: 'rows', pages: single(body), summarize, ...received };
  }
  const [filter] = filtersOf(session);
  if (filter !== undefined && !target)
    throw new Failure(
      'server_error',
      `the response is not JSON but ${type}, which ${filter} cannot process`,
      {
        hint: `without ${filter}, the response is printed unchanged`,
        exchange: { method, url, status },
      },
    );
  if (!target) return { ...fileOf(reply, explain), heading };
  await saveTo(session, reply, target);
  return done({ heading });
}

/** The status line and the headers of a response, with secrets masked. */
async function headingOf({ terminal }: Session, reply: Reply, end: string): Promise<string> {
  const { statusLine } = await import('../../../http/errors/response.ts');
  const lines = reply.headers.map(([name, value]) => `${name}: ${isSecretName(name) ? mask : value}`);
  const shown = lines.map((line) => `${terminal.clean(line)}\n`).join('');
  return `HTTP/1.1 ${statusLine(reply.status)}\n${shown}${end}`;
}
