/** `svc api`: any call of the API, whether the catalogue knows it or not. */
import { Failure, usage } from '../../../errors.ts';
import type { Client } from '../../../http/client.ts';
import { header, type Reply, type Request } from '../../../http/transport.ts';
import type { Endpoint, Method } from '../../../spec/endpoint.ts';
import { isSecretName, secretTexts } from '../../../spec/mask.ts';
import type { Plan } from '../../../spec/request.ts';
import { peeked } from '../../../support/bytes.ts';
import { isReadMethod } from '../../../support/http-method.ts';
import { mask } from '../../../support/mask.ts';
import { sharedFlags } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import { requireToken } from '../../call/call.ts';
import { addHints } from '../../call/hints.ts';
import { noteAccepted, noteMore, openOutput, printList } from '../../call/print.ts';
import { prepareTarget, printRaw } from '../../call/transfer.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { type RequestBase, requestBase } from '../../request/build.ts';
import { isDryRun, printDryRun } from '../../request/dry-run.ts';
import { maxPerPage, type Paging, readPagingFlags } from '../../request/paging.ts';
import type { Session } from '../../session/model.ts';
import { openSession } from '../../session/session.ts';
import { type Builtin, command, connection, printing } from '../define.ts';
import { knownCall } from './known-endpoint.ts';
import { type ApiOptions, type Asked, readAsked, withQuery } from './request.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** How far to go; pages are asked for whole where nothing else was said. */
function pagingOf({ options }: Session, { url }: Asked, include: boolean): { paging: Paging; url: string } {
  const asked = readPagingFlags(options);
  const { follow, limit = maxPerPage } = asked;
  if (follow && include) throw usage('--include shows one answer: it goes with neither --all nor --limit');
  const said = /[?&]per_page=(\d+)/.exec(url)?.[1];
  const perPage = said === undefined ? Math.min(limit, maxPerPage) : Number(said);
  return {
    paging: { ...asked, perPage },
    url: follow && said === undefined ? withQuery(url, { per_page: perPage }) : url,
  };
}

async function run(line: CommandLine<ApiOptions>, context: Context): Promise<ExitCode> {
  const [typed = '', path = ''] = line.words;
  const method = typed.toUpperCase();
  if (!methods.includes(method))
    throw usage(`unknown method ${JSON.stringify(typed)}`, `one of ${methods.join(', ')}, then the path`);
  const endpoint = await knownCall(method as Method, path);
  if (line.options.fields === 'help') return explainFields(endpoint, context);
  const opened = await openSession(line.options, context, endpoint.takes);
  const session = withJson(opened);
  try {
    const asked = await readAsked(line, method, session);
    session.conceal(secretTexts(asked.body?.json, endpoint.takes));
    return await perform(session, endpoint, asked, line.options.include === true);
  } finally {
    await session.close();
  }
}

async function explainFields(endpoint: Endpoint, context: Context): Promise<ExitCode> {
  if (!('fields' in endpoint.returns)) throw usage('what this call answers is not known', '--json shows it');
  const { printFields } = await import('../../call/fields-help.ts');
  return printFields([endpoint], context);
}

/** The default is JSON: what came, as it came. */
function withJson(session: Session): Session {
  const { output } = session.settings;
  if (output.source !== 'default') return session;
  return { ...session, settings: { ...session.settings, output: { ...output, value: 'json' } } };
}

async function perform(
  session: Session,
  endpoint: Endpoint,
  asked: Asked,
  include: boolean,
): Promise<ExitCode> {
  const reads = isReadMethod(asked.method);
  const { paging, url } = pagingOf(session, asked, include);
  if (paging.follow && asked.method !== 'GET') throw usage('--all and --limit go with GET');
  const outgoing = await requestBase(session, endpoint);
  if (isDryRun(session)) {
    tell(session, endpoint, { ...asked, url }, outgoing);
    return 0;
  }
  const target = await prepareTarget(session, 'output-file');
  if (!reads) await requireToken(session, endpoint);
  const client = await session.client(endpoint.access);
  const request: Request = {
    method: asked.method,
    url,
    headers: [...(outgoing.extra ?? []), ...asked.headers],
    ...(asked.body ? { body: { bytes: asked.body.bytes } } : {}),
  };
  try {
    if (paging.follow) await printList(session, client, endpoint, request, paging);
    else await print(session, endpoint, request, await answered(client, request), { target, include });
  } catch (error) {
    // Of a list, only its first page: without a later one the list would be incomplete.
    const { status, url: failed } = (error instanceof Failure && error.exchange) || {};
    if (status === 304 && failed === request.url && isConditional(request)) return sayUnmodified(session);
    throw await addHints(error, { ...endpoint, slots: {} }, session);
  }
  return 0;
}

/** Whether the request asks for a 304 (RFC 9110 section 13.1), which is then a success without a body. */
function isConditional({ headers }: Request): boolean {
  return headers.some(([name]) => /^if-(none-match|modified-since)$/i.test(name));
}

function sayUnmodified(session: Session): ExitCode {
  session.notes.say('not modified (304)');
  return 0;
}

/** One exchange. @throws Failure for a status that is neither a success nor what was asked for */
async function answered(client: Client, request: Request): Promise<Reply> {
  const reply = await client.send(request);
  const done = reply.status < 300 || (reply.status === 304 && isConditional(request));
  if (!done) throw await client.failure(request, reply);
  return reply;
}

/** `--dry-run` and `--curl`. */
function tell(session: Session, endpoint: Endpoint, asked: Asked, outgoing: RequestBase): void {
  const { json } = asked.body ?? {};
  const plan: Plan = {
    method: asked.method as Method,
    target: asked.url,
    ...(json === undefined ? {} : { json: json as NonNullable<Plan['json']> }),
  };
  const extra = [
    ...(outgoing.extra ?? []),
    ...asked.headers.filter(([name]) => json === undefined || name !== 'content-type'),
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
  const head = request.method === 'HEAD';
  if (head || include) {
    const { statusLine } = await import('../../../http/errors/response.ts');
    const lines = reply.headers.map(([name, value]) => `${name}: ${isSecretName(name) ? mask : value}`);
    const shown = lines.map((line) => `${session.terminal.clean(line)}\n`).join('');
    session.context.stdout.write(`HTTP/1.1 ${statusLine(reply.status)}\n${shown}${head ? '' : '\n'}`);
  }
  noteAccepted(session, request.method, reply);
  if (reply.status === 304) sayUnmodified(session);
  if (head || reply.status === 204 || reply.status === 304) return reply.discard();
  const type = header(reply.headers, 'content-type') ?? '';
  const isData = type === '' || /\b(json|html)\b/i.test(type);
  if (target || !isData || session.settings.output.value === 'raw')
    return printRaw(session, request, reply, target);
  await printJson(session, endpoint, reply, request.method);
}

/** A list is printed as one, so that its rows can be counted and laid out; any other value as it is. */
async function printJson(session: Session, endpoint: Endpoint, reply: Reply, method: string): Promise<void> {
  const { expectJson } = await import('../../../http/body/expect.ts');
  const output = await openOutput(session, endpoint);
  const { first, body } = await peeked(expectJson(reply, method));
  if (first === undefined) return;
  if (first !== '[') return output.object(body);
  const { rows } = await output.page(body);
  await output.endList();
  const { nextLink } = await import('../../../http/policy/link.ts');
  if (nextLink(reply.headers, reply.url) !== undefined) noteMore(session, rows, { follow: false });
}

const apiFlags = {
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
    doc: 'Typed field: true, false, null and integers; @file and @- are read',
  },
  input: {
    value: 'file',
    doc: 'File to send as the body, or - for standard input; fields then become the query',
  },
  header: { short: 'H', value: 'header', repeats: true, doc: "Request header: 'Name: value'" },
  project: { short: 'p', value: 'id|path', doc: 'Value of {project}' },
  group: { short: 'g', value: 'id|path', doc: 'Value of {group}' },
  ...sharedFlags('limit', 'all'),
  include: { short: 'i', doc: 'Print the status and the headers of the response first' },
  ...sharedFlags('output-file', 'force'),
  ...printing,
  output: { ...printing.output, doc: 'Output format (default: json)' },
  ...sharedFlags('csv-safe', 'time'),
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
  args: '<METHOD> <path>',
  summary: 'Make any request of the API',
  doc: 'The path stands below /api/v4, or is a whole URL on the same server; {project} and {group} in it are filled in from the flags and settings. Fields go into the query of GET, HEAD, DELETE and OPTIONS, else into a JSON body. Answers in JSON are printed as they came, others as bytes. Retries, redirects, exit codes and errors are those of every command; nothing is asked before something is ended or replaced.',
  flags: apiFlags,
  examples: [
    { does: 'A call that no command covers', run: 'api GET version' },
    {
      does: 'Every job of a project, as one list',
      run: "api GET 'projects/{project}/jobs' --project acme/rocket --all --jq length",
    },
    {
      does: 'A body of typed fields',
      run: "api POST 'projects/{project}/variables' --project acme/rocket -f key=NEW_KEY -f value=1 -F protected=true",
    },
  ],
  run,
});

export default { commands: [api] } satisfies Builtin;
