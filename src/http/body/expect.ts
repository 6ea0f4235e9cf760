/** Check that a successful response is JSON, as the API promises, before any byte is printed. */
import { Failure } from '../../errors.ts';
import { header, type Reply } from '../transport.ts';

/** The text for a web page in place of a response of the API. */
export const pageHint = 'a proxy or login page may have responded: check the base URL and the proxy settings';

export function pageMessage(expected = 'JSON'): string {
  return `the response is an HTML or XML page, not ${expected}`;
}

/** Limit for leading white space, which a slow service may send to keep the connection open. */
const blankLimit = 64 * 1024;
const byteOrderMark = Buffer.from('\ufeff');
const blanks = Buffer.from('\t\n\r ');
const emptyStatuses = new Set([202, 204, 205]);
/** The type of files, which may be HTML pages themselves. */
const fileType = 'application/octet-stream';

/**
 * Return the bytes of a JSON response without a byte order mark. Only the first bytes are checked; the reader parses the rest. The
 * body of 202, 204 and 205 may be empty.
 * @param method of the request, for the message
 * @param isObject the response must be an object
 * @throws Failure `server_error` while reading, for an HTML page, an empty or blank body, or a body that cannot be JSON
 */
export async function* expectJson(
  reply: Reply,
  method = 'GET',
  isObject = false,
): AsyncGenerator<Uint8Array, void, undefined> {
  await rejectPage(reply, method);
  const held: Uint8Array[] = [];
  let started = false;
  for await (const chunk of reply.body) {
    if (started) {
      yield chunk;
      continue;
    }
    held.push(chunk);
    const bytes = Buffer.concat(held);
    const from = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    const byte = bytes.subarray(from).find((one) => !blanks.includes(one));
    if (byte === undefined || bytes.equals(byteOrderMark.subarray(0, bytes.length))) {
      if (bytes.length > blankLimit) throw failureOf(reply, method, 'the response contains only white space');
      continue;
    }
    const first = String.fromCharCode(byte);
    if (first === '<') throw failureOf(reply, method, pageMessage(), pageHint);
    if (!/[{["\-\dtfn]/.test(first)) throw failureOf(reply, method, 'the response is not JSON');
    // A service that is not ready may respond with its status as the body.
    if (isObject && first !== '{' && reply.status === 202) return;
    if (isObject && first !== '{') throw failureOf(reply, method, 'the response is not a JSON object');
    started = true;
    yield bytes.subarray(from);
  }
  if (!started && !emptyStatuses.has(reply.status))
    throw failureOf(reply, method, 'the response is empty; expected JSON');
}

/**
 * Discard the body of a response whose status is enough. An HTML page is an error: a proxy or login page sent it, and the service did
 * not execute the request.
 * @param method of the request, for the message
 * @throws Failure `server_error` for an HTML page
 */
export async function expectNothing(reply: Reply, method: string): Promise<void> {
  await reply.discard();
  await rejectPage(reply, method);
}

/**
 * Check that a response is not an HTML page in place of another type.
 * @param type the type that the API promises
 * @throws Failure `server_error` for an HTML page
 */
export async function expectType(reply: Reply, type: string, method: string): Promise<void> {
  if (type !== fileType) await rejectPage(reply, method, type);
}

async function rejectPage(reply: Reply, method: string, expected?: string): Promise<void> {
  if (!/\bhtml\b/i.test(header(reply.headers, 'content-type') ?? '')) return;
  await reply.discard();
  throw failureOf(reply, method, pageMessage(expected), pageHint);
}

function failureOf(
  { url, status }: Reply,
  method: string,
  message: string,
  hint: readonly string[] | string = [],
) {
  return new Failure('server_error', message, { hint, exchange: { method, url, status } });
}
