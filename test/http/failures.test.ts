import { expect, it } from 'vitest';
import type { Attempt } from '../../src/http/errors/network.ts';
import { networkFailure } from '../../src/http/errors/network.ts';

const attempt: Attempt = {
  method: 'GET',
  url: 'https://host.example:8443/x',
  timeout: 30_000,
  hasResponse: false,
};
const coded = (code: string, more: object = {}) =>
  Object.assign(new Error('internal text'), { code, ...more });

// The codes are those of Node (errors), OpenSSL (X509 verification, alerts) and undici (errors).
it.each<[code: string, message: RegExp]>([
  ['ENOTFOUND', /^cannot resolve host\.example: host name not found \(DNS\)$/],
  ['EAI_AGAIN', /^cannot resolve host\.example: the DNS server did not respond$/],
  ['ECONNREFUSED', /^connection refused by host\.example:8443$/],
  ['ECONNRESET', /^connection reset by host\.example:8443 before it sent a response$/],
  ['ETIMEDOUT', /^timed out after 30 s connecting to host\.example:8443$/],
  ['EHOSTUNREACH', /no route/],
  ['UND_ERR_CONNECT_TIMEOUT', /^timed out after 30 s connecting to host/],
  ['TRANSPORT_CONNECT_TIMEOUT', /^timed out after 30 s connecting to host/],
  ['TRANSPORT_TIMEOUT', /^timed out after 30 s waiting for response headers from host/],
  ['TRANSPORT_CLOSED', /closed the connection without sending a response$/],
  ['HPE_INVALID_CONSTANT', /not valid HTTP/],
  ['HPE_HEADER_OVERFLOW', /more than 64 KiB of response headers/],
  ['CERT_HAS_EXPIRED', /^certificate of host\.example:8443 is not trusted: expired or not yet valid$/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /is not trusted: unknown certificate authority$/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /requires a client certificate/],
  ['ERR_SSL_SOMETHING_NEW', /^TLS handshake with host\.example:8443 failed \(ERR_SSL_SOMETHING_NEW\)$/],
  ['ESOMETHING', /^connection to host\.example:8443 failed \(ESOMETHING\)$/],
])('describes %s', (code, message) => {
  const failure = networkFailure(coded(code), attempt);
  expect(failure.kind).toBe('network');
  expect(failure.message).toMatch(message);
  expect(failure.message).not.toContain('internal text');
});

it('reads the reason of an OpenSSL write error from its message', () => {
  const messageFor = (reason: string) => {
    const text = `write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:${reason}:../deps/openssl/x.c:354:\n`;
    const error = Object.assign(new Error(text), { code: 'EPROTO', syscall: 'write' });
    return networkFailure(error, attempt).message;
  };
  expect(messageFor('wrong version number')).toContain('does not use TLS');
  expect(messageFor('tlsv13 alert certificate required')).toContain('client certificate');
  expect(networkFailure(coded('EPROTO'), attempt).message).toContain('failed (EPROTO)');
});

it.each(['ERR_INVALID_CHAR', 'ERR_UNESCAPED_CHARACTERS'])('reports %s as a usage error', (code) => {
  const failure = networkFailure(coded(code), attempt);
  expect(failure.kind).toBe('usage');
  expect(failure.message).not.toContain('internal text');
});

it('states whether the response had started', () => {
  const started = { ...attempt, hasResponse: true };
  const messageFor = (code: string) => networkFailure(coded(code), started).message;
  expect(messageFor('ECONNRESET')).toContain('while it was sending the response');
  expect(messageFor('TRANSPORT_TIMEOUT')).toContain('timed out after 30 s waiting for more data');
});

it('advises to check a write before a retry', () => {
  const hints = (method: string, code = 'ECONNRESET') =>
    networkFailure(coded(code), { ...attempt, method }).hints;
  const check = 'the service may have executed the request: check before you try again';
  expect(hints('GET')).toEqual(['try again']);
  expect(hints('POST')).toEqual([check]);
  expect(hints('POST', 'TRANSPORT_TIMEOUT')).toEqual(['use --timeout to wait longer', check]);
  expect(hints('POST', 'TRANSPORT_CONNECT_TIMEOUT')).not.toContain(check);
});

it('advises to check the proxy settings if the proxy refuses the connection', () => {
  const error = Object.assign(coded('ECONNREFUSED'), { syscall: 'connect' });
  const { message, hints } = networkFailure(error, { ...attempt, proxy: 'http://proxy.example:3128' });
  expect(message).toBe('connection refused by proxy proxy.example:3128');
  expect(hints).toEqual(['check the proxy settings: svc config explain']);
});

it('names the proxy if it does not use TLS, or the service', () => {
  const messageThrough = (proxy: string) =>
    networkFailure(coded('ERR_SSL_WRONG_VERSION_NUMBER'), { ...attempt, proxy }).message;
  expect(messageThrough('https://proxy.example:3128')).toMatch(/ with proxy proxy\.example:3128 /);
  expect(messageThrough('http://proxy.example:3128')).toMatch(/ with host\.example:8443 /);
});

it('reports the first of the errors of several addresses', () => {
  const error = new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')], '');
  expect(networkFailure(error, attempt).message).toBe('connection refused by host.example:8443');
});
