/** Send a request of `svc api` and print the response. */
import { Failure, usage } from '../../../errors.ts';
import { expectJson } from '../../../http/body/expect.ts';
import { nextLink } from '../../../http/policy/link.ts';
import { header, type Reply, type Request } from '../../../http/transport.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import { isSecretName } from '../../../spec/mask.ts';
import { peeked } from '../../../support/bytes.ts';
import { isReadMethod } from '../../../support/http-method.ts';
import { mask } from '../../../support/mask.ts';
import { requireToken } from '../../call/call.ts';
import { addHints } from '../../call/failure/hints.ts';
import { noteAccepted, noteMore, openOutput, printList } from '../../call/print.ts';
import { prepareTarget, printRaw } from '../../call/transfer.ts';
import { requestBase } from '../../request/build.ts';
import { isDryRun, printDryRun } from '../../request/dry-run.ts';
import { maxPerPage, type Paging, readPagingFlags } from '../../request/paging.ts';
import type { Session } from '../../session/model.ts';
import { checkReadOnly } from '../../session/read-only.ts';
import { type ApiRequest, withQuery } from './request.ts';

/** What was printed: a JSON value, or any text. */
export type PrintedKind = 'json' | 'text';

/**
 * Validate a request against the flags.
 * @returns a function that sends it and prints the response, or prints the request in a dry run
 */
export function prepareSending(
  session: Session,
  endpoint: Endpoint,
  request: ApiRequest,
  include: boolean,
): () => Promise<PrintedKind> {
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
  return () => perform(session, endpoint, { ...request, url }, { ...flags, perPage }, include);
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

async function perform(
  session: Session,
  endpoint: Endpoint,
  { json, ...planned }: ApiRequest,
  paging: Paging,
  include: boolean,
): Promise<PrintedKind> {
  const outgoing = await requestBase(session, endpoint);
  const headers = [...(outgoing.extra ?? []), ...planned.headers];
  const request: Request = { ...planned, headers };
  const { method, url } = planned;
  if (isDryRun(session)) {
    const extra = json ? headers.filter(([name]) => name !== 'content-type') : headers;
    const plan = { method, target: url, ...(json ? { json } : {}) };
    printDryRun(session, endpoint, plan, { ...outgoing, root: '', extra });
    return 'json';
  }
  const target = await prepareTarget(session, 'output-file');
  if (!isReadMethod(method)) await requireToken(session, endpoint);
  const client = await session.client(endpoint.access);
  // For a conditional request (RFC 9110 section 13.1), 304 is a success without a body.
  const isConditional = headers.some(([name]) => /^if-(none-match|modified-since)$/i.test(name));
  try {
    if (paging.follow) {
      await printList(session, client, endpoint, request, paging);
      return 'json';
    }
    const reply = await client.send(request);
    if (reply.status >= 300 && !(reply.status === 304 && isConditional))
      throw await client.failure(request, reply);
    return await print(session, endpoint, request, reply, target, include);
  } catch (error) {
    const { status, url: failed } = (error instanceof Failure && error.exchange) || {};
    // Without a later page the list would be incomplete.
    if (status !== 304 || failed !== url || !isConditional)
      throw await addHints(error, { endpoint: { ...endpoint, slots: {} } }, session);
    session.notes.say(notModified);
    return 'json';
  }
}

const notModified = 'not modified (304)';

async function print(
  session: Session,
  endpoint: Endpoint,
  request: Request,
  reply: Reply,
  target: Awaited<ReturnType<typeof prepareTarget>>,
  include: boolean,
): Promise<PrintedKind> {
  const { method, url } = request;
  const { status } = reply;
  const isHead = method === 'HEAD';
  const printed = isHead || include ? 'text' : 'json';
  if (isHead || include) await printHead(session, reply, isHead ? '' : '\n');
  if (isReadMethod(method)) noteAccepted(session, reply);
  else if (status === 202) session.notes.done('Scheduled: the service carries out the request later');
  if (status === 304) session.notes.say(notModified);
  if (isHead || status === 204 || status === 304) {
    await reply.discard();
    return printed;
  }
  const type = header(reply.headers, 'content-type') ?? '';
  const isData = type === '' || /\b(json|html)\b/i.test(type);
  if (target || !isData || session.settings.output.value === 'raw') {
    const [filter] = filtersOf(session);
    if (filter !== undefined && !target)
      throw new Failure(
        'server_error',
        `the response is not JSON but ${type}, which ${filter} cannot process`,
        { hint: `without ${filter}, the response is printed unchanged`, exchange: { method, url, status } },
      );
    await printRaw(session, request, reply, target);
    return 'text';
  }
  const output = await openOutput(session, endpoint);
  const { first, body } = await peeked(expectJson(reply, method));
  if (first === '[') {
    const { rows } = await output.page(body);
    await output.endList();
    if (nextLink(reply.headers, reply.url) !== undefined) noteMore(session, endpoint, { rows });
  } else if (first !== undefined) await output.object(body);
  return printed;
}

/** Print the status and headers of a response. */
async function printHead({ terminal, context }: Session, reply: Reply, end: string): Promise<void> {
  const { statusLine } = await import('../../../http/errors/response.ts');
  const lines = reply.headers.map(([name, value]) => `${name}: ${isSecretName(name) ? mask : value}`);
  const shown = lines.map((line) => `${terminal.clean(line)}\n`).join('');
  context.stdout.write(`HTTP/1.1 ${statusLine(reply.status)}\n${shown}${end}`);
}
