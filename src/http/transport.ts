/**
 * The transport sends one request and returns the status, the headers and a stream of body bytes. Retries, redirects, credentials
 * and the meaning of a status are policies above it, so that every transport passes the same tests.
 */

import { readFileSync } from 'node:fs';

export type Header = readonly [name: string, value: string];

/** A request body. It can be sent again when a request is retried, unless it is marked `once`. */
export type Body = { readonly bytes: Uint8Array } | StreamBody;

export interface StreamBody {
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Number of bytes, if known: sent as `Content-Length`. Otherwise the body is chunked. */
  readonly length?: number;
  /** The body can be read only once, for example standard input. */
  readonly once?: true;
}

export interface Request {
  readonly method: string;
  /** Absolute and encoded: sent unchanged. */
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body?: Body;
  /** The response is a file: the service may redirect to an https URL of another server, such as that of its object storage. */
  readonly isDownload?: boolean;
  /** The service redirected here. Credentials are not sent, even if the URL is that of the service again. */
  readonly isRedirectedOutside?: true;
}

/** A response. Named `Reply` because `Response` is the class of `fetch`. */
export interface Reply {
  readonly status: number;
  /** In the order received: names in lower case, one entry per header line. */
  readonly headers: readonly Header[];
  /** The body, decompressed. Reading may throw a Failure `network`. Read it to the end or call `discard`. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The URL that sent the response, after redirects. That of another server has no query, which can be a signature. */
  readonly url: string;
  readonly discard: () => Promise<void>;
}

export interface TransportOptions {
  /** Milliseconds to wait for a connection, for response headers, and for more data. */
  readonly timeout: number;
  readonly tls?: {
    /** PEM texts. */
    readonly ca?: string | undefined;
    /** The path in NODE_EXTRA_CA_CERTS. */
    readonly extraCaFile?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
    readonly insecure?: boolean;
  };
  readonly signal?: AbortSignal;
  /** The proxy for this origin, already chosen from HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxy?: string;
}

export interface Transport {
  /** @throws Failure `network` with a plain reason: DNS, connection refused, reset, TLS, timeout */
  send(request: Request): Promise<Reply>;
  close(): Promise<void>;
}

/** Limit for the headers of one response. */
export const maxHeaderBytes = 64 * 1024;

/** Whether a URL is within an origin, compared as text: both must spell scheme, host and port alike. */
export function isWithin(url: string, origin: string): boolean {
  return url === origin || url.startsWith(`${origin}/`);
}

/** The path and query of a URL, cut from the text: a URL parser would resolve `%2e%2e`. */
export function pathWithin(url: string, origin: string): string {
  return url.slice(origin.length) || '/';
}

/** The TLS settings in the form of `node:tls`. A given certificate authority is trusted in addition to the default ones. */
export async function tlsOptions(tls: TransportOptions['tls']) {
  const { ca, extraCaFile, insecure, ...pair } = tls ?? {};
  return {
    ...pair,
    ...(ca === undefined ? {} : { ca: [...(await defaultCertificates(extraCaFile)), ca] }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  };
}

/** The certificates that Node trusts without options: its own, or those of the system, and the file of NODE_EXTRA_CA_CERTS. */
async function defaultCertificates(extraCaFile = ''): Promise<readonly string[]> {
  const { default: tls } = await import('node:tls');
  if ('getCACertificates' in tls) return (tls.getCACertificates as () => string[])();
  try {
    return [...tls.rootCertificates, readFileSync(extraCaFile, 'utf8')];
  } catch {
    // Node itself warns about a file that it cannot read.
    return tls.rootCertificates;
  }
}

/** Convert Node's flat list of names and values, as text or Latin-1 bytes. */
export function headersFrom(raw: readonly (string | Uint8Array)[]): Header[] {
  const texts = raw.map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString('latin1')));
  return texts.flatMap((value, index) =>
    index % 2 === 1 ? [[texts[index - 1]!.toLowerCase(), value] as const] : [],
  );
}

/** Values of a header, one for each header line. */
export function headerValues(headers: readonly Header[], name: string): string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value);
}

/** The value of a header, its lines joined as in RFC 9110 section 5.3; undefined if it is absent. */
export function header(headers: readonly Header[], name: string): string | undefined {
  const values = headerValues(headers, name);
  return values.length > 0 ? values.join(', ') : undefined;
}

/** The parameters of a header, `; name=value` and `; name="value"`, by name in lower case. The first of several is used. */
export function headerParameters(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', quoted, value = ''] of text.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted?.replace(/\\(.)/gs, '$1') ?? value.trim());
  }
  return found;
}

/** An unclosed quote extends to the end of the text. */
const parameter = /;\s*([^\s=;,]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*)))?/gs;

/** Header text, given as Latin-1, decoded as UTF-8 if its bytes are UTF-8. Servers send file names this way. */
export function utf8(latin1: string): string {
  if (!/[\u0080-\u00ff]/.test(latin1)) return latin1;
  const text = Buffer.from(latin1, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? latin1 : text;
}
