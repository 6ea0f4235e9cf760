/** `svc api`: send any API request, also to endpoints that are not in the catalogue. */
import { Failure, usage } from '../../../errors.ts';
import type { Client } from '../../../http/client.ts';
import { header, type Reply, type Request } from '../../../http/transport.ts';
import type { Endpoint, Method } from '../../../spec/endpoint.ts';
import { choice, text } from '../../../spec/field.ts';
import { isSecretName, secretTexts } from '../../../spec/mask.ts';
import type { Plan } from '../../../spec/request.ts';
import { peeked } from '../../../support/bytes.ts';
import { isReadMethod } from '../../../support/http-method.ts';
import { mask } from '../../../support/mask.ts';
import { sharedFlags } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import { requireToken } from '../../call/call.ts';
import { addHints } from '../../call/failure/hints.ts';
import { noteAccepted, noteMore, openOutput, printList } from '../../call/print.ts';
import { prepareTarget, printRaw } from '../../call/transfer.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { type RequestBase, requestBase } from '../../request/build.ts';
import { isDryRun, printDryRun } from '../../request/dry-run.ts';
import { maxPerPage, type Paging, readPagingFlags } from '../../request/paging.ts';
import type { Session } from '../../session/model.ts';
import { checkReadOnly } from '../../session/read-only.ts';
import { withSession } from '../../session/session.ts';
import { noteFor } from '../../terminal/log.ts';
import { type Builtin, command, connection, printing } from '../define.ts';
import { findEndpoint } from './known-endpoint.ts';
import { type ApiOptions, type ApiRequest, buildApiRequest, withQuery } from './request.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

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

/** Read `[METHOD] <path>` or `-X METHOD <path>`. Without a method it is GET, which changes nothing. */
function targetIn({ words: typed, options }: CommandLine<ApiOptions>): { method: string; path: string } {
  if (options.method !== undefined && typed.length > 1)
    throw usage('the method is given twice', 'use -X METHOD <path> or METHOD <path>');
  const words = options.method === undefined ? typed : [options.method, ...typed];
  const [first = '', path] = words;
  if (path === undefined) {
    if (methods.includes(first.toUpperCase()))
      throw usage('<path> is missing', `for example: svc api ${first.toUpperCase()} version`);
    if (options.input !== undefined)
      throw usage('--input requires a method', `for example: svc api POST ${first} --input body.json`);
    return { method: 'GET', path: first };
  }
  const method = methods.find((one) => one === first.toUpperCase());
  if (method === undefined)
    throw usage(`unknown method ${JSON.stringify(first)}`, `use one of ${methods.join(', ')}`);
  return { method, path };
}

async function run(line: CommandLine<ApiOptions>, context: Context): Promise<ExitCode> {
  const { method, path } = targetIn(line);
  const hasFields = line.repeated.some(([flag]) => flag !== 'header');
  // Other programs send POST, so a user could expect a change that does not happen.
  if (line.words.length === 1 && line.options.method === undefined && hasFields)
    noteFor(
      context,
      line.options,
      `Sending fields as query parameters of GET. For a body: svc api POST ${path}`,
    );
  const endpoint = await findEndpoint(method as Method, path);
  if (line.options.fields === 'help') return explainFields(endpoint, context);
  return withSession(
    line.options,
    context,
    async (opened) => {
      const session = withJson(opened);
      const apiRequest = await buildApiRequest(line, { method, path }, session);
      session.conceal(secretTexts(apiRequest.body?.json, endpoint.takes));
      return perform(session, endpoint, apiRequest, line.options.include === true);
    },
    endpoint.takes,
    { command: 'api' },
  );
}

async function explainFields(endpoint: Endpoint, context: Context): Promise<ExitCode> {
  if (!('fields' in endpoint.returns))
    throw usage('the fields of this response are unknown', 'use --json to see the response');
  const { printFields } = await import('../../call/fields-help.ts');
  return printFields([endpoint], context);
}

/** Make JSON the default format. */
function withJson(session: Session): Session {
  const { output } = session.settings;
  if (output.source !== 'default') return session;
  return { ...session, settings: { ...session.settings, output: { ...output, value: 'json' } } };
}

async function perform(
  session: Session,
  endpoint: Endpoint,
  apiRequest: ApiRequest,
  include: boolean,
): Promise<ExitCode> {
  const { method, headers, body } = apiRequest;
  const { paging, url } = pagingOf(session, apiRequest, include);
  if (paging.follow && method !== 'GET') throw usage('--all and --limit require the method GET');
  const outgoing = await requestBase(session, endpoint);
  if (isDryRun(session)) {
    printRequest(session, endpoint, { ...apiRequest, url }, outgoing);
    return 0;
  }
  checkReadOnly(session, method);
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
    if (paging.follow) await printList(session, client, endpoint, request, paging);
    else await print(session, endpoint, request, await sendOnce(client, request), { target, include });
  } catch (error) {
    // Only for the first page of a list: without a later page the list would be incomplete.
    const { status, url: failed } = (error instanceof Failure && error.exchange) || {};
    if (status === 304 && failed === request.url && isConditional(request)) return sayUnmodified(session);
    throw await addHints(error, { endpoint: { ...endpoint, slots: {} } }, session);
  }
  return 0;
}

/** Whether the request is conditional (RFC 9110 section 13.1), so that 304 is a success without a body. */
function isConditional({ headers }: Request): boolean {
  return headers.some(([name]) => /^if-(none-match|modified-since)$/i.test(name));
}

function sayUnmodified(session: Session): ExitCode {
  session.notes.say('not modified (304)');
  return 0;
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
): Promise<void> {
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
  if (isHead || reply.status === 204 || reply.status === 304) return reply.discard();
  const type = header(reply.headers, 'content-type') ?? '';
  const isData = type === '' || /\b(json|html)\b/i.test(type);
  if (target || !isData || session.settings.output.value === 'raw')
    return printRaw(session, request, reply, target);
  await printJson(session, endpoint, reply, request.method);
}

/** Print a list as rows, and any other value as an object. */
async function printJson(session: Session, endpoint: Endpoint, reply: Reply, method: string): Promise<void> {
  const { expectJson } = await import('../../../http/body/expect.ts');
  const output = await openOutput(session, endpoint);
  const { first, body } = await peeked(expectJson(reply, method));
  if (first === undefined) return;
  if (first !== '[') return output.object(body);
  const { rows } = await output.page(body);
  await output.endList();
  const { nextLink } = await import('../../../http/policy/link.ts');
  if (nextLink(reply.headers, reply.url) !== undefined) noteMore(session, endpoint, { rows });
}

const apiFlags = {
  method: { short: 'X', value: 'method', doc: 'HTTP method, in place of the argument (default: GET)' },
  'raw-field': {
    short: 'f',
    value: 'key=value',
    repeats: true,
    doc: 'Text field: a=1, list[]=x, hash[key]=x, rows[][key]=x',
  },
  field: {
    short: 'F',
    value: 'key=value',
    repeats: true,
    doc: 'Typed field: true, false, null, an integer, @file, or @- for standard input',
  },
  input: {
    value: 'file',
    doc: 'File to send as the body, or - for standard input; fields become query parameters',
  },
  header: { short: 'H', value: 'header', repeats: true, doc: "Request header: 'Name: value'" },
  project: { short: 'p', value: 'id|path', doc: 'Value of {project}' },
  group: { short: 'g', value: 'id|path', doc: 'Value of {group}' },
  ...sharedFlags('limit', 'all', 'parallel'),
  include: { short: 'i', doc: 'Print the status and headers of the response first' },
  ...sharedFlags('output-file', 'force'),
  ...printing,
  output: { ...printing.output, doc: 'Output format (default: json)' },
  ...sharedFlags('sort-by', 'csv-safe', 'time'),
  ...connection,
  ...sharedFlags(
    'sandbox',
    'retry-unsafe',
    'captcha-response',
    'spam-log-id',
    'dry-run',
    'curl',
    'show-secrets',
    'no-input',
  ),
} as const;

const api = command({
  name: 'api',
  args: '[METHOD] <path>',
  of: {
    METHOD: choice(methods, 'HTTP method', { suggest: 'api-path' }),
    path: text('Path of the API', { suggest: 'api-path' }),
  },
  summary: 'Send any API request',
  effect: 'destructive',
  doc: 'The default method is GET, also with fields. The path is relative to /api/v4, or a full URL on the same server. {project} and {group} in the path are replaced with the values of the flags or settings. Fields become query parameters of GET, HEAD, DELETE and OPTIONS, and a JSON body otherwise. JSON responses are printed unchanged, others as bytes. Retries, redirects, errors and exit codes are the same as for other commands, but destructive requests need no confirmation.',
  flags: apiFlags,
  examples: [
    { does: 'Send a request that no command covers', run: 'api version' },
    {
      does: 'Count all jobs of a project',
      run: "api 'projects/{project}/jobs' --project acme/rocket --all --jq length",
    },
    {
      does: 'Send a JSON body',
      run: "api POST 'projects/{project}/variables' --project acme/rocket -f key=NEW_KEY -f value=1 -F protected=true",
    },
  ],
  run,
});

export default { commands: [api] } satisfies Builtin;
