/** Check that a successful response is JSON, as the API promises, before any byte is printed. */
import { Failure } from '../../errors.ts';
import { header, type Reply } from '../transport.ts';

/** The text for a web page in place of a response of the API. */
export const pageHint = 'a proxy or login page may have responded: check the base URL and the proxy settings';

export function pageMessage(expected = 'JSON'): string {
  return `the response is an HTML or XML page, not ${expected}`;
}

const bom = [0xef, 0xbb, 0xbf];
/** Limit for leading white space, which a slow service may send to keep the connection open. */
const blankLimit = 64 * 1024;
const emptyStatuses = new Set([202, 204, 205]);

/**
 * Return the bytes of a JSON response without a byte order mark. Only the first bytes are checked; the reader parses the rest. The
 * body of 202, 204 and 205 may be empty.
 * @param method of the request, for the message
 * @throws Failure `server_error` while reading, for an HTML page, an empty or blank body, or a body that cannot be JSON
 */
export async function* expectJson(reply: Reply, method = 'GET'): AsyncGenerator<Uint8Array, void, undefined> {
  const failure = (message: string) =>
    new Failure('server_error', message, { exchange: { method, url: reply.url, status: reply.status } });
  if (isHtml(reply)) {
    await reply.discard();
    throw pageFailure(reply, method);
  }
  let buffered: Uint8Array = new Uint8Array(0);
  let started = false;
  for await (const chunk of reply.body) {
    if (started) {
      yield chunk;
      continue;
    }
    buffered = withoutBom(buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]));
    const first = firstByte(buffered);
    if (first === undefined) {
      if (buffered.length > blankLimit) throw failure('the response contains only white space');
      continue;
    }
    if (first === 0x3c) throw pageFailure(reply, method);
    if (!startsJson(first)) throw failure('the response is not JSON');
    started = true;
    yield buffered;
  }
  if (!started && !emptyStatuses.has(reply.status)) throw failure('the response is empty; expected JSON');
}

/**
 * As `expectJson`, but the response must be a JSON object.
 * @throws Failure `server_error` while reading, also for another value: `null`, an array, a number
 */
export async function* expectObject(
  reply: Reply,
  method = 'GET',
): AsyncGenerator<Uint8Array, void, undefined> {
  const { url, status } = reply;
  let started = false;
  for await (const chunk of expectJson(reply, method)) {
    const first: number | undefined = started ? undefined : firstByte(chunk);
    if (first !== undefined && first !== 0x7b)
      throw new Failure('server_error', 'the response is not a JSON object', {
        exchange: { method, url, status },
      });
    started ||= first !== undefined;
    yield chunk;
  }
}

/**
 * Discard the body of a response whose status is enough. An HTML page is an error: a proxy or login page sent it, and the service did
 * not execute the request.
 * @param method of the request, for the message
 * @throws Failure `server_error` for an HTML page
 */
export async function expectNothing(reply: Reply, method: string): Promise<void> {
  await reply.discard();
  if (isHtml(reply)) throw pageFailure(reply, method);
}

/**
 * Check that a response is not an HTML page in place of another type.
 * @param type the type that the API promises
 * @throws Failure `server_error` for an HTML page
 */
export async function expectType(reply: Reply, type: string, method: string): Promise<void> {
  if (fileTypes.has(type) || !isHtml(reply)) return;
  await reply.discard();
  throw pageFailure(reply, method, type);
}

/** Types of repository files, which may be HTML pages themselves. */
const fileTypes = new Set(['application/octet-stream', 'text/plain']);

function isHtml({ headers }: Reply): boolean {
  const type = header(headers, 'content-type')?.toLowerCase() ?? '';
  return type.includes('html') && /\bhtml\b/.test(type);
}

function pageFailure({ url, status }: Reply, method: string, expected?: string): Failure {
  return new Failure('server_error', pageMessage(expected), {
    hint: pageHint,
    exchange: { method, url, status },
  });
}

/** Bytes without a byte order mark; unchanged if only a part of it has arrived. */
function withoutBom(bytes: Uint8Array): Uint8Array {
  return bytes.length >= 3 && bom.every((byte, index) => bytes[index] === byte) ? bytes.subarray(3) : bytes;
}

/** The first byte that is not white space; undefined if a byte order mark may be incomplete. */
function firstByte(bytes: Uint8Array): number | undefined {
  if (bytes.length < 3 && bytes[0] === bom[0]) return undefined;
  return bytes.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09);
}

/** `{ [ " - 0-9 t f n` */
function startsJson(byte: number): boolean {
  return '{["-tfn'.includes(String.fromCharCode(byte)) || (byte >= 0x30 && byte <= 0x39);
}
