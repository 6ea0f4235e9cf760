/** What the API promises of a success: JSON. Whatever else comes is told apart before a byte is printed. */
import { Failure } from '../../errors.ts';
import { header, type Reply } from '../transport.ts';

const bom = [0xef, 0xbb, 0xbf];
/** Bytes of white space in front that are looked through: a service that thinks long may send some to keep the connection. */
const blankLimit = 64 * 1024;
const bareStatuses = new Set([202, 204, 205]);

/**
 * The bytes of an answer that must be JSON, without a byte order mark. Looks at the first bytes only: whether the rest is JSON
 * is the reader's to say. The body of 202, 204 and 205 may be empty.
 * @param method of the request that was answered, for the message
 * @throws Failure `server_error` while reading, for an HTML page, an empty or a blank answer, or one that can't be JSON
 */
export async function* expectJson(reply: Reply, method = 'GET'): AsyncGenerator<Uint8Array, void, undefined> {
  const broken = (message: string) =>
    new Failure('server_error', message, { exchange: { method, url: reply.url, status: reply.status } });
  if (isHtml(reply)) {
    await reply.discard();
    throw page(reply, method);
  }
  let held: Uint8Array = new Uint8Array(0);
  let begun = false;
  for await (const chunk of reply.body) {
    if (begun) {
      yield chunk;
      continue;
    }
    held = withoutBom(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    const first = firstByte(held);
    if (first === undefined) {
      if (held.length > blankLimit) throw broken('the answer is nothing but white space');
      continue;
    }
    if (first === 0x3c) {
      throw broken('the answer is an HTML or XML page, not JSON: a proxy or login page?');
    }
    if (!startsJson(first)) throw broken('the answer is not JSON');
    begun = true;
    yield held;
  }
  if (!begun && !bareStatuses.has(reply.status)) {
    throw broken('the answer is empty where JSON was promised');
  }
}

/**
 * The same, of which the first byte must begin an object.
 * @throws Failure `server_error` while reading, as `expectJson`, and for another value: `null`, a list, a number
 */
export async function* expectObject(
  reply: Reply,
  method = 'GET',
): AsyncGenerator<Uint8Array, void, undefined> {
  const { url, status } = reply;
  let begun = false;
  for await (const chunk of expectJson(reply, method)) {
    const first: number | undefined = begun ? undefined : firstByte(chunk);
    if (first !== undefined && first !== 0x7b)
      throw new Failure('server_error', 'the answer is not an object, as the API promises', {
        exchange: { method, url, status },
      });
    begun ||= first !== undefined;
    yield chunk;
  }
}

/**
 * An answer that need say nothing more than its status. What it says all the same is not read, but for a page: that comes from
 * a proxy or a login, not from the service, which did not act.
 * @param method of the request that was answered, for the message
 * @throws Failure `server_error` for an HTML page
 */
export async function expectNothing(reply: Reply, method: string): Promise<void> {
  await reply.discard();
  if (isHtml(reply)) throw page(reply, method);
}

/**
 * Bytes of a type that is known: a page instead of them comes from a proxy or a login.
 * @param type what the API promises; bytes of any kind may be a page themselves
 * @throws Failure `server_error` for an HTML page
 */
export async function expectType(reply: Reply, type: string, method: string): Promise<void> {
  if (anyBytes.has(type) || !isHtml(reply)) return;
  await reply.discard();
  throw page(reply, method, type);
}

/** A file of a repository may be a page. */
const anyBytes = new Set(['application/octet-stream', 'text/plain']);

const isHtml = ({ headers }: Reply) => /\bhtml\b/i.test(header(headers, 'content-type') ?? '');

function page({ url, status }: Reply, method: string, wanted = 'JSON'): Failure {
  return new Failure('server_error', `the answer is an HTML page, not ${wanted}: a proxy or login page?`, {
    exchange: { method, url, status },
  });
}

/** Without its byte order mark; as it is where only a part of one has come. */
function withoutBom(bytes: Uint8Array): Uint8Array {
  return bytes.length >= 3 && bom.every((byte, index) => bytes[index] === byte) ? bytes.subarray(3) : bytes;
}

/** The first byte that is no white space; undefined while it may still be the start of a byte order mark. */
function firstByte(bytes: Uint8Array): number | undefined {
  if (bytes.length < 3 && bytes[0] === bom[0]) return undefined;
  return bytes.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09);
}

/** `{ [ " - 0-9 t f n` */
function startsJson(byte: number): boolean {
  return '{["-tfn'.includes(String.fromCharCode(byte)) || (byte >= 0x30 && byte <= 0x39);
}
