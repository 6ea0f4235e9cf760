/** Build the request of `svc api` from its command line. */
import { type ScopeName, scopePath } from '../../../config/scope.ts';
import { type Failure, usage } from '../../../errors.ts';
import type { Header } from '../../../http/transport.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import { encode, flatten, type Value } from '../../../spec/request.ts';
import { jsonText } from '../../../support/json.ts';
import { plain } from '../../../support/literal.ts';
import { isRecord } from '../../../support/record.ts';
import { queryNames } from '../../../support/url.ts';
import type { Options } from '../../argv/flags.ts';
import { parseJson } from '../../argv/json.ts';
import type { CommandLine } from '../../argv/parse.ts';
import { createReader, pathIn, type Reader } from '../../argv/values.ts';
import type { Session } from '../../session/model.ts';
import { readFields } from './fields.ts';
import { targetOf } from './url.ts';

/** Headers with credentials. */
const credentials = /^(?:authorization|proxy-authorization|cookie)$/;
/** The names of tokens in headers and, for some services, in queries and bodies. */
const tokenName = /^(?:x[-_])?(?:(?:ci[-_])?job|private|deploy)[-_]token$/i;
/** In a query, some services accept this one too. In a body, it is data: the token of another server. */
const queryTokenName = /^(?:access|oauth)[-_]token$/i;
/** Headers that the transport sets. */
const framing = /^(host|connection|content-length|transfer-encoding)$/;

function otherToken(problem: string): Failure {
  return usage(
    problem,
    'for another token: --token-file, --profile or SVC_TOKEN; svc config explain shows the one in effect',
  );
}

/** @throws Failure `usage` for a credential outside a header. It would be part of URLs, which logs record */
function rejectCredentials(query: readonly string[], body: Value | undefined): void {
  const isToken = (name: string) => tokenName.test(name);
  const found =
    query.find((name) => isToken(name) || queryTokenName.test(name)) ??
    (isRecord(body) ? Object.keys(body).find(isToken) : undefined);
  if (found !== undefined) throw otherToken(`${found} is a credential, which no parameter may contain`);
}

/** @throws Failure `usage` for an invalid or reserved header; the message never contains the value */
function parseHeader(text: string): Header {
  const at = text.indexOf(':');
  const name = text.slice(0, Math.max(at, 0)).trim().toLowerCase();
  const value = text.slice(at + 1).trim();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw usage("--header must be 'Name: value'");
  if (credentials.test(name) || tokenName.test(name)) throw otherToken(`--header cannot set ${name}`);
  if (framing.test(name)) throw usage(`--header cannot set ${name}`, 'svc sets this header for each request');
  if (!/^[\t\x20-\x7e\xa0-\xff]*$/.test(value))
    throw usage(`--header: the value of ${name} contains characters that HTTP headers do not allow`);
  return [name, value];
}

/** The options of `svc api`. */
export interface ApiOptions extends Options {
  readonly method?: string | undefined;
  readonly input?: string | undefined;
  readonly project?: string | undefined;
  readonly group?: string | undefined;
  readonly include?: true | undefined;
}

interface Body {
  readonly bytes: Uint8Array;
  /** The parsed value of a JSON body. */
  readonly json?: Value;
}

/** The request of a command line. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body?: Body;
}

/** Bytes of all fields. A byte takes up to six characters in JSON. */
const fieldsLimit = 64 * 1024 * 1024;

/** Build the request of a command line. @throws Failure `usage` */
export async function buildApiRequest(
  line: CommandLine<ApiOptions>,
  { method, path, takes }: Pick<Endpoint, 'method' | 'path' | 'takes'>,
  session: Session,
  given?: Reader,
): Promise<ApiRequest> {
  const { options, repeated } = line;
  const { settings, context } = session;
  const input = options.input;
  const reader = given ?? createReader(context, input === undefined ? fieldsLimit : undefined);
  const pairs = repeated.filter(([flag]) => flag !== 'header');
  const fields = await readFields(pairs, takes, reader);
  const scope = (name: ScopeName) => {
    const typed = options[name];
    const value = typed === undefined ? settings[name] : { value: typed, from: `--${name}` };
    return value && scopePath(name, value, settings.baseUrl?.value);
  };
  const url = targetOf(path, session.root(), scope);
  const inQuery = input !== undefined || ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method);
  const headers = repeated.flatMap(([flag, text]) => (flag === 'header' ? [parseHeader(plain(text))] : []));
  const body =
    input === undefined
      ? bodyOf(inQuery ? {} : fields)
      : await bodyFrom(await reader.bytes(pathIn(input), '--input'));
  rejectCredentials(queryNames(inQuery ? withQuery(url, fields) : url), body?.json);
  const hasType = headers.some(([name]) => name === 'content-type');
  return {
    method,
    url: inQuery ? withQuery(url, fields) : url,
    headers: body && !hasType ? [...headers, ['content-type', 'application/json']] : headers,
    ...(body ? { body } : {}),
  };
}

function bodyOf(fields: Readonly<Record<string, Value>>): Body | undefined {
  if (Object.keys(fields).length === 0) return undefined;
  return { bytes: Buffer.from(jsonText(fields)), json: fields };
}

async function bodyFrom(bytes: Uint8Array): Promise<Body> {
  try {
    return { bytes, json: (await parseJson(Buffer.from(bytes).toString('utf8'), '--input')) as Value };
  } catch {
    return { bytes };
  }
}

/** Append query parameters to a URL. */
export function withQuery(url: string, fields: Readonly<Record<string, Value>>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    flatten(name, value).map((part) => `${encode(part.name)}=${encode(part.value as string)}`),
  );
  if (pairs.length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}
