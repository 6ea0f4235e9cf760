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
  readonly extra: readonly Header[];
}

/** Headers of a download. Without compression, its length and checksum can be verified. */
export const downloadHeaders: readonly Header[] = [
  ['accept', '*/*'],
  ['accept-encoding', 'identity'],
];

/** @throws Failure `usage` if no base URL is set, or for an invalid vendor */
export async function requestBase(session: Session, endpoint: Endpoint): Promise<RequestBase> {
  const { options, context } = session;
  const credential = await session.credential(endpoint.access);
  // Servers name their headers after their vendor; the response to a spam check contains the name (`X-<Vendor>-…`).
  const vendor = (context.env['SVC_VENDOR'] || 'service').toLowerCase();
  if (!/^[a-z0-9]+$/.test(vendor)) throw usage('SVC_VENDOR must consist of letters and digits');
  const answers = { 'captcha-response': options.captchaResponse, 'spam-log-id': options.spamLogId };
  return {
    root: session.root(),
    ...(credential ? { credential } : {}),
    extra: Object.entries(answers).flatMap(([name, value]): Header[] =>
      value === undefined ? [] : [[`x-${vendor}-${name}`, value]],
    ),
  };
}

/** Build a request for the transport. The client adds the credential. */
export async function toRequest(
  plan: Plan,
  { root, extra }: RequestBase,
  context: Context,
): Promise<Request> {
  const request = { method: plan.method, url: `${root}${plan.target}` };
  const encoded = plan.multipart
    ? await formOf(plan.multipart, context)
    : plan.json && { contentType: 'application/json', body: jsonBody(plan.json) };
  if (!encoded) return { ...request, headers: extra };
  const { contentType, body } = encoded;
  return { ...request, headers: [...extra, ['content-type', contentType]], body };
}

async function formOf(parts: NonNullable<Plan['multipart']>, context: Context) {
  const { multipartBody } = await import('../../http/body/download.ts');
  return multipartBody(parts.map(({ name, value }) => ({ name, value: openable(value, context) })));
}

function openable(value: string | FilePart, { stdin }: Context) {
  if (typeof value === 'string') return value;
  if (value.file === '-') return { ...value, stream: () => stdin };
  return value.size === undefined ? { ...value, stream: () => readOnce(value.file) } : value;
}

/** Read a pipe or a device. */
async function* readOnce(file: string): AsyncGenerator<Uint8Array> {
  const { openInput } = await import('../../support/input.ts');
  yield* await openInput(file);
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
