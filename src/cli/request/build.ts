/** Build the request of a planned call. */
import type { Credential } from '../../config/credentials.ts';
import { usage } from '../../errors.ts';
import type { Body, Header, Request } from '../../http/transport.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type FilePart, jsonPieces, type Plan, textLength, type Value } from '../../spec/request.ts';
import { jsonText } from '../../support/json.ts';
import type { Context } from '../context.ts';
import type { Session } from '../session/model.ts';

/** The parts that all requests of a session share. */
export interface RequestBase {
  readonly root: string;
  readonly credential?: Pick<Credential, 'kind' | 'header'>;
  /** Additional headers. */
  readonly extra?: readonly Header[];
}

/** Build a request for the transport. The client adds the credential. */
export async function toRequest(plan: Plan, outgoing: RequestBase, context: Context): Promise<Request> {
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

/** Characters beyond which a body is sent in pieces. */
const largeLength = 1024 * 1024;

/** Encode a value as a body. A large body is never in memory as a whole. */
export function jsonBody(value: Value): Body {
  if (textLength(value) <= largeLength) return { bytes: Buffer.from(jsonText(value)) };
  let length = 0;
  for (const piece of jsonPieces(value)) length += Buffer.byteLength(piece);
  async function* open() {
    for (const piece of jsonPieces(value)) yield Buffer.from(piece);
  }
  return { open, length };
}

function openable(value: string | FilePart, context: Context) {
  if (typeof value === 'string') return value;
  if (value.file === '-') return { ...value, stream: () => context.stdin };
  return value.size === undefined ? { ...value, stream: () => readOnce(value.file) } : value;
}

/** Read a pipe or a device. */
async function* readOnce(file: string): AsyncGenerator<Uint8Array> {
  const { openInput } = await import('../../support/input.ts');
  yield* await openInput(file);
}

/** Headers of a download. Without compression, its length and checksum can be verified. */
export const downloadHeaders: readonly Header[] = [
  ['accept', '*/*'],
  ['accept-encoding', 'identity'],
];

export async function requestBase(session: Session, endpoint: Endpoint): Promise<RequestBase> {
  const credential = await session.credential(endpoint.access);
  // Servers name their headers after their vendor; the response to a spam check contains the name (`X-<Vendor>-…`).
  const given = session.context.env['SVC_VENDOR'];
  const vendor = given ? given.toLowerCase() : 'service';
  if (given && !/^[a-z0-9]+$/.test(vendor)) throw usage('SVC_VENDOR must consist of letters and digits');
  const captcha = session.options.captchaResponse;
  const spamLogId = session.options.spamLogId;
  return {
    root: session.root(),
    ...(credential ? { credential } : {}),
    extra: [
      ...(captcha === undefined ? [] : [[`x-${vendor}-captcha-response`, captcha] as const]),
      ...(spamLogId === undefined ? [] : [[`x-${vendor}-spam-log-id`, spamLogId] as const]),
    ],
  };
}
