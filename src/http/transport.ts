/**
 * The transport: a planned request in; status, headers and a stream of bytes out. It knows no retry, no redirect, no
 * credential rule and no status code: every policy stands above it, so that a second transport can be held to the same tests.
 */

export type Header = readonly [name: string, value: string];

/** A body that can be sent again when a request is retried, unless it says otherwise. */
export type Body = { readonly bytes: Uint8Array } | StreamBody;

export interface StreamBody {
  /** Called once for each try. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Bytes in all, where known: sent as `Content-Length`, else the body is chunked. */
  readonly length?: number;
  /** It is gone once it was read: standard input. */
  readonly once?: true;
}

export interface Request {
  readonly method: string;
  /** Absolute, encoded: sent as it is. */
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body?: Body;
}

export interface Reply {
  readonly status: number;
  /** As they came: names in lower case, one entry a line. */
  readonly headers: readonly Header[];
  /** The body's bytes, decoded from gzip or brotli. Reading may throw a Failure `network`. Must be read to its end or `discard`ed. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The URL that answered. */
  readonly url: string;
  readonly discard: () => Promise<void>;
}

export interface TransportOptions {
  /** Milliseconds to wait for a connection, for headers, and in each silence of a body. */
  readonly timeout: number;
  readonly tls?: {
    /** PEM texts. */
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly insecure?: boolean;
  };
  readonly signal?: AbortSignal;
}

export interface Transport {
  /** @throws Failure `network`, with a plain reason: DNS, refused, reset, TLS, timeout */
  send(request: Request): Promise<Reply>;
  close(): Promise<void>;
}

/** More than that of headers is no answer. */
export const maxHeaderBytes = 64 * 1024;

/** Whether a URL leads to this origin, by its text: scheme, host and port are as the origin has them. */
export function isWithin(url: string, origin: string): boolean {
  return url === origin || url.startsWith(`${origin}/`);
}

/** Whether a method changes nothing (RFC 9110 section 9.2.1): it may be sent again, and anywhere on its origin. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The TLS settings as `node:tls` takes them. An authority is trusted beside those that Node knows. */
export function tlsOptions({ ca, cert, key, insecure }: NonNullable<TransportOptions['tls']>) {
  return {
    ...(ca === undefined ? {} : { ca: [...process.getBuiltinModule('node:tls').rootCertificates, ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  };
}

/** Values of a header, one for each line in which it came. */
export function headerValues(headers: readonly Header[], name: string): string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value);
}

/** A header's value, its lines joined as RFC 9110 section 5.3 allows; undefined where it is absent. */
export function header(headers: readonly Header[], name: string): string | undefined {
  const values = headerValues(headers, name);
  return values.length > 0 ? values.join(', ') : undefined;
}
