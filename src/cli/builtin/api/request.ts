/** Build the request of `svc api` from its command line. */
import { type ScopeName, scopePath } from '../../../config/scope.ts';
import { usage } from '../../../errors.ts';
import type { Header, Request } from '../../../http/transport.ts';
import { fieldAt } from '../../../spec/column.ts';
import type { Endpoint, Method } from '../../../spec/endpoint.ts';
import { type Field, type Fields, text as textField } from '../../../spec/field.ts';
import { type OptionsOf, textFlag } from '../../../spec/flag.ts';
import { encode, encodeSlot, flatten, type Value, type Values } from '../../../spec/request.ts';
import { type Fill, splitAtPlaceholders } from '../../../support/placeholders.ts';
import { isRecord } from '../../../support/record.ts';
import { parseUrl, queryNames } from '../../../support/url.ts';
import { sharedFlags } from '../../argv/flags.ts';
import { parseJson } from '../../argv/json.ts';
import type { CommandLine } from '../../argv/parse.ts';
import { createReader, type Reader, readText } from '../../argv/values.ts';
import { jsonBody } from '../../request/build.ts';
import type { Session } from '../../session/model.ts';
import { connection, printing, scopeFlags } from '../define.ts';

const pair = { kind: 'text', placeholder: 'key=value', repeats: true } as const;

export const apiFlags = {
  method: textFlag('HTTP method, in place of the argument (default: GET)', {
    short: 'X',
    placeholder: 'method',
  }),
  'raw-field': { ...pair, short: 'f', doc: 'Text field: a=1, list[]=x, hash[key]=x, rows[][key]=x' },
  field: {
    ...pair,
    short: 'F',
    doc: 'Typed field: true, false, null, an integer, @file, or @- for standard input',
  },
  input: textFlag('File to send as the body, or - for standard input; fields become query parameters', {
    suggest: 'path',
  }),
  header: { ...pair, short: 'H', placeholder: 'header', doc: "Request header: 'Name: value'" },
  ...scopeFlags,
  ...sharedFlags('limit', 'all', 'parallel'),
  include: { short: 'i', doc: 'Print the status and headers of the response first' },
  ...sharedFlags('output-file', 'force'),
  ...printing,
  output: { ...printing.output, doc: 'Output format (default: json)' },
  ...sharedFlags('sort-by', 'csv-safe', 'time'),
  ...connection,
  ...sharedFlags('sandbox', 'retry-unsafe', 'captcha-response', 'spam-log-id'),
  ...sharedFlags('dry-run', 'curl', 'show-secrets', 'no-input'),
} as const;

export type ApiLine = CommandLine<OptionsOf<typeof apiFlags>>;

export interface ApiRequest extends Request {
  readonly method: Method;
  readonly json?: Values;
}

/** Build the request of a command line. @param path without placeholders of `svc each` @throws Failure `usage` */
export async function buildApiRequest(
  { options, repeated }: ApiLine,
  { method, takes }: Pick<Endpoint, 'method' | 'takes'>,
  path: string,
  { settings, context, root }: Session,
  reader: Reader = createReader(context),
): Promise<ApiRequest> {
  const { input } = options;
  const fields = await readFields(repeated, takes, reader);
  const project = options.project ?? settings.project?.value;
  const located =
    project === '.' && path.includes('{project}')
      ? await (await import('../../session/checkout.ts')).projectOfCheckout(context.cwd, root())
      : undefined;
  const scope = (name: ScopeName) => {
    if (name === 'project' && located !== undefined) return located;
    const typed = options[name];
    const value = typed === undefined ? settings[name] : { value: typed, from: `--${name}` };
    return value && scopePath(name, value, settings.baseUrl?.value);
  };
  const inQuery = input !== undefined || ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method);
  const target = targetOf(path, root(), scope);
  const url = inQuery ? withQuery(target, fields) : target;
  const headers = repeated.flatMap(([flag, text]) => (flag === 'header' ? [parseHeader(text)] : []));
  const sent =
    input !== undefined
      ? await bodyFrom(await reader.bytes(input, '--input'))
      : inQuery || Object.keys(fields).length === 0
        ? {}
        : { body: jsonBody(fields), json: fields };
  rejectCredentials(queryNames(url), sent.json);
  if (sent.body && headers.every(([name]) => name !== 'content-type'))
    headers.push(['content-type', 'application/json']);
  return { method, url, headers, ...sent };
}

async function bodyFrom(bytes: Uint8Array): Promise<Pick<ApiRequest, 'body' | 'json'>> {
  const text = Buffer.from(bytes).toString('utf8');
  const json = await parseJson(text, '--input').catch(() => undefined);
  return { body: { bytes }, ...(json ? { json: json as Values } : {}) };
}

export function withQuery(url: string, fields: Values): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    flatten(name, value).map((part) => `${encode(part.name)}=${encode(part.value as string)}`),
  );
  return pairs.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

export const host = /^https?:\/\/[^/?#]*/i;

/**
 * Return the URL of a path of the API. The path is neither normalized nor decoded.
 * @param text with or without a leading slash and `/api/v4`, or a full URL on the origin of `root`
 * @param scope returns the value of `{project}` or `{group}`
 */
function targetOf(text: string, root: string, scope: (name: ScopeName) => string | undefined): string {
  const { origin, pathname } = new URL(root);
  const isWhole = host.test(text);
  if (isWhole) checkOrigin(text, origin);
  const path = text.replace(host, '').replace(/\{([^{}/]*)\}/g, (_, name: string) => {
    if (name !== 'project' && name !== 'group')
      throw usage(`unknown placeholder {${name}}`, 'use {project} or {group}');
    const value = scope(name);
    if (value !== undefined) return encodeSlot(`--${name}`, value);
    throw usage(`no value for {${name}}`, `use --${name} or set SVC_${name.toUpperCase()}`);
  });
  // An unset variable in a script must not send the request to the root of the API.
  if (!isWhole && /^[/\s]*(\?|$)/.test(path))
    throw usage('the path is empty', 'for example: svc api version');
  if (path.includes('#')) throw usage('the path contains #', 'write # in a name as %23');
  const [, before = '', query = ''] = /^\/*([^?]*)(.*)$/s.exec(path) ?? [];
  const dots = before.split('/').find((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  if (dots !== undefined)
    throw usage(`the path contains the segment ${JSON.stringify(dots)}`, 'write the path without . and ..');
  const prefixes = [pathname.slice(1), ...(isWhole ? [] : ['api/v4'])];
  const prefix = prefixes.find((known) => `${before}/`.startsWith(`${known}/`));
  const below = prefix === undefined ? before : before.slice(prefix.length + 1);
  const base = isWhole && prefix === undefined ? origin : root;
  const rest = `${below === '' ? '' : `/${below}`}${query}`;
  // Characters that URLs do not allow are encoded, except percent signs.
  return base + rest.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, encode);
}

/** @throws Failure `usage` for a URL of another origin, or one with credentials */
function checkOrigin(text: string, origin: string): void {
  const parsed = parseUrl(text);
  if (!parsed) throw usage('invalid URL');
  if (parsed.username || parsed.password)
    throw usage(
      'the URL contains a user name or password; request not sent',
      'svc sends the token of its own settings: use --token-file or a profile',
    );
  if (parsed.origin !== origin)
    throw usage(
      `${parsed.origin} is not the origin of the API, ${origin}; request not sent`,
      'the token is not sent to other origins; use --base-url or --profile',
    );
}

/**
 * Fill in the placeholders of a path, each value encoded as one segment. A path that is one placeholder stays a path.
 * @throws Failure `usage` for an empty segment
 */
export function fillPath(path: string, fill: Fill): string {
  const parts = splitAtPlaceholders(path);
  if (parts.length === 3 && parts[0] === '' && parts[2] === '') return fill(path).replace(/[{}]/g, encode);
  return parts
    .map((text, at) => {
      if (at % 2 === 0) return text;
      if (fill(text) === '' && !parts.slice(0, at).join('').includes('?'))
        throw usage('the path contains a placeholder with an empty value');
      return encode(fill(text));
    })
    .join('');
}

/** Fill in the placeholders of `-f`, `-F` or `-H`. Of them, only `-F key=@{column}` names a file. */
export function fillField([flag, text]: readonly [string, string], fill: Fill): [string, string] {
  const at = text.indexOf('=') + 1;
  const value = fill(text.slice(at));
  const key = fill(text.slice(0, at));
  if (flag !== 'field' || value === text.slice(at)) return [flag, `${key}${value}`];
  if (text.startsWith('@', at)) return [flag, `${key}${value === '@-' ? '@./-' : value}`];
  return [/^(@|-$)/.test(value) ? 'raw-field' : flag, `${key}${value}`];
}

/** A hash under construction. It has no prototype, so that `__proto__` is an ordinary key. */
interface Hash {
  [key: string]: Node;
}
type Node = Value | Hash | Node[];

const isHash = (node: Node | undefined): node is Hash =>
  typeof node === 'object' && node !== null && !Array.isArray(node);

/** Read `-f` and `-F` with `a[b][]=c`, in the order of the command line. @throws Failure `usage` */
async function readFields(
  repeated: readonly (readonly [flag: string, text: string])[],
  keys: Fields,
  reader: Reader,
): Promise<Values> {
  const values = Object.create(null) as Hash;
  for (const [flag, text] of repeated) {
    if (flag === 'header') continue;
    const at = text.indexOf('=');
    if (at < 1) throw usage(`--${flag} must be key=value, not ${JSON.stringify(text)}`);
    const key = text.slice(0, at);
    const value = text.slice(at + 1);
    const path = pathOf(key);
    const field = fieldAt(keys, path.join('.'));
    const read = flag === 'field' ? await typedValue(value, key, reader, field) : value;
    added(values, path, read, key);
  }
  return values as Values;
}

/** `a[b][]` -> `a`, `b`, `` . @throws Failure `usage` */
function pathOf(key: string): string[] {
  if (/^[^[\]]+(\[[^[\]]*\])*$/.test(key)) return key.replaceAll(']', '').split('[');
  const hint = 'for example: name, list[], hash[key], rows[][key]';
  throw usage(`invalid field name ${JSON.stringify(key)}`, hint);
}

function added(node: Node | undefined, [first, ...rest]: readonly string[], value: Value, key: string): Node {
  const isOther = first === '' ? !Array.isArray(node) : !isHash(node);
  if (node !== undefined && (first === undefined || isOther))
    throw usage(`${key} is given twice or with different types`);
  if (first === undefined) return value;
  if (first !== '') {
    const hash = (node ?? Object.create(null)) as Hash;
    hash[first] = added(hash[first], rest, value, key);
    return hash;
  }
  const list = (node ?? []) as Node[];
  const last = list.at(-1);
  // As in forms, a repeated key starts a new row.
  if (isHash(last) && rest.length > 0 && rest[0] !== '' && !has(last, rest)) added(last, rest, value, key);
  else list.push(added(undefined, rest, value, key));
  return list;
}

function has(hash: Hash, [first = '', ...rest]: readonly string[]): boolean {
  const inner = hash[first];
  if (inner === undefined || rest[0] === '') return false;
  return rest.length === 0 || !isHash(inner) || has(inner, rest);
}

/** Convert a typed value: `true`, `false`, `null`, integers, and the content of `@file` and `@-`. */
async function typedValue(text: string, key: string, reader: Reader, field?: Field): Promise<Value> {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (/^-?(0|[1-9]\d*)$/.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }
  // The service decides on the length.
  const { maxLength: _, ...long } = field?.kind === 'text' ? field : textField(key);
  return readText(text, { ...long, long: true }, key, reader);
}

const credentials = /^(?:authorization|proxy-authorization|cookie)$/;
/** The names of tokens in headers and, for some services, in queries and bodies. */
const tokenName = /^(?:x[-_])?(?:(?:ci[-_])?job|private|deploy)[-_]token$/i;
/** In a query, some services accept this one too. In a body, it is data: the token of another server. */
const queryTokenName = /^(?:access|oauth)[-_]token$/i;
const framing = /^(host|connection|content-length|transfer-encoding)$/;

const otherToken =
  'for another token: --token-file, --profile or SVC_TOKEN; svc config explain shows the one in effect';

/** @throws Failure `usage` for a credential outside a header. It would be part of URLs, which logs record */
function rejectCredentials(query: readonly string[], body: Value | undefined): void {
  const isToken = (name: string) => tokenName.test(name);
  const found =
    query.find((name) => isToken(name) || queryTokenName.test(name)) ??
    (isRecord(body) ? Object.keys(body).find(isToken) : undefined);
  if (found !== undefined)
    throw usage(`${found} is a credential, which no parameter may contain`, otherToken);
}

/** @throws Failure `usage` for an invalid or reserved header; the message never contains the value */
function parseHeader(text: string): Header {
  const at = text.indexOf(':');
  const name = text.slice(0, Math.max(at, 0)).trim().toLowerCase();
  const value = text.slice(at + 1).trim();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw usage("--header must be 'Name: value'");
  if (credentials.test(name) || tokenName.test(name)) throw usage(`--header cannot set ${name}`, otherToken);
  if (framing.test(name)) throw usage(`--header cannot set ${name}`, 'svc sets this header for each request');
  if (!/^[\t\x20-\x7e\xa0-\xff]*$/.test(value))
    throw usage(`--header: the value of ${name} contains characters that HTTP headers do not allow`);
  return [name, value];
}
