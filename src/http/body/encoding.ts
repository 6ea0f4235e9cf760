/** Decompress response bodies. */
import { pipeline, type Transform } from 'node:stream';
import { type ExchangeSummary, Failure } from '../../errors.ts';
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
  const decoder = await decoderOf(coding, start);
  if (!decoder) {
    await chunks.return?.();
    throw new Failure('server_error', `unsupported Content-Encoding in the response: ${coding}`, {
      exchange,
    });
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
    if (
      error instanceof Error &&
      'code' in error &&
      /^(Z_|ERR_.*BROTLI|ERR__ERROR)/.test(String(error.code))
    ) {
      throw new Failure('server_error', `the response is damaged: cannot decode ${coding}`, {
        exchange,
        cause: error,
      });
    }
    throw error;
  }
}

async function decoderOf(coding: string, first: Uint8Array): Promise<Transform | undefined> {
  const zlib = await import('node:zlib');
  if (coding === 'gzip' || coding === 'x-gzip') return zlib.createGunzip();
  if (coding === 'br') return zlib.createBrotliDecompress();
  // RFC 9110 requires the zlib format (its first half-byte is 8); some servers send raw deflate.
  if (coding === 'deflate')
    return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
  return undefined;
}
