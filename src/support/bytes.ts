import { type Failure, usage } from '../errors.ts';

const mib = 1024 * 1024;
/** Bytes of one value that has no smaller limit of its own. */
export const valueLimit = 100 * mib;

export function tooLarge(what: string, limit: number): Failure {
  const size = limit % mib === 0 ? `${limit / mib} MiB` : `${limit} bytes`;
  return usage(`${what} is larger than ${size}`);
}

/** Everything that a stream gives, in one piece. Only for what is small, or is wanted whole. */
export async function collect(source: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  return collectUpTo(Number.POSITIVE_INFINITY, source, '');
}

/**
 * The same for a source that may not end.
 * @param what how the source is called before the user
 * @throws Failure `usage` for more bytes than the limit
 */
export async function collectUpTo(
  limit: number,
  source: AsyncIterable<Uint8Array | string>,
  what: string,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    length += bytes.byteLength;
    if (length > limit) throw tooLarge(what, limit);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Bytes as text, a byte order mark included; undefined where they are not UTF-8. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The first character that is no white space, and the bytes with it. */
export async function peeked(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ first: string | undefined; body: AsyncIterable<Uint8Array> }> {
  const source = bytes[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let first: string | undefined;
  while (first === undefined) {
    const { done, value } = await source.next();
    if (done) break;
    held.push(value);
    first = /\S/.exec(Buffer.from(value).toString('latin1'))?.[0];
  }
  async function* body() {
    yield* held;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  }
  return { first, body: body() };
}
