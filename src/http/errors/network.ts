/** Network errors as Failures in plain words. */
import { Failure, forPerson } from '../../errors.ts';
import { type Attempt, hostOf, type Text, templateFor } from './network-texts.ts';

/** An error that a transport detects itself. */
export class TransportError extends Error {
  readonly code: `TRANSPORT_${string}`;

  constructor(code: `TRANSPORT_${string}`) {
    super(code);
    this.code = code;
  }
}

/** Codes of resets and timeouts, after which a request that only reads may be retried. */
const retryableCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'TRANSPORT_CONNECT_TIMEOUT',
  'TRANSPORT_TIMEOUT',
  'TRANSPORT_CLOSED',
  'TRANSPORT_RESET',
  'TRANSPORT_TUNNEL',
]);

/** The codes of undici for events that Node's client and the transports have codes for. */
const sameCodes: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'TRANSPORT_CONNECT_TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'TRANSPORT_CONNECT_TIMEOUT',
  UND_ERR_SOCKET: 'TRANSPORT_CLOSED',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'TRANSPORT_CLOSED',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
  UND_ERR_INVALID_ARG: 'ERR_INVALID_CHAR',
};

/** The code of an error or of its cause. If several addresses were tried, the code of the first error. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') {
    // For errors while writing, OpenSSL gives the reason only in the message.
    const [, reason] = /:SSL routines:[^:]*:([^:]+):/.exec(String(error)) ?? [];
    const code =
      error.code === 'EPROTO' && reason ? `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}` : error.code;
    // Newer versions of OpenSSL write SSL/TLS for SSLV3.
    return sameCodes[code] ?? code.replace('SSL/TLS_ALERT', 'SSLV3_ALERT');
  }
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : undefined;
}

/** Whether the connection was reset or timed out, so that a retry may help. */
export function isRetryable(failure: Failure): boolean {
  return failure.kind === 'network' && retryableCodes.has(codeOf(failure.cause) ?? '');
}

/** Codes of errors before a request was sent. */
const unsentCode =
  /^(ECONNREFUSED|ENOTFOUND|ENODATA|EAI_\w+|EHOSTUNREACH|ENETUNREACH|TRANSPORT_CONNECT_TIMEOUT|TRANSPORT_TUNNEL|CERT_\w+|ERR_(TLS|SSL)_\w+|\w*_(CERT|CERTIFICATE|SIGNATURE)\w*)$/;

/** Whether the service may have executed the request although it failed. */
export function mayBeExecuted(failure: Failure): boolean {
  if (failure.kind === 'network') return !unsentCode.test(codeOf(failure.cause) ?? '');
  if (failure.kind === 'internal') return true;
  return failure.kind === 'server_error' && failure.exchange?.status !== 503;
}

/**
 * Convert a network error to a Failure in plain words.
 * @param error thrown by Node or a transport; a Failure is returned unchanged
 * @returns a Failure `network`; `usage` if a setting is wrong (a certificate file, a header value)
 */
export function networkFailure(error: unknown, attempt: Attempt): Failure {
  if (error instanceof Failure) return error;
  const exchange = { method: attempt.method, url: attempt.url };
  const code = codeOf(error) ?? '';
  const {
    message,
    hint = [],
    kind = 'network',
  } = proxyText(error, attempt) ?? templateFor(code)(peerOf(code, error, attempt), attempt);
  return new Failure(kind, message, { hint, exchange, cause: error });
}

/** The text for a proxy that rejected the tunnel; undefined for other errors. */
function proxyText(error: unknown, { proxy }: Attempt): Text | undefined {
  if (proxy === undefined) return undefined;
  const [, status] = /^Proxy response \((\d+)\)/.exec(error instanceof Error ? error.message : '') ?? [];
  if (status === '407' || /Proxy Authentication Required/.test(String(error))) {
    return {
      message: `proxy ${hostOf(proxy)} requires authentication (407)`,
      hint: forPerson('set a user name and password: HTTPS_PROXY=http://user:password@host:port'),
    };
  }
  if (status === undefined) return undefined;
  return {
    message: `proxy ${hostOf(proxy)} refused to connect (${status})`,
    hint: forPerson('to connect without the proxy, add the host to NO_PROXY'),
  };
}

/** The host and port that the error is about: of the proxy if the connection to it failed. */
function peerOf(code: string, error: unknown, { url, proxy }: Attempt): string {
  const host = /^(ENOTFOUND|ENODATA|EAI_)/.test(code) ? new URL(url).hostname : hostOf(url);
  if (proxy === undefined) return host;
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo';
  return isConnecting ? `proxy ${hostOf(proxy)}` : `${host} (through proxy ${hostOf(proxy)})`;
}
