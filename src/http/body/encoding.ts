/** Decompress response bodies. */
import { pipeline, type Transform } from 'node:stream';
import type * as Zlib from 'node:zlib';
import { type ExchangeSummary, Failure } from '../../errors.ts';
import { errorCode } from '../../support/errno.ts';
import { type Header, header } from '../transport.ts';

/** The codings that are requested. `deflate` is not one of them, since servers implement it in two ways. */
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
  const failure = (message: string, cause?: unknown) =>
    new Failure('server_error', message, { exchange, cause });
  const decoder = decoderOf(await import('node:zlib'), coding);
  if (!decoder) {
    await body[Symbol.asyncIterator]().return?.();
    throw failure(`unsupported Content-Encoding in the response: ${coding}`);
  }
  let length = 0;
  const counted = async function* () {
    for await (const chunk of body) {
      length += chunk.length;
      yield chunk;
    }
  };
  pipeline(counted, decoder, () => {});
  try {
    yield* decoder;
  } catch (error) {
    // The errors of zlib and brotli. Others come from the connection.
    if (!/^(Z_|ERR_.*BROTLI|ERR__ERROR)/.test(errorCode(error) ?? '')) throw error;
    // An empty body has no encoding.
    if (length > 0) throw failure(`the response is damaged: cannot decode ${coding}`, error);
  }
}

function decoderOf(zlib: typeof Zlib, coding: string): Transform | undefined {
  if (coding === 'br') return zlib.createBrotliDecompress();
  return coding === 'gzip' || coding === 'x-gzip' ? zlib.createGunzip() : undefined;
}
