/** Network errors told apart in plain words, so that nobody reads `fetch failed`. */
import { Failure, type Kind } from '../../errors.ts';

/** What was tried when it went wrong. */
export interface Attempt {
  readonly method: string;
  readonly url: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** The proxy in between, if any. */
  readonly proxy?: string | undefined;
  /** Whether the answer had begun. */
  readonly begun: boolean;
}

interface Words {
  readonly says: string;
  readonly hint?: string;
  readonly kind?: Kind;
}

/** What no error of the system tells of; its code is looked up like one. */
export class TransportError extends Error {
  readonly code: `CARRIER_${'CLOSED' | 'SILENT' | 'UNCONNECTED' | 'RESIZED' | 'STRANGE' | 'TUNNEL'}`;

  constructor(what: 'closed' | 'silent' | 'unconnected' | 'resized' | 'strange' | 'tunnel') {
    super(what);
    this.code = `CARRIER_${what.toUpperCase() as Uppercase<typeof what>}`;
  }
}

type Wording = (place: string, attempt: Attempt) => Words;

const plain =
  (says: string, hint?: string): Wording =>
  (place) => ({ says: says.replace('{}', place), ...(hint === undefined ? {} : { hint }) });

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

const unreachable = plain("can't reach {}: there is no route to it", 'is the network or the VPN up?');
const unknownIssuer = plain(
  'TLS: the certificate of {} is signed by an authority that this machine does not know',
  "if it is your organization's own authority, give its certificate with --ca-file",
);
const selfSigned = plain(
  'TLS: the certificate of {} is self-signed',
  'if you trust it, give the certificate with --ca-file',
);
const wrongLength = plain('{} sent fewer or more bytes than it announced');
const closed: Wording = (place, { begun }) => ({
  says: begun
    ? `${place} closed the connection before the answer was complete`
    : `${place} closed the connection without an answer`,
});
const noTunnel: Wording = (_, { url, proxy = url }) => ({
  says: `the proxy ${hostOf(proxy)} closed the connection instead of connecting to ${hostOf(url)}`,
});
const silent: Wording = (place, { timeout, begun }) => ({
  says: begun
    ? `${place} went silent for ${seconds(timeout)} in the middle of its answer`
    : `${place} gave no answer within ${seconds(timeout)}`,
  hint: '--timeout waits longer',
});
const unset: Wording = (place, { timeout }) => ({
  says: `no connection to ${place} within ${seconds(timeout)}`,
  hint: 'a firewall may be dropping it; is a proxy needed (HTTPS_PROXY)?',
});
const noServerTls = plain(
  'TLS: {} does not speak TLS on this port',
  'is it an http address? Then the base URL starts with http://',
);
const wantsCertificate = plain(
  'TLS: {} asks for a client certificate, or does not accept the one given',
  "a profile's client certificate and key are sent where they are set",
);
const badPem =
  (says: string): Wording =>
  () => ({ says, kind: 'usage' });

const reset: Wording = (place, { begun }) => ({
  says: `${place} reset the connection ${begun ? 'in the middle of its answer' : 'before it answered'}`,
});
const resized: Wording = () => ({ says: 'what was to be sent changed its size meanwhile', kind: 'internal' });
const noHttp = plain(
  'what {} answers is not HTTP',
  'is the port right, and is it https:// rather than http://?',
);
const strayCharacter: Wording = () => ({
  says: 'the request holds a character that HTTP does not allow',
  hint: 'is there a line break or another stray character in the token or a header?',
  kind: 'usage',
});

/** By the code that Node, OpenSSL, undici or llhttp gives. */
const wordings: Readonly<Record<string, Wording>> = {
  ENOTFOUND: plain('no host has the name {} (DNS)', 'is the base URL right? svc config explain shows it'),
  EAI_AGAIN: plain("can't look up {}: the DNS server gives no answer", 'is the network up?'),
  EAI_FAIL: plain("can't look up {}: DNS failed"),
  ENODATA: plain('the name {} has no address (DNS)'),
  ECONNREFUSED: plain('{} refused the connection', 'nothing listens there; are host and port right?'),
  ECONNRESET: reset,
  CARRIER_RESET: reset,
  ECONNABORTED: plain('the connection to {} was aborted'),
  EPIPE: plain('{} closed the connection while the request was being sent'),
  ETIMEDOUT: unset,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EHOSTDOWN: unreachable,
  ENETDOWN: unreachable,
  EADDRNOTAVAIL: unreachable,
  EACCES: plain("this machine doesn't allow a connection to {}"),
  EPERM: plain("this machine doesn't allow a connection to {}"),
  CARRIER_UNCONNECTED: unset,
  CARRIER_SILENT: silent,
  CARRIER_CLOSED: closed,
  CARRIER_STRANGE: noHttp,
  CARRIER_TUNNEL: noTunnel,
  HPE_HEADER_OVERFLOW: plain('{} sent more headers than can be right'),
  UND_ERR_CONNECT_TIMEOUT: unset,
  UND_ERR_HEADERS_TIMEOUT: silent,
  UND_ERR_BODY_TIMEOUT: silent,
  UND_ERR_SOCKET: closed,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: wrongLength,
  UND_ERR_HEADERS_OVERFLOW: plain('{} sent more headers than can be right'),
  CARRIER_RESIZED: resized,
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: resized,
  UND_ERR_INVALID_ARG: strayCharacter,
  ERR_INVALID_CHAR: strayCharacter,
  ERR_UNESCAPED_CHARACTERS: strayCharacter,
  CERT_HAS_EXPIRED: plain('TLS: the certificate of {} has expired', "is this machine's clock right?"),
  CERT_NOT_YET_VALID: plain('TLS: the certificate of {} is not valid yet', "is this machine's clock right?"),
  CERT_REVOKED: plain('TLS: the certificate of {} was revoked'),
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  ERR_TLS_CERT_ALTNAME_INVALID: plain(
    'TLS: the certificate of {} was made out for another name',
    'is the host name in the base URL the right one?',
  ),
  ERR_TLS_HANDSHAKE_TIMEOUT: unset,
  ERR_SSL_WRONG_VERSION_NUMBER: noServerTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noServerTls,
  ERR_SSL_HTTP_REQUEST: noServerTls,
  EPROTO: plain('TLS: no agreement with {} on how to encrypt'),
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: wantsCertificate,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: plain(
    'TLS: {} refused to agree on how to encrypt',
    'where it asks for a client certificate: those of a profile are sent where they are set',
  ),
  ERR_OSSL_PEM_NO_START_LINE: badPem('a certificate or key file is not PEM'),
  ERR_OSSL_PEM_BAD_BASE64_DECODE: badPem('a certificate or key file is damaged'),
  ERR_OSSL_PEM_BAD_END_LINE: badPem('a certificate or key file is damaged'),
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: badPem('the client certificate and the key do not belong together'),
  ERR_OSSL_EVP_UNSUPPORTED: badPem("the client key can't be read"),
};

/** Codes of errors after which a request that changes nothing may be tried again: resets and timeouts. */
const brokenOff = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'CARRIER_UNCONNECTED',
  'CARRIER_SILENT',
  'CARRIER_CLOSED',
  'CARRIER_RESET',
  'CARRIER_TUNNEL',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

/** The code of a system error, or of the first among those of several addresses tried. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') {
    // What OpenSSL found while something was being written stands in the message only.
    const [, reason] = /:SSL routines:[^:]*:([^:]+):/.exec(String(error)) ?? [];
    const code =
      error.code === 'EPROTO' && reason ? `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}` : error.code;
    // As newer versions name what they named for SSL 3.
    return code.replace('SSL/TLS_ALERT', 'SSLV3_ALERT');
  }
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : undefined;
}

/** Whether it was a reset or a timeout: what `retry` may try again (interface.md section 7). */
export function isBrokenOff(failure: Failure): boolean {
  return failure.kind === 'network' && brokenOff.has(codeOf(failure.cause) ?? '');
}

/**
 * A network error in plain words.
 * @param error what Node or the transport threw; a Failure is given back as it is
 * @param attempt what was tried
 * @returns a Failure `network`; `usage` where a setting (a certificate file, a header's value) is at fault
 */
export function networkFailure(error: unknown, attempt: Attempt): Failure {
  if (error instanceof Failure) return error;
  const exchange = { method: attempt.method, url: attempt.url };
  const refusal = /^Proxy response \((\d+)\)/.exec(error instanceof Error ? error.message : '');
  const wantsLogin = refusal?.[1] === '407' || /Proxy Authentication Required/.test(String(error));
  if (attempt.proxy !== undefined && (refusal || wantsLogin)) {
    return new Failure(
      'network',
      `the proxy ${hostOf(attempt.proxy)} refused to connect (${refusal?.[1] ?? 407})`,
      {
        hint: wantsLogin
          ? 'it asks for a user name and password: HTTPS_PROXY=http://user:password@host:port'
          : 'NO_PROXY names the hosts that are reached without it',
        exchange,
        cause: error,
      },
    );
  }
  // A header that can't be read is told by undici as a length that does not agree, where the length stood before it.
  const unread = codeOf(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !attempt.begun;
  const parser = unread || (error instanceof Error && error.name === 'HTTPParserError');
  const code = parser ? 'HPE_' : (codeOf(error) ?? '');
  const words = wording(code)(placeOf(code, error, attempt), attempt);
  return new Failure(words.kind ?? 'network', words.says, {
    ...(words.hint === undefined ? {} : { hint: words.hint }),
    exchange,
    cause: unread ? undefined : error,
  });
}

function wording(code: string): Wording {
  const known = wordings[code];
  if (known) return known;
  if (code.startsWith('HPE_')) return noHttp;
  if (/^ERR_(SSL|TLS|OSSL)/.test(code)) return plain(`TLS: no secure connection to {} (${code})`);
  return plain(`the connection to {} failed${code === '' ? '' : ` (${code})`}`);
}

/** Host and port; the proxy's where the error comes from connecting to it. */
function placeOf(code: string, error: unknown, { url, proxy }: Attempt): string {
  const target = hostOf(url);
  if (proxy === undefined) return code === 'ENOTFOUND' ? new URL(url).hostname : target;
  const failed = error as { hostname?: string; address?: string; syscall?: string };
  const connecting = failed.syscall === 'connect' || failed.syscall === 'getaddrinfo';
  return connecting ? `the proxy ${hostOf(proxy)}` : `${target} (through the proxy ${hostOf(proxy)})`;
}

function hostOf(url: string): string {
  return new URL(url).host;
}
