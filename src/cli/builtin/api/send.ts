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
import { fileOf, requireToken } from '../../call/call.ts';
import { addHints } from '../../call/hints.ts';
import { listResult, moreNotes, noteAccepted, withExchange } from '../../call/list.ts';
import { type DownloadFile, prepareTarget, saveTo } from '../../call/transfer.ts';
import { maxPerPage, readPagingFlags, requestBase } from '../../request/build.ts';
import { isDryRun } from '../../request/dry-run.ts';
import { checkReadOnly } from '../../session/connection.ts';
import type { Session } from '../../session/model.ts';
import { type ApiRequest, withQuery } from './request.ts';

/** Check a request against the flags. @returns the request of the first page, and the paging */
export function checkFlags(session: Session, request: ApiRequest, include: boolean) {
  const { method, url } = request;
  const { all, limit, outputFile = '-' } = session.options;
  const flags = readPagingFlags(session.options);
  const { follow } = flags;
  if (follow && include)
    throw usage('--include cannot be used with --all or --limit', 'it prints a single response');
  if (follow && method !== 'GET') throw usage('--all and --limit require the method GET');
  const paging = all === true ? '--all' : limit === undefined ? undefined : '--limit';
  const changing = paging ?? filterOf(session);
  if (outputFile !== '-' && changing !== undefined)
    throw usage(`--output-file and ${changing} cannot be used together`, [
      '--output-file saves one response unchanged',
      'to save what is printed, redirect it: > <path>',
    ]);
  if (!isDryRun(session)) checkReadOnly(session, method);
  const inUrl = /[?&]per_page=(\d+)/.exec(url)?.[1];
  const perPage = Number(inUrl ?? Math.min(flags.limit ?? maxPerPage, maxPerPage));
  const isSized = !follow || inUrl !== undefined;
  const sized = isSized ? url : withQuery(url, { per_page: perPage });
  return { request: { ...request, url: sized }, paging: { ...flags, perPage }, include };
}

function filterOf({ options: { jq, fields, sortBy }, settings }: Session): string | undefined {
  const { value: format, source, from } = settings.output;
  if (jq !== undefined) return '--jq';
  if (fields !== undefined) return '--fields';
  if (sortBy !== undefined) return '--sort-by';
  return source === 'flag' && format !== 'json' && format !== 'raw' ? `${from} ${format}` : undefined;
}

const unmodified = done({ notes: [sayNote('not modified (304)')] });

/** Send a checked request, or describe it in a dry run. */
export async function sendApiRequest(
  session: Session,
  endpoint: Endpoint,
  { request: checked, paging, include }: ReturnType<typeof checkFlags>,
): Promise<Result> {
  const { json, ...planned } = checked;
  const { method, url } = planned;
  if (isDryRun(session)) {
    const headers = planned.headers.filter(([name]) => !json || name !== 'content-type');
    const plan = { method, target: url, ...(json ? { json } : {}) };
    return { kind: 'requests', requests: [{ endpoint, plan, headers }] };
  }
  const { extra = [] } = await requestBase(session, endpoint);
  const request: Request = { ...planned, headers: [...extra, ...planned.headers] };
  const target = await prepareTarget(session, 'output-file');
  if (!isReadMethod(method)) await requireToken(session, endpoint);
  const client = await session.client(endpoint.access);
  // For a conditional request (RFC 9110 section 13.1), 304 is a success without a body.
  const isConditional = request.headers.some(([name]) => /^if-(none-match|modified-since)$/i.test(name));
  try {
    if (paging.follow) return await listResult(session, client, { endpoint }, request, paging);
    const reply = await client.send(request);
    if (reply.status >= 300 && !(reply.status === 304 && isConditional))
      throw await client.failure(request, reply);
    return await resultOf(session, endpoint, method, reply, target, include);
  } catch (error) {
    const { status, url: failed } = (error instanceof Failure && error.exchange) || {};
    // Without a later page the list would be incomplete.
    if (status === 304 && failed === url && isConditional) return unmodified;
    throw await addHints(error, { endpoint }, session);
  }
}

async function resultOf(
  session: Session,
  endpoint: Endpoint,
  method: string,
  reply: Reply,
  target: DownloadFile | undefined,
  include: boolean,
): Promise<Result> {
  const { status, url } = reply;
  const isHead = method === 'HEAD';
  const heading = isHead || include ? await headingOf(session, reply, isHead ? '' : '\n') : undefined;
  if (isReadMethod(method)) noteAccepted(session, reply);
  else if (status === 202) session.notes.done('Scheduled: the service carries out the request later');
  if (isHead || status === 204 || status === 304) {
    await reply.discard();
    return { ...(status === 304 ? unmodified : done()), heading };
  }
  if (target) {
    await saveTo(session, reply, target);
    return done({ heading });
  }
  const explain = (error: unknown) => addHints(withExchange(error, method, reply), { endpoint }, session);
  const type = header(reply.headers, 'content-type') ?? '';
  const isData = type === '' || /\b(json|html)\b/i.test(type);
  if (isData && session.settings.output.value !== 'raw') {
    const { first, body } = await peeked(expectJson(reply, method));
    const received = { endpoint, heading, explain };
    if (first === undefined) return done({ heading });
    if (first !== '[') return { kind: 'object', body, ...received };
    const isCut = nextLink(reply) !== undefined;
    const summarize: Rows['summarize'] = ({ rows }) => (isCut ? moreNotes(session, endpoint, { rows }) : []);
    return { kind: 'rows', pages: single(body), summarize, ...received };
  }
  const filter = filterOf(session);
  if (filter === undefined) return { ...fileOf(reply, explain), heading };
  const message = `the response is not JSON but ${type}, which ${filter} cannot process`;
  const hint = `without ${filter}, the response is printed unchanged`;
  throw new Failure('server_error', message, { hint, exchange: { method, url, status } });
}

/** The status line and the headers of a response, with secrets masked. */
async function headingOf({ terminal }: Session, reply: Reply, end: string): Promise<string> {
  const { statusLine } = await import('../../../http/errors/response.ts');
  const lines = reply.headers.map(([name, value]) => `${name}: ${isSecretName(name) ? mask : value}`);
  const shown = lines.map((line) => `${terminal.clean(line)}\n`).join('');
  return `HTTP/1.1 ${statusLine(reply.status)}\n${shown}${end}`;
}
