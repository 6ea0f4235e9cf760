/** Content codings: an answer that comes compressed is read as if it had not been. */
import type { Transform } from 'node:stream';
import { type Exchange, Failure } from '../../errors.ts';
import { type Header, header } from '../transport.ts';

/** Codings that are asked for; deflate is understood but not asked for, since servers disagree on what it means. */
export const acceptEncoding = 'gzip, br';

/**
 * The bytes behind `Content-Encoding` (RFC 9110 section 8.4); the same iterable where there is none.
 * @throws Failure `server_error` while reading, for a coding that is unknown or data that is damaged
 */
export function decoded(
  body: AsyncIterable<Uint8Array>,
  headers: readonly Header[],
  exchange: Exchange,
): AsyncIterable<Uint8Array> {
  const codings = (header(headers, 'content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  return codings.reduceRight((bytes, coding) => decode(bytes, coding, exchange), body);
}

async function* decode(body: AsyncIterable<Uint8Array>, coding: string, exchange: Exchange) {
  const first = await firstChunk(body);
  if (!first) return;
  const decoder = decoderOf(coding, first.chunk);
  if (!decoder) {
    await first.rest.return?.();
    throw new Failure('server_error', `the answer is encoded in a way that svc does not know: ${coding}`, {
      exchange,
    });
  }
  process.getBuiltinModule('node:stream').pipeline(joined(first.chunk, first.rest), decoder, () => {});
  try {
    yield* decoder as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      /^(Z_|ERR_.*BROTLI|ERR__ERROR)/.test(String(error.code))
    ) {
      throw new Failure('server_error', `the answer is damaged: it can't be decoded from ${coding}`, {
        exchange,
        cause: error,
      });
    }
    throw error;
  }
}

function decoderOf(coding: string, first: Uint8Array): Transform | undefined {
  const zlib = process.getBuiltinModule('node:zlib');
  if (coding === 'gzip' || coding === 'x-gzip') return zlib.createGunzip();
  if (coding === 'br') return zlib.createBrotliDecompress();
  // RFC 9110 means zlib's format (its first half-byte is 8); some servers send raw deflate.
  if (coding === 'deflate') return (first[0]! & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
  return undefined;
}

/** The first chunk that holds a byte, and what follows; undefined for an empty body. */
async function firstChunk(body: AsyncIterable<Uint8Array>) {
  const rest = body[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await rest.next();
    if (done) return undefined;
    if (value.length > 0) return { chunk: value, rest };
  }
}

async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>) {
  try {
    yield first;
    for (;;) {
      const { done, value } = await rest.next();
      if (done) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}
