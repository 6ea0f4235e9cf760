/** The text for each network error, by its code. */
import { forPerson, type Hint, type Kind } from '../../errors.ts';
import { isReadMethod } from '../../support/http-method.ts';

/** The request that failed. */
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

export interface Text {
  readonly message: string;
  readonly hint?: Hint | readonly Hint[];
  readonly kind?: Kind;
}

/** Makes the text for an error. @param peer the other end of the connection: `host:port`, `proxy host:port` */
type Template = (peer: string, attempt: Attempt) => Text;

/** A template whose text contains `{}` for the peer, and whose hint is about the configuration. */
const fixed =
  (message: string, hint?: string): Template =>
  (peer) => ({ message: message.replace('{}', peer), hint: hint === undefined ? [] : forPerson(hint) });

const untrusted = (reason: string, hint?: string) =>
  fixed(`certificate of {} is not trusted: ${reason}`, hint);

const usageError =
  (message: string, hint: string): Template =>
  () => ({ message, hint: forPerson(hint), kind: 'usage' });

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;

/** After a broken connection it is unknown whether a write was executed. */
const retryHint = (method: string): string =>
  isReadMethod(method)
    ? 'try again'
    : 'the service may have executed the request: check before you try again';

const unreachable = fixed('no route to {}', 'check the network or VPN connection');
const notPermitted = fixed(
  'connection to {} not permitted by this machine',
  'check the firewall and the sandbox settings of this machine',
);
const unknownIssuer = untrusted(
  'unknown certificate authority',
  'if your organization has its own authority, pass its certificate with --ca-file',
);
const tlsUnsupported = fixed(
  'TLS handshake with {} failed: the server does not use TLS on this port',
  'if the service uses plain http, start the base URL with http://',
);
const certificateRequired = fixed(
  '{} requires a client certificate, or does not accept the one sent',
  'set client_cert and client_key of the profile (svc profiles set)',
);
const damagedPem = usageError(
  'a certificate or key file is damaged',
  'check the files of ca_file, client_cert and client_key: svc config explain',
);
const closed: Template = (peer, { method, hasResponse }) => ({
  message: hasResponse
    ? `${peer} closed the connection before the response was complete`
    : `${peer} closed the connection without sending a response`,
  hint: retryHint(method),
});
const reset: Template = (peer, { method, hasResponse }) => ({
  message: `connection reset by ${peer} ${hasResponse ? 'while it was sending the response' : 'before it sent a response'}`,
  hint: retryHint(method),
});
const tunnelClosed: Template = (_, { url, proxy = url }) => ({
  message: `proxy ${hostOf(proxy)} closed the connection instead of connecting to ${hostOf(url)}`,
  hint: forPerson('check the proxy settings (HTTPS_PROXY, NO_PROXY)'),
});
const timedOut: Template = (peer, { timeout, hasResponse }) => ({
  message: `timed out after ${seconds(timeout)} waiting for ${hasResponse ? 'more data' : 'response headers'} from ${peer}`,
  hint: forPerson('use --timeout to wait longer'),
});
const connectTimedOut: Template = (peer, { timeout }) => ({
  message: `timed out after ${seconds(timeout)} connecting to ${peer}`,
  hint: forPerson('check for a firewall that drops connections, or set HTTPS_PROXY if a proxy is required'),
});
const bodyLength: Template = () => ({
  message: 'the request body changed size while it was being sent',
  hint: 'try again when no other program writes to the file',
  kind: 'internal',
});
const notHttp = fixed(
  '{} sent a response that is not valid HTTP',
  'check the port and the scheme (http or https) of the base URL',
);
const headersTooLarge = fixed('{} sent more than 64 KiB of response headers');
const invalidCharacter = usageError(
  'the request contains a character that HTTP does not allow',
  'remove line breaks and control characters from the token and the headers',
);

/** Templates by the code of Node, OpenSSL, undici, llhttp or a transport. */
const templates: Readonly<Record<string, Template>> = {
  ENOTFOUND: fixed('cannot resolve {}: host name not found (DNS)', 'check the host name: svc config explain'),
  EAI_AGAIN: fixed('cannot resolve {}: the DNS server did not respond', 'check the network connection'),
  EAI_FAIL: fixed('cannot resolve {}: DNS lookup failed', 'check the network connection'),
  ENODATA: fixed(
    'cannot resolve {}: the host name has no address (DNS)',
    'check the host name: svc config explain',
  ),
  ECONNREFUSED: fixed('connection refused by {}', 'check the host and port, and that the service is running'),
  ECONNRESET: reset,
  TRANSPORT_RESET: reset,
  ECONNABORTED: (peer, { method }) => ({ message: `connection to ${peer} aborted`, hint: retryHint(method) }),
  EPIPE: (peer, { method }) => ({
    message: `${peer} closed the connection while the request was being sent`,
    hint: retryHint(method),
  }),
  ETIMEDOUT: connectTimedOut,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EHOSTDOWN: unreachable,
  ENETDOWN: unreachable,
  EADDRNOTAVAIL: unreachable,
  EACCES: notPermitted,
  EPERM: notPermitted,
  TRANSPORT_CONNECT_TIMEOUT: connectTimedOut,
  TRANSPORT_TIMEOUT: timedOut,
  TRANSPORT_CLOSED: closed,
  TRANSPORT_PROTOCOL: notHttp,
  TRANSPORT_TUNNEL: tunnelClosed,
  TRANSPORT_BODY_LENGTH: bodyLength,
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_INVALID_CHAR: invalidCharacter,
  ERR_UNESCAPED_CHARACTERS: invalidCharacter,
  CERT_HAS_EXPIRED: untrusted('expired', 'check the clock of this machine'),
  CERT_NOT_YET_VALID: untrusted('not yet valid', 'check the clock of this machine'),
  CERT_REVOKED: untrusted('revoked'),
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted(
    'self-signed',
    'if you trust it, pass the certificate with --ca-file',
  ),
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  ERR_TLS_CERT_ALTNAME_INVALID: untrusted(
    'issued for another host name',
    'check the host name: svc config explain',
  ),
  ERR_TLS_HANDSHAKE_TIMEOUT: connectTimedOut,
  ERR_SSL_WRONG_VERSION_NUMBER: tlsUnsupported,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: tlsUnsupported,
  ERR_SSL_HTTP_REQUEST: tlsUnsupported,
  EPROTO: fixed('TLS handshake with {} failed: no protocol version or cipher in common'),
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: certificateRequired,
  ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED: certificateRequired,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: certificateRequired,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: certificateRequired,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: certificateRequired,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: fixed(
    'TLS handshake with {} failed: rejected by the server',
    'if the service requires a client certificate, set client_cert and client_key of the profile',
  ),
  ERR_OSSL_PEM_NO_START_LINE: usageError(
    'a certificate or key file is not in PEM format',
    'check the files of ca_file, client_cert and client_key: svc config explain',
  ),
  ERR_OSSL_PEM_BAD_BASE64_DECODE: damagedPem,
  ERR_OSSL_PEM_BAD_END_LINE: damagedPem,
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: usageError(
    'the client certificate does not match the client key',
    'check client_cert and client_key of the profile',
  ),
  ERR_OSSL_EVP_UNSUPPORTED: usageError(
    'cannot read the client key',
    'check that client_key of the profile is an unencrypted PEM file',
  ),
};

/** The template for a code, or a generic one. */
export function templateFor(code: string): Template {
  const template = templates[code];
  if (template) return template;
  if (code.startsWith('HPE_')) return notHttp;
  if (/^ERR_(SSL|TLS|OSSL)/.test(code)) return fixed(`TLS handshake with {} failed (${code})`);
  return fixed(`connection to {} failed${code === '' ? '' : ` (${code})`}`);
}

export function hostOf(url: string): string {
  return new URL(url).host;
}
