/** Send a request of `svc api`. */
import { Failure, usage } from '../../../errors.ts';
import { expectJson } from '../../../http/body/expect.ts';
import { nextLink } from '../../../http/policy/link.ts';
import { header, type Reply, type Request } from '../../../http/transport.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import { isSecretName } from '../../../spec/mask.ts';
import { done, type Result, type Rows } from '../../../spec/result.ts';
import { once, peeked } from '../../../support/bytes.ts';
import { isReadMethod } from '../../../support/http-method.ts';
import { mask } from '../../../support/mask.ts';
import { fileOf, requireToken } from '../../call/call.ts';
import { addHints } from '../../call/hints.ts';
import { listResult, moreNotes, noteAccepted, withExchange } from '../../call/list.ts';
import { type DownloadFile, prepareTarget, saveTo } from '../../call/transfer.ts';
import { maxPerPage, readPagingFlags, requestBase } from '../../request/build.ts';
import { isDryRun } from '../../request/dry-run.ts';
import { sendRequest } from '../../request/response.ts';
import { checkReadOnly } from '../../session/connection.ts';
import type { Session } from '../../session/model.ts';
import { type ApiRequest, withQuery } from './request.ts';

/** Check a request against the flags. @returns the request of the first page, and the paging */
export function checkFlags(session: Session, request: ApiRequest, include: boolean) {
  const { method, url } = request;
  const { outputFile = '-' } = session.options;
  const flags = readPagingFlags(session.options);
  const { follow } = flags;
  if (follow && include)
    throw usage('--include cannot be used with --all or --limit', 'it prints a single response');
  if (follow && method !== 'GET') throw usage('--all and --limit require the method GET');
  const change = changeOf(session);
  if (outputFile !== '-' && change !== undefined)
    throw usage(
      `--output-file and ${change} cannot be used together`,
      '--output-file saves one response unchanged; to save what is printed, redirect it: > <path>',
    );
  if (!isDryRun(session)) checkReadOnly(session, method);
  const inUrl = /[?&]per_page=(\d+)/.exec(url)?.[1];
  const perPage = Number(inUrl ?? Math.min(flags.limit ?? maxPerPage, maxPerPage));
  const sized = follow && inUrl === undefined ? withQuery(url, { per_page: perPage }) : url;
  return { request: { ...request, url: sized }, paging: { ...flags, perPage }, include };
}

/** The first option by which more or other data are printed than a response. */
function changeOf({ options, settings }: Session): string | undefined {
  const { all, limit, jq, fields, sortBy } = options;
  const { value: format, source, from } = settings.output;
  const isFormat = (source === 'flag' && format !== 'json' && format !== 'raw') || undefined;
  const given = { all, limit, jq, fields, 'sort-by': sortBy };
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  return name === undefined ? isFormat && `${from} ${format}` : `--${name}`;
}

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
  try {
    const client = await session.client(endpoint.access);
    if (paging.follow) return await listResult(session, client, { endpoint }, request, paging);
    const reply = await sendRequest(client, request);
    const isShown = include || method === 'HEAD';
    const heading = isShown ? await headingOf(session, reply, method === 'HEAD' ? '' : '\n') : undefined;
    return { ...(await resultOf(session, endpoint, reply, target)), heading };
  } catch (error) {
    throw await addHints(error, { endpoint }, session);
  }
}

async function resultOf(
  session: Session,
  endpoint: Endpoint,
  reply: Reply,
  target: DownloadFile | undefined,
): Promise<Result> {
  const { method } = endpoint;
  const { status, url } = reply;
  if (isReadMethod(method)) noteAccepted(session, reply);
  else if (status === 202) session.notes.done('Scheduled: the service carries out the request later');
  if (method === 'HEAD' || status === 204) await reply.discard();
  else if (target) await saveTo(session, reply, target);
  if (method === 'HEAD' || status === 204 || target) return done();
  const explain = (error: unknown) => addHints(withExchange(error, method, reply), { endpoint }, session);
  const type = header(reply.headers, 'content-type') ?? '';
  const isData = type === '' || /\b(json|html)\b/i.test(type);
  if (isData && session.settings.output.value !== 'raw') {
    const { first, body } = await peeked(expectJson(reply, method));
    if (first === undefined) return done();
    if (first !== '[') return { kind: 'object', body, endpoint, explain };
    const isCut = nextLink(reply) !== undefined;
    const summarize: Rows['summarize'] = ({ rows }) => (isCut ? moreNotes(session, endpoint, { rows }) : []);
    return { kind: 'rows', pages: once(body), summarize, endpoint, explain };
  }
  const change = changeOf(session);
  if (change === undefined) return fileOf(reply, explain);
  const message = `the response is not JSON but ${type}, which ${change} cannot process`;
  const hint = `without ${change}, the response is printed unchanged`;
  throw new Failure('server_error', message, { hint, exchange: { method, url, status } });
}

/** The status line and the headers of a response, with secrets masked. */
async function headingOf({ terminal }: Session, reply: Reply, end: string): Promise<string> {
  const { statusLine } = await import('../../../http/errors/response.ts');
  const lines = reply.headers.map(([name, value]) => `${name}: ${isSecretName(name) ? mask : value}`);
  const shown = lines.map((line) => `${terminal.clean(line)}\n`).join('');
  return `HTTP/1.1 ${statusLine(reply.status)}\n${shown}${end}`;
}
