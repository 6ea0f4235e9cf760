/** From a plan of the catalogue to a request on the wire, and to what `--dry-run` and `--curl` say of it. */
import type { Credential } from '../../config/credentials.ts';
import { usage } from '../../errors.ts';
import type { Body, Header, Request } from '../../http/transport.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { mask, masked, maskedUrl } from '../../spec/mask.ts';
import {
  type FilePart,
  isFilePart,
  jsonPieces,
  type Part,
  type Plan,
  textLength,
  toJson,
  type Value,
} from '../../spec/request.ts';
import type { Context } from '../context.ts';

export interface Outgoing {
  readonly root: string;
  readonly credential?: Pick<Credential, 'kind' | 'header'>;
  /** Headers beside those that every request has. */
  readonly extra?: readonly Header[];
}

/** The request as the transport wants it; the credential is the client's to add. */
export async function toRequest(plan: Plan, outgoing: Outgoing, context: Context): Promise<Request> {
  const request = {
    method: plan.method,
    url: `${outgoing.root}${plan.target}`,
    headers: [...(outgoing.extra ?? [])],
  };
  if (plan.multipart) {
    const { multipartBody } = await import('../../http/body/download.ts');
    const { contentType, body } = multipartBody(
      plan.multipart.map(({ name, value }) => ({ name, value: openable(value, context) })),
    );
    return { ...request, headers: [...request.headers, ['content-type', contentType]], body };
  }
  if (!plan.json) return request;
  return {
    ...request,
    headers: [...request.headers, ['content-type', 'application/json']],
    body: jsonBody(plan.json),
  };
}

/** Characters beyond which a body is sent piece by piece. */
const largeLength = 1024 * 1024;

/** A value as a body. A large one is never in memory as a whole. */
export function jsonBody(value: Value): Body {
  if (textLength(value) <= largeLength) return { bytes: Buffer.from(toJson(value)) };
  let length = 0;
  for (const piece of jsonPieces(value)) length += Buffer.byteLength(piece);
  async function* open() {
    for (const piece of jsonPieces(value)) yield Buffer.from(piece);
  }
  return { open, length };
}

/** Characters of a body that `--dry-run` and `--curl` still print. */
const shownLength = 32 * 1024 * 1024;

/** @throws Failure `usage` for a body that is too large for one text */
function refuseLarge({ json }: Plan): void {
  if (json && textLength(json) > shownLength)
    throw usage('the request body is too large to be printed', 'nothing was sent');
}

function openable(value: string | FilePart, context: Context) {
  if (typeof value === 'string') return value;
  if (value.file === '-') return { ...value, stream: () => context.stdin };
  return value.size === undefined ? { ...value, stream: () => readOnce(value.file) } : value;
}

/** What is no regular file: a pipe or a device. */
async function* readOnce(file: string): AsyncGenerator<Uint8Array> {
  const { openInput } = await import('../../support/input.ts');
  yield* await openInput(file);
}

export interface Shown {
  readonly showSecrets: boolean;
}

/** `--dry-run` (interface section 8): one JSON object that says what would be sent. */
export function describe(endpoint: Endpoint, plan: Plan, outgoing: Outgoing, { showSecrets }: Shown): string {
  refuseLarge(plan);
  const url = `${outgoing.root}${plan.target}`;
  const headers: Record<string, string> = {};
  if (outgoing.credential) {
    const [name, value] = outgoing.credential.header;
    headers[name] = showSecrets ? value : mask;
  }
  for (const [name, value] of outgoing.extra ?? []) headers[name] = value;
  if (plan.json) headers['content-type'] = 'application/json';
  if (plan.multipart) headers['content-type'] = 'multipart/form-data';
  const body = plan.json ? plan.json : plan.multipart ? parts(plan.multipart) : undefined;
  return toJson({
    method: plan.method,
    url: showSecrets ? url : maskedUrl(url, endpoint.takes),
    headers,
    ...(body === undefined ? {} : { body: (showSecrets ? body : masked(body, endpoint.takes)) as Value }),
  });
}

/** `{"<field>":{"file":"<name>","size":n}}` */
function parts(multipart: readonly Part[]): Record<string, Value> {
  return Object.fromEntries(
    multipart.map(({ name, value }) => [
      name,
      isFilePart(value)
        ? { file: value.filename, ...(value.size === undefined ? {} : { size: value.size }) }
        : value,
    ]),
  );
}

/** What a download adds: bytes as they are, so that their length and checksum can be told. */
export const asBytes: readonly Header[] = [
  ['accept', '*/*'],
  ['accept-encoding', 'identity'],
];

/** Quote for a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quote for curl's --form, where `;` and `,` would end a name. */
function formQuote(text: string): string {
  return /^[\w@%+=:./-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** The header, with the variable that would hold its token. */
function tokenWord({ kind, header: [name] }: Pick<Credential, 'kind' | 'header'>): string {
  const variable = kind === 'job' ? 'SVC_JOB_TOKEN' : 'SVC_TOKEN';
  return `"${name}: ${name === 'authorization' ? 'Bearer ' : ''}$${variable}"`;
}

/** `--curl`: the same request as a command line, with the token as `$SVC_TOKEN` (`$SVC_JOB_TOKEN`) and other secrets masked. */
export function toCurl(endpoint: Endpoint, plan: Plan, outgoing: Outgoing, { showSecrets }: Shown): string {
  refuseLarge(plan);
  const url = `${outgoing.root}${plan.target}`;
  const words = ['curl', '--fail-with-body', '--silent', '--show-error'];
  if (plan.method === 'HEAD') words.push('--head');
  else if (plan.method !== 'GET') words.push('--request', plan.method);
  if (outgoing.credential) words.push('--header', tokenWord(outgoing.credential));
  for (const [name, value] of outgoing.extra ?? []) words.push('--header', shellQuote(`${name}: ${value}`));
  if (plan.json) {
    const body = showSecrets ? plan.json : (masked(plan.json, endpoint.takes) as Value);
    words.push(
      '--header',
      shellQuote('content-type: application/json'),
      '--data-binary',
      shellQuote(toJson(body as Value)),
    );
  }
  for (const { name, value } of plan.multipart ?? []) {
    if (isFilePart(value))
      words.push(
        '--form',
        shellQuote(`${name}=@${formQuote(value.file)};filename=${formQuote(value.filename)}`),
      );
    else words.push('--form-string', shellQuote(`${name}=${value}`));
  }
  words.push('--globoff', shellQuote(showSecrets ? url : maskedUrl(url, endpoint.takes)));
  return words.join(' ');
}
