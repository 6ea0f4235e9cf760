import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { type Attempt, isBrokenOff, networkFailure } from '../../src/http/errors/network.ts';
import { redactor, redactValue } from '../../src/http/redact.ts';

const attempt: Attempt = { method: 'GET', url: 'https://host.example:8443/x', timeout: 30_000, begun: false };
const coded = (code: string, more: object = {}) =>
  Object.assign(new Error('internal words'), { code, ...more });

describe('networkFailure', () => {
  // The codes are those of Node (errors), OpenSSL (X509 verification, alerts) and undici (errors).
  it.each<[code: string, says: RegExp]>([
    ['ENOTFOUND', /no host has the name host\.example \(DNS\)/],
    ['EAI_AGAIN', /DNS server gives no answer/],
    ['ECONNREFUSED', /host\.example:8443 refused/],
    ['ECONNRESET', /reset the connection before it answered/],
    ['EPIPE', /while the request was being sent/],
    ['ETIMEDOUT', /no connection to host\.example:8443 within 30 s/],
    ['EHOSTUNREACH', /no route/],
    ['ENETUNREACH', /no route/],
    ['UND_ERR_CONNECT_TIMEOUT', /no connection .* within 30 s/],
    ['UND_ERR_HEADERS_TIMEOUT', /no answer within 30 s/],
    ['UND_ERR_SOCKET', /closed the connection without an answer/],
    ['CARRIER_UNCONNECTED', /no connection .* within 30 s/],
    ['CARRIER_SILENT', /no answer within 30 s/],
    ['CARRIER_CLOSED', /closed the connection without an answer/],
    ['HPE_INVALID_CONSTANT', /not HTTP/],
    ['HPE_HEADER_OVERFLOW', /more headers than can be right/],
    ['CERT_HAS_EXPIRED', /TLS: .* has expired/],
    ['CERT_NOT_YET_VALID', /TLS: .* not valid yet/],
    ['CERT_REVOKED', /TLS: .* revoked/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /TLS: .* authority/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /TLS: .* client certificate/],
    ['ERR_SSL_SOMETHING_NEW', /TLS: .*ERR_SSL_SOMETHING_NEW/],
    ['ESOMETHING', /failed \(ESOMETHING\)/],
  ])('%s', (code, says) => {
    const failure = networkFailure(coded(code), attempt);
    expect(failure.kind).toBe('network');
    expect(failure.message).toMatch(says);
    expect(failure.message).not.toContain('internal words');
  });

  it('takes from the message what OpenSSL found while something was being written', () => {
    const written = (reason: string) =>
      Object.assign(
        new Error(
          `write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:${reason}:../deps/openssl/ssl3_record.c:354:\n`,
        ),
        { code: 'EPROTO', syscall: 'write' },
      );
    expect(networkFailure(written('wrong version number'), attempt).message).toContain('does not speak TLS');
    expect(networkFailure(written('tlsv13 alert certificate required'), attempt).message).toContain(
      'client certificate',
    );
    expect(networkFailure(coded('EPROTO'), attempt).message).toContain('no agreement');
  });

  it.each(['ERR_INVALID_CHAR', 'ERR_UNESCAPED_CHARACTERS'])('%s is a slip of whoever asks', (code) => {
    const failure = networkFailure(coded(code), attempt);
    expect(failure.kind).toBe('usage');
    expect(failure.message).not.toContain('internal words');
  });

  it('says when the answer had begun', () => {
    const begun = { ...attempt, begun: true };
    expect(networkFailure(coded('ECONNRESET'), begun).message).toContain('in the middle of its answer');
    expect(networkFailure(coded('UND_ERR_BODY_TIMEOUT'), begun).message).toContain('went silent for 30 s');
  });

  it('looks into the errors of several addresses tried', () => {
    const error = new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')], '');
    expect(networkFailure(error, attempt).message).toBe('host.example:8443 refused the connection');
  });

  it('gives a Failure back as it is', () => {
    const failure = new Failure('internal', 'mine');
    expect(networkFailure(failure, attempt)).toBe(failure);
  });

  it.each([
    ['ECONNRESET', true],
    ['UND_ERR_HEADERS_TIMEOUT', true],
    ['UND_ERR_CONNECT_TIMEOUT', true],
    ['CARRIER_CLOSED', true],
    ['CARRIER_SILENT', true],
    ['CARRIER_UNCONNECTED', true],
    ['ENOTFOUND', false],
    ['ECONNREFUSED', false],
    ['CERT_HAS_EXPIRED', false],
    ['HPE_INVALID_CONSTANT', false],
  ])('%s may be tried again: %s', (code, again) => {
    expect(isBrokenOff(networkFailure(coded(code), attempt))).toBe(again);
  });
});

describe('redactor', () => {
  const redact = redactor(['glp-tok/en+1', 'glp-tok/en+1-longer', 'abc']);

  it.each([
    ['a glp-tok/en+1 b', 'a *** b'],
    ['?token=glp-tok%2Fen%2B1&x', '?token=***&x'],
    ['glp-tok/en+1-longer', '***'],
    ['glp-tok/en+1glp-tok/en+1', '******'],
    ['abc stays: too short to be told from a word', 'abc stays: too short to be told from a word'],
  ])('%s', (text, masked) => {
    expect(redact(text)).toBe(masked);
  });

  it('reaches into values and names', () => {
    expect(redactValue({ 'glp-tok/en+1': [{ a: 'x glp-tok/en+1', b: 1, c: null }] }, redact)).toEqual({
      '***': [{ a: 'x ***', b: 1, c: null }],
    });
  });
});
