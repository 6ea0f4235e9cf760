/** From a planned call to the request that is sent. */
import type { Credential } from '../../config/credentials.ts';
import { usage } from '../../errors.ts';
import type { Body, Header, Request } from '../../http/transport.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type FilePart, jsonPieces, type Plan, textLength, toJson, type Value } from '../../spec/request.ts';
import type { Context } from '../context.ts';
import type { Session } from '../session/model.ts';

export interface RequestBase {
  readonly root: string;
  readonly credential?: Pick<Credential, 'kind' | 'header'>;
  /** Headers beside those that every request has. */
  readonly extra?: readonly Header[];
}

/** The request as the transport wants it; the credential is the client's to add. */
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

/** What a download adds: bytes as they are, so that their length and checksum can be told. */
export const downloadHeaders: readonly Header[] = [
  ['accept', '*/*'],
  ['accept-encoding', 'identity'],
];

/** What every request of this session carries. */
export async function requestBase(session: Session, endpoint: Endpoint): Promise<RequestBase> {
  const credential = await session.credential(endpoint.access);
  // Servers name their own headers after their vendor; the answer to the spam check tells how (`X-<Vendor>-…`).
  const vendor = (session.context.env['SVC_VENDOR'] || 'service').toLowerCase();
  if (!/^[a-z0-9]+$/.test(vendor))
    throw usage('SVC_VENDOR is a word of letters and digits: that of X-<Vendor>-...');
  const captcha = session.options.captchaResponse;
  const spam = session.options.spamLogId;
  return {
    root: session.root(),
    ...(credential ? { credential } : {}),
    extra: [
      ...(captcha === undefined ? [] : [[`x-${vendor}-captcha-response`, captcha] as const]),
      ...(spam === undefined ? [] : [[`x-${vendor}-spam-log-id`, spam] as const]),
    ],
  };
}
