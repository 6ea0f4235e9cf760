/** Decompress response bodies. */
import { pipeline, type Transform } from 'node:stream';
import type * as Zlib from 'node:zlib';
import { type ExchangeSummary, Failure } from '../../errors.ts';
import { errorCode } from '../../support/errno.ts';
import { type Header, header } from '../transport.ts';

/** The codings requested. `deflate` is supported but not requested, since servers implement it in two ways. */
export const acceptEncoding = 'gzip, br';

/**
 * Decode a body as its `Content-Encoding` says (RFC 9110 section 8.4).
 * @throws Failure `server_error` while reading, for an unknown coding or damaged data
 */
export function decodedBody(
  body: AsyncIterable<Uint8Array>,
  headers: readonly Header[],
  exchange: ExchangeSummary,
): AsyncIterable<Uint8Array> {
  const codings = (header(headers, 'content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  return codings.reduceRight((bytes, coding) => decode(bytes, coding, exchange), body);
}

async function* decode(body: AsyncIterable<Uint8Array>, coding: string, exchange: ExchangeSummary) {
  const chunks = body[Symbol.asyncIterator]();
  let first = await chunks.next();
  while (!first.done && first.value.length === 0) first = await chunks.next();
  // An empty body has no encoding.
  if (first.done) return;
  const start: Uint8Array = first.value;
  const failure = (message: string, cause?: unknown) =>
    new Failure('server_error', message, { exchange, cause });
  const decoder = decoderOf(await import('node:zlib'), coding, start);
  if (!decoder) {
    await chunks.return?.();
    throw failure(`unsupported Content-Encoding in the response: ${coding}`);
  }
  const all = async function* () {
    try {
      yield start;
      yield* { [Symbol.asyncIterator]: () => chunks };
    } finally {
      await chunks.return?.();
    }
  };
  pipeline(all, decoder, () => {});
  try {
    yield* decoder;
  } catch (error) {
    // The errors of zlib and brotli. Others come from the connection.
    if (!/^(Z_|ERR_.*BROTLI|ERR__ERROR)/.test(errorCode(error) ?? '')) throw error;
    throw failure(`the response is damaged: cannot decode ${coding}`, error);
  }
}

function decoderOf(zlib: typeof Zlib, coding: string, first: Uint8Array): Transform | undefined {
  if (coding === 'gzip' || coding === 'x-gzip') return zlib.createGunzip();
  if (coding === 'br') return zlib.createBrotliDecompress();
  if (coding !== 'deflate') return undefined;
  // RFC 9110 requires the zlib format (its first half-byte is 8); some servers send raw deflate.
  return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
}
