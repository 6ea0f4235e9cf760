/** `svc api`: send any API request, also to endpoints that are not in the catalogue. */
import { usage } from '../../../errors.ts';
import { methods as apiMethods, type Endpoint, type Method } from '../../../spec/endpoint.ts';
import { choice, text } from '../../../spec/field.ts';
import { isSecretHeader, secretTexts } from '../../../spec/mask.ts';
import type { Result } from '../../../spec/result.ts';
import { isIdempotentMethod, isReadMethod } from '../../../support/http-method.ts';
import { plain } from '../../../support/literal.ts';
import { shellQuote } from '../../../support/shell.ts';
import { sharedFlags } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Reader } from '../../argv/values.ts';
import { findToken } from '../../call/call.ts';
import { withDefaultFormat } from '../../call/output-options.ts';
import { print } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { isDryRun } from '../../request/dry-run.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import { noteFor } from '../../terminal/log.ts';
import { type Builtin, type Checked, command, connection, type InEach, printing } from '../define.ts';
import { findEndpoint, withFilled } from './path.ts';
import { type ApiOptions, buildApiRequest } from './request.ts';
import { prepareSending } from './send.ts';

const methods: readonly string[] = [...apiMethods, 'OPTIONS'];

/** Read `[METHOD] <path>` or `-X METHOD <path>`. Without a method it is GET, which changes nothing. */
function targetIn({ words: typed, options }: CommandLine<ApiOptions>): { method: Method; path: string } {
  if (options.method !== undefined && typed.length > 1)
    throw usage('the method is given twice', 'use -X METHOD <path> or METHOD <path>');
  const words = options.method === undefined ? typed : [options.method, ...typed];
  const [first = '', path] = words.length > 1 ? [plain(words[0] ?? ''), words[1]] : words;
  if (path === undefined) {
    if (methods.includes(first.toUpperCase()))
      throw usage('<path> is missing', `for example: svc api ${first.toUpperCase()} version`);
    if (options.input !== undefined)
      throw usage(
        '--input requires a method',
        `for example: svc api POST ${shellQuote(first)} --input body.json`,
      );
    return { method: 'GET', path: first };
  }
  const method = methods.find((one) => one === first.toUpperCase());
  if (method === undefined)
    throw usage(`unknown method ${JSON.stringify(first)}`, `use one of ${methods.join(', ')}`);
  return { method: method as Method, path };
}

/** Find the endpoint of a command line. `path` is as it was typed. */
async function endpointIn(line: CommandLine<ApiOptions>): Promise<{ path: string; endpoint: Endpoint }> {
  const { method, path: typed } = targetIn(line);
  const path = withFilled(typed);
  return { path, endpoint: await findEndpoint(method, path) };
}

async function runApi(line: CommandLine<ApiOptions>, context: Context): Promise<ExitCode> {
  const { path, endpoint } = await endpointIn(line);
  const hasFields = line.repeated.some(([flag]) => flag !== 'header');
  // Other programs send POST, so a user could expect a change that does not happen.
  if (line.words.length === 1 && line.options.method === undefined && hasFields)
    noteFor(
      context,
      line.options,
      `Sending fields as query parameters of GET. For a body: svc api POST ${shellQuote(path)}`,
    );
  if (line.options.fields === 'help') {
    if (!('fields' in endpoint.returns))
      throw usage('the fields of this response are unknown', 'use --json to see the response');
    return (await import('../../call/known-fields.ts')).printFields([endpoint], context);
  }
  const use = async (opened: Session) => {
    const session = withDefaultFormat(opened, 'json');
    return print(session, await execute(line, session));
  };
  return withSession(line.options, context, use, {}, { command: 'api' });
}

/** Read and validate a command line. @returns its endpoint, and a function that sends it */
async function readRequest(line: CommandLine<ApiOptions>, session: Session, reader?: Reader) {
  const { path, endpoint } = await endpointIn(line);
  const request = await buildApiRequest(line, { ...endpoint, path }, session, reader);
  session.concealFields(endpoint.takes);
  session.conceal(secretTexts(request.json, endpoint.takes));
  session.conceal(request.headers.flatMap(([name, value]) => (value && isSecretHeader(name) ? [value] : [])));
  return { endpoint, send: prepareSending(session, endpoint, request, line.options.include === true) };
}

async function execute(line: CommandLine<ApiOptions>, session: Session, reader?: Reader): Promise<Result> {
  return (await readRequest(line, session, reader)).send();
}

async function check(line: CommandLine<ApiOptions>, session: Session, reader: Reader): Promise<Checked> {
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

const inEach: InEach = {
  format: 'json',
  withTarget(line, scope, id) {
    const { path } = targetIn(line);
    if (!path.includes(`{${scope}}`))
      throw usage(
        `the path does not contain {${scope}}, so the request would be the same for each ${scope}`,
        `for example: svc api ${scope}s/{${scope}}/variables`,
      );
    return { ...line, options: { ...line.options, [scope]: id } };
  },
};

const apiFlags = {
  method: {
    short: 'X',
    kind: 'text',
    placeholder: 'method',
    doc: 'HTTP method, in place of the argument (default: GET)',
  },
  'raw-field': {
    short: 'f',
    kind: 'text',
    placeholder: 'key=value',
    repeats: true,
    doc: 'Text field: a=1, list[]=x, hash[key]=x, rows[][key]=x',
  },
  field: {
    short: 'F',
    kind: 'text',
    placeholder: 'key=value',
    repeats: true,
    doc: 'Typed field: true, false, null, an integer, @file, or @- for standard input',
  },
  input: {
    kind: 'text',
    suggest: 'path',
    doc: 'File to send as the body, or - for standard input; fields become query parameters',
  },
  header: {
    short: 'H',
    kind: 'text',
    placeholder: 'header',
    repeats: true,
    doc: "Request header: 'Name: value'",
  },
  project: {
    short: 'p',
    kind: 'text',
    placeholder: 'id|path',
    suggest: 'project',
    doc: 'Value of {project}',
  },
  group: { short: 'g', kind: 'text', placeholder: 'id|path', suggest: 'group', doc: 'Value of {group}' },
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
  inEach,
  execute,
  check,
  run: runApi,
});

export default { commands: [api] } satisfies Builtin;
