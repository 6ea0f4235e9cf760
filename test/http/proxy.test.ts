import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { chooseProxy, isBypassed } from '../../src/http/proxy/choose.ts';

const proxy = 'http://proxy.example:3128';

describe('chooseProxy', () => {
  it.each<
    [why: string, url: string, settings: Parameters<typeof chooseProxy>[1], chosen: string | undefined]
  >([
    ['HTTPS_PROXY for https', 'https://host.example', { https: proxy, http: 'http://no.example' }, proxy],
    ['HTTP_PROXY for http', 'http://host.example/x', { http: proxy, https: 'http://no.example' }, proxy],
    ['no HTTPS_PROXY for http', 'http://host.example', { https: proxy }, undefined],
    ['an empty value', 'https://host.example', { https: ' ' }, undefined],
    ['a value without a scheme', 'https://host.example', { https: 'proxy.example:3128' }, proxy],
    ['NO_PROXY', 'https://host.example', { https: proxy, none: 'host.example' }, undefined],
    ['NO_PROXY with default port', 'https://a.example', { https: proxy, none: 'a.example:443' }, undefined],
    ['loopback by name', 'http://localhost:8080', { http: proxy }, undefined],
    ['loopback by address', 'http://127.0.0.1:8080', { http: proxy }, undefined],
    ['loopback by IPv6', 'http://[::1]:8080', { http: proxy }, undefined],
  ])('%s', (_, url, settings, chosen) => {
    expect(chooseProxy(url, settings)).toBe(chosen);
  });

  it.each(['socks5://user:pass@proxy.example', 'ftp://proxy.example', 'http://'])('rejects %s', (value) => {
    const choose = () => chooseProxy('https://host.example', { https: value });
    expect(choose).toThrow(Failure);
    expect(choose).toThrow(/^invalid HTTPS_PROXY: not an http or https URL$/);
  });
});

it.each<[host: string, port: string, entries: string, direct: boolean]>([
  ['host.example', '443', '*', true],
  ['host.example', '443', 'other.example, host.example', true],
  ['host.example', '443', 'HOST.EXAMPLE', true],
  ['host.example', '443', '.example', true],
  ['host.example', '443', '*.example', true],
  ['a.host.example', '443', '.host.example', true],
  ['host.example', '443', 'a.host.example', false],
  ['host.example', '443', 'host.example:443', true],
  ['host.example', '8443', 'host.example:443', false],
  ['host.example', '443', '', false],
  ['host.example', '443', '.', false],
  ['10.1.2.3', '80', '10.0.0.0/8', true],
  ['11.1.2.3', '80', '10.0.0.0/8', false],
  ['10.1.2.3', '80', '10.1.2.3', true],
  ['10.1.2.3', '80', '2.3', false],
  ['10.1.2.3', '80', '10.0.0.0/99', false],
  ['fd00::1', '80', 'fd00::/8', true],
  ['fd00::1', '80', 'FD00:0:0::1', true],
  ['fd00::1', '80', '[fd00::1]:80', true],
  ['fd00::1', '81', '[fd00::1]:80', false],
])('NO_PROXY: bypasses the proxy for %s:%s with "%s": %s', (host, port, entries, direct) => {
  expect(isBypassed(host, port, entries)).toBe(direct);
});
