/** Network errors as Failures in plain words. */
import { checkFirst, Failure, forPerson, isFromSignal, type Kind, mayBeExecuted } from '../../errors.ts';
import { networkCode } from '../../support/errno.ts';
import { isReadMethod } from '../../support/http-method.ts';

export interface Attempt {
  readonly method: string;
  readonly url: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** The proxy, if one is used. */
  readonly proxy?: string | undefined;
  /** Whether the response headers had arrived. */
  readonly hasResponse: boolean;
}

/** In the message, `{}` is the other end of the connection: `host:port`, `proxy host:port`. */
type Text = readonly [message: string, hint?: string, kind?: Kind];

const retry = '{retry}';
const checkProxy = 'check the proxy settings: svc config explain';
const checkName = 'check the host name: svc config explain';
const checkFiles = 'check the files of ca_file, client_cert and client_key: svc config explain';
const setClient = 'set client_cert and client_key of the profile (svc profiles set)';

/** The texts of codes of Node, OpenSSL, llhttp and the transports. The first that matches is used. */
const rules: readonly (readonly [codes: RegExp, ...text: Text])[] = [
  [/^(ENOTFOUND|ENODATA)$/, 'cannot resolve {}: host name not found (DNS)', checkName],
  [/^EAI_/, 'cannot resolve {}: the DNS server did not respond', 'check the network connection'],
  [/^ECONNREFUSED$/, 'connection refused by {}', 'check the host and port, and that the service is running'],
  [/^(ECONNRESET|TRANSPORT_RESET)$/, 'connection reset by {} {reset}', retry],
  [/^(TRANSPORT_CLOSED|EPIPE|ECONNABORTED)$/, '{} closed the connection {closed}', retry],
  [/^E(HOST|NET)(UNREACH|DOWN)$/, 'no route to {}', 'check the network or VPN connection'],
  [
    /^(EACCES|EPERM)$/,
    'connection to {} not permitted by this machine',
    'check the firewall of this machine',
  ],
  [
    /^(TRANSPORT_CONNECT_TIMEOUT|ETIMEDOUT|ERR_TLS_HANDSHAKE_TIMEOUT)$/,
    'timed out after {timeout} connecting to {}',
    'check for a firewall that drops connections, or set HTTPS_PROXY if a proxy is required',
  ],
  [
    /^TRANSPORT_TIMEOUT$/,
    'timed out after {timeout} waiting for {awaited} from {}',
    'use --timeout to wait longer',
  ],
  [/^TRANSPORT_TUNNEL$/, 'proxy {proxy} closed the connection instead of connecting to {host}', checkProxy],
  [
    /^TRANSPORT_BODY_LENGTH$/,
    'the request body changed size while it was being sent',
    'try again when no other program writes to the file',
    'internal',
  ],
  [/^HPE_HEADER_OVERFLOW$/, '{} sent more than 64 KiB of response headers'],
  [
    /^(TRANSPORT_PROTOCOL|HPE_.*)$/,
    '{} sent a response that is not valid HTTP',
    'check the port and the scheme (http or https) of the base URL',
  ],
  [
    /^ERR_(INVALID_CHAR|UNESCAPED_CHARACTERS)$/,
    'the request contains a character that HTTP does not allow',
    'remove line breaks and control characters from the token and the headers',
    'usage',
  ],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    'certificate of {} is not trusted: expired or not yet valid',
    'check the clock of this machine',
  ],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    'certificate of {} is not trusted: self-signed',
    'if you trust it, pass the certificate with --ca-file',
  ],
  [
    /^(SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER))/,
    'certificate of {} is not trusted: unknown certificate authority',
    'if your organization has its own authority, pass its certificate with --ca-file',
  ],
  [/_ALTNAME_INVALID$/, 'certificate of {} is not trusted: issued for another host name', checkName],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    'TLS handshake with {} failed: the server does not use TLS on this port',
    'if the service uses plain http, start its URL with http://',
  ],
  [
    /^ERR_SSL_.*_ALERT_(.*CERTIFICATE.*|UNKNOWN_CA)$/,
    '{} requires a client certificate, or does not accept the one sent',
    setClient,
  ],
  [
    /^ERR_SSL_.*_ALERT_HANDSHAKE_FAILURE$/,
    'TLS handshake with {} failed: rejected by the server',
    `if the service requires a client certificate, ${setClient}`,
  ],
  [/^ERR_OSSL_PEM/, 'a certificate or key file is damaged or not in PEM format', checkFiles, 'usage'],
  [/^ERR_OSSL_X509/, 'the client certificate does not match the client key', checkFiles, 'usage'],
  [/^ERR_OSSL_EVP/, 'cannot read the client key, which must not be encrypted', checkFiles, 'usage'],
  [/^(EPROTO|CERT_.*|ERR_(SSL|TLS|OSSL).*)$/, 'TLS handshake with {} failed ({code})'],
  [/^$/, 'connection to {} failed'],
  [/^/, 'connection to {} failed ({code})'],
];

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

/** Whether the connection was reset or timed out, so that a retry may help. */
export function isRetryable(failure: Failure): boolean {
  return failure.kind === 'network' && retryableCodes.has(networkCode(failure.cause) ?? '');
}

/** Return the reason of an aborted signal. For a write, add the request and a hint, because the service may have executed it. */
export function interruption(reason: unknown, { method, url }: Pick<Attempt, 'method' | 'url'>): unknown {
  if (!isFromSignal(reason) || isReadMethod(method)) return reason;
  return reason.with({ hint: checkFirst, exchange: { method, url } });
}

/**
 * Convert a network error to a Failure in plain words.
 * @param error thrown by Node or a transport; a Failure is returned unchanged
 * @returns a Failure `network`; `usage` if a setting is wrong (a certificate file, a header value)
 */
export function networkFailure(error: unknown, attempt: Attempt): Failure {
  if (error instanceof Failure) return error;
  const { method, url, timeout, hasResponse, proxy = url } = attempt;
  const code = networkCode(error) ?? '';
  const refusal = proxyText(error, attempt);
  const [message, ownHint, kind = 'network'] = refusal ?? textFor(code);
  const hint = isConnectingToProxy(error, attempt) ? checkProxy : ownHint;
  const values: Readonly<Record<string, string>> = {
    '{}': peerOf(code, error, attempt),
    '{code}': code,
    '{timeout}': `${Math.round(timeout / 100) / 10} s`,
    '{proxy}': hostOf(proxy),
    '{host}': hostOf(url),
    '{reset}': hasResponse ? 'while it was sending the response' : 'before it sent a response',
    '{closed}': hasResponse ? 'before the response was complete' : 'without sending a response',
    '{awaited}': hasResponse ? 'more data' : 'response headers',
  };
  const failure = new Failure(
    kind,
    message.replace(/\{\w*\}/g, (name) => values[name] ?? name),
    {
      hint: hint === retry ? [] : forPerson(...(hint === undefined ? [] : [hint])),
      exchange: { method, url },
      cause: error,
    },
  );
  // After a lost response it is unknown whether a write was executed.
  if (!isReadMethod(method) && kind === 'network' && !refusal && mayBeExecuted(failure))
    return failure.withHints(checkFirst);
  return hint === retry ? failure.withHints('try again') : failure;
}

function textFor(code: string): Text {
  const [, ...text] = rules.find(([codes]) => codes.test(code))!;
  return text;
}

/** The text for a proxy that rejected the tunnel; undefined for other errors. */
function proxyText(error: unknown, { proxy }: Attempt): Text | undefined {
  const text = error instanceof Error ? error.message : '';
  const [, status = /Proxy Authentication Required/.test(text) ? '407' : undefined] =
    /^Proxy response \((\d+)\)/.exec(text) ?? [];
  if (proxy === undefined || status === undefined) return undefined;
  return status === '407'
    ? [
        'proxy {proxy} requires authentication (407)',
        'set a user name and password: HTTPS_PROXY=http://user:password@host:port',
      ]
    : [
        `proxy {proxy} refused to connect (${status})`,
        'to connect without the proxy, add the host to NO_PROXY',
      ];
}

const hostOf = (url: string): string => new URL(url).host;

/** Whether a proxy with an https URL, a common mistake, or the service behind it does not use TLS. */
const lacksTls = (error: unknown, proxy: string): boolean =>
  proxy.startsWith('https:') && /^ERR_SSL_WRONG_VERSION/.test(networkCode(error) ?? '');

function isConnectingToProxy(error: unknown, { proxy }: Pick<Attempt, 'proxy'>): boolean {
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  return (
    proxy !== undefined && (syscall === 'connect' || syscall === 'getaddrinfo' || lacksTls(error, proxy))
  );
}

/** The host and port that the error is about: of the proxy if the connection to it failed. */
function peerOf(code: string, error: unknown, { url, proxy }: Attempt): string {
  const host = /^(ENOTFOUND|ENODATA|EAI_)/.test(code) ? new URL(url).hostname : hostOf(url);
  if (proxy === undefined) return host;
  if (lacksTls(error, proxy)) return `proxy ${hostOf(proxy)} or ${host}`;
  return isConnectingToProxy(error, { proxy })
    ? `proxy ${hostOf(proxy)}`
    : `${host} (through proxy ${hostOf(proxy)})`;
}
