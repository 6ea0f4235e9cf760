/** `svc api`: send any API request, also to endpoints that are not in the catalogue. */
import { areas } from '../../../api/index.ts';
import { Failure, usage } from '../../../errors.ts';
import type { DownloadFile } from '../../../http/body/download.ts';
import { expectJson } from '../../../http/body/expect.ts';
import { hasNextPage } from '../../../http/policy/pages.ts';
import { header, type Reply, type Request } from '../../../http/transport.ts';
import { methods as apiMethods, type Endpoint, type Method } from '../../../spec/endpoint.ts';
import { choice, text } from '../../../spec/field.ts';
import { isSecretHeader, isSecretName, knownFields, secretTexts } from '../../../spec/mask.ts';
import { done, type Result, type Rows } from '../../../spec/result.ts';
import { once, peeked } from '../../../support/bytes.ts';
import { isIdempotentMethod, isReadMethod } from '../../../support/http-method.ts';
import { mask } from '../../../support/mask.ts';
import { filled } from '../../../support/placeholders.ts';
import { shellQuote } from '../../../support/shell.ts';
import { percentDecoded } from '../../../support/url.ts';
import type { Reader } from '../../argv/values.ts';
import { fileOf, findToken, requireToken } from '../../call/call.ts';
import { addHints } from '../../call/hints.ts';
import { listResult, moreNotes, noteAccepted, withExchange } from '../../call/list.ts';
import { prepareTarget, saveTo } from '../../call/transfer.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { isDryRun, readPaging, requestBase } from '../../request/build.ts';
import { sendRequest } from '../../request/response.ts';
import { checkReadOnly } from '../../session/connection.ts';
import type { Session } from '../../session/model.ts';
import { noteFor } from '../../terminal/log.ts';
import { type Checked, command, printInSession } from '../define.ts';
import {
  type ApiLine,
  type ApiRequest,
  apiFlags,
  buildApiRequest,
  fillField,
  fillPath,
  host,
  withQuery,
} from './request.ts';

const methods: readonly string[] = [...apiMethods, 'OPTIONS'];

/** Read `[METHOD] <path>` or `-X METHOD <path>`. Without a method it is GET, which changes nothing. */
function targetIn({ words, options: { method: flag, input } }: ApiLine) {
  const [path = '', argument] = words.toReversed();
  if (flag !== undefined && argument !== undefined)
    throw usage('the method is given twice', 'use -X METHOD <path> or METHOD <path>');
  const given = flag ?? argument;
  const name = given ?? 'GET';
  const method = methods.find((one) => one === name.toUpperCase());
  if (method === undefined)
    throw usage(`unknown method ${JSON.stringify(name)}`, `use one of ${methods.join(', ')}`);
  if (given === undefined && methods.includes(path.toUpperCase()))
    throw usage('<path> is missing', `for example: svc api ${path.toUpperCase()} version`);
  const post = `svc api POST ${shellQuote(path)}`;
  if (given === undefined && input !== undefined)
    throw usage('--input requires a method', `for example: ${post} --input body.json`);
  return { method: method as Method, path, post: given === undefined ? post : undefined };
}

async function runApi(line: ApiLine, context: Context): Promise<ExitCode> {
  const { method, path, post } = targetIn(line);
  // Other programs send POST, so a user could expect a change that does not happen.
  if (post !== undefined && line.repeated.some(([flag]) => flag !== 'header'))
    noteFor(context, line.options, `Sending fields as query parameters of GET. For a body: ${post}`);
  if (line.options.fields === 'help') {
    const endpoint = await findEndpoint(method, path);
    if (!('fields' in endpoint.returns))
      throw usage('the fields of this response are unknown', 'use --json to see the response');
    return (await import('../../call/known-fields.ts')).printFields([endpoint], context);
  }
  const more = { format: 'json', command: 'api' } as const;
  return printInSession(line.options, context, (session) => execute(line, session), more);
}

/**
 * Return the endpoint of a request, for its secret fields and its columns, or a generic endpoint. Its fields are those of all
 * endpoints with this path, so that secrets are masked for every method.
 */
async function findEndpoint(method: Method, text: string): Promise<Endpoint> {
  const path = text.replace(host, '').replace(/[?#].*$/s, '');
  const words = path
    .replace(/^(.*\/)?api\/v4(?=\/|$)/, '')
    .split('/')
    .filter((word) => word !== '');
  // As a server does before it selects the endpoint.
  const segments = words.map(percentDecoded);
  const loaded = await Promise.all(areas.map(({ load }) => load()));
  const matching = loaded
    .flatMap(({ default: { endpoints } }) => endpoints)
    .filter(({ path }) => {
      const pattern = path.split('/').slice(1);
      const isSame = (word: string, at: number) => word.startsWith(':') || word === segments[at];
      return pattern.length === segments.length && pattern.every(isSame);
    });
  // A literal segment takes precedence over a slot.
  const slots = ({ path }: Endpoint) => path.split('/:').length;
  const [same] = matching.filter((one) => one.method === method).sort((a, b) => slots(a) - slots(b));
  const { returns = { kind: 'nothing' }, columns = [], access = {}, confirm } = same ?? {};
  return {
    method,
    path: `/${words.join('/')}`,
    command: 'api',
    argumentFields: {},
    summary: 'Send a request',
    slots: {},
    takes: knownFields(matching),
    returns,
    columns,
    ...(confirm ? { confirm } : {}),
    // Every kind of token may be sent.
    access: { ...access, jobToken: access.jobToken ?? 'also' },
    examples: [],
  };
}

async function readRequest(line: ApiLine, session: Session, reader?: Reader) {
  const { method, path } = targetIn(line);
  const endpoint: Endpoint = await findEndpoint(method, path);
  const { takes } = endpoint;
  const request = await buildApiRequest(line, endpoint, path, session, reader);
  session.concealFields(takes);
  session.conceal(secretTexts(request.json, takes));
  session.conceal(request.headers.flatMap(([name, value]) => (value && isSecretHeader(name) ? [value] : [])));
  return { endpoint, ...checkFlags(session, request, line.options.include === true) };
}

async function check(line: ApiLine, session: Session, reader: Reader): Promise<Checked> {
  const { endpoint } = await readRequest(line, session, reader);
  const { method, confirm } = endpoint;
  if (!isDryRun(session)) await findToken(session, endpoint);
  const isDestructive = method === 'DELETE' || confirm !== undefined;
  return {
    summary: `Send ${method} requests`,
    effect: isReadMethod(method) ? 'read' : isDestructive ? 'destructive' : 'write',
    idempotent: isIdempotentMethod(method),
  };
}

/** Check a request against the flags. @returns the request of the first page, and the paging */
function checkFlags(session: Session, request: ApiRequest, include: boolean) {
  const { method, url } = request;
  const { outputFile = '-' } = session.options;
  const inUrl = /[?&]per_page=(\d+)/.exec(url)?.[1];
  const paging = readPaging(session.options, inUrl);
  const { follow, perPage } = paging;
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
  const sized = follow && inUrl === undefined ? withQuery(url, { per_page: perPage }) : url;
  return { request: { ...request, url: sized }, paging };
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

async function execute(line: ApiLine, session: Session, reader?: Reader): Promise<Result> {
  const { endpoint, request: checked, paging } = await readRequest(line, session, reader);
  const { json, ...planned } = checked;
  const { method, url } = planned;
  if (isDryRun(session)) {
    const headers = planned.headers.filter(([name]) => !json || name !== 'content-type');
    const plan = { method, target: url, ...(json ? { json } : {}) };
    return { kind: 'requests', requests: [{ endpoint, plan, headers }] };
  }
  const { extra = [] } = await requestBase(session, endpoint);
  const target = await prepareTarget(session, 'output-file');
  const isDownload = method === 'GET' && (target !== undefined || session.settings.output.value === 'raw');
  const request: Request = { ...planned, headers: [...extra, ...planned.headers], isDownload };
  if (!isReadMethod(method)) await requireToken(session, endpoint);
  try {
    const client = await session.client(endpoint.access);
    if (paging.follow) return await listResult(session, client, { endpoint }, request, paging);
    const reply = await sendRequest(client, request);
    const isShown = line.options.include === true || method === 'HEAD';
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
  const total = header(reply.headers, 'x-total');
  const isCut = isReadMethod(method) && hasNextPage(reply);
  if (isCut && method !== 'HEAD' && (target || session.settings.output.value === 'raw'))
    session.notes.say('One page of a longer list. Use --all or --limit N for more.');
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
    const summarize: Rows['summarize'] = ({ rows }) =>
      isCut ? moreNotes(session, endpoint, { rows, total }) : [];
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

export const api = command({
  args: '[METHOD] <path>',
  of: {
    METHOD: choice(methods, 'HTTP method', { suggest: 'api-path' }),
    path: text('Path of the API', { suggest: 'api-path' }),
  },
  effect: 'destructive',
  doc: 'The default method is GET, also with fields. The path is relative to /api/v4, or a full URL on the same server. {project} and {group} in the path are replaced with the values of the flags or settings. Fields become query parameters of GET, HEAD, DELETE and OPTIONS, and a JSON body otherwise. JSON responses are printed unchanged, others as bytes. Retries, redirects, errors and exit codes are the same as for other commands, but destructive requests need no confirmation.',
  flags: apiFlags,
  examples: {
    'Send a request that no command covers': 'api version',
    'Count all jobs of a project': "api 'projects/{project}/jobs' --project acme/rocket --all --jq length",
    'Send a JSON body':
      "api POST 'projects/{project}/variables' --project acme/rocket -f key=NEW_KEY -f value=1 -F protected=true",
  },
  inEach: {
    format: 'json',
    fill: (line, fill) => ({
      ...line,
      words: [...filled(line.words.slice(0, -1), fill), fillPath(line.words.at(-1) ?? '', fill)],
      repeated: line.repeated.map((one) => fillField(one, fill)),
    }),
    withTarget(line, scope, id) {
      if (targetIn(line).path.includes(`{${scope}}`))
        return { ...line, options: { ...line.options, [scope]: id } };
      throw usage(
        `the path does not contain {${scope}}, so the request would be the same for each ${scope}`,
        `for example: svc api ${scope}s/{${scope}}/variables`,
      );
    },
  },
  execute,
  check,
  run: runApi,
});
