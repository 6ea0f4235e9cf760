import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { bypassed, chooseProxy } from '../../src/http/proxy/choose.ts';

const proxy = 'http://proxy.example:3128';

describe('chooseProxy', () => {
  it.each<
    [why: string, url: string, settings: Parameters<typeof chooseProxy>[1], chosen: string | undefined]
  >([
    ['https by HTTPS_PROXY', 'https://host.example', { https: proxy, http: 'http://no.example' }, proxy],
    ['http by HTTP_PROXY', 'http://host.example/x', { http: proxy, https: 'http://no.example' }, proxy],
    ['http not by HTTPS_PROXY', 'http://host.example', { https: proxy }, undefined],
    ['an empty value is none', 'https://host.example', { https: ' ' }, undefined],
    ['a value without a scheme', 'https://host.example', { https: 'proxy.example:3128' }, proxy],
    ['NO_PROXY', 'https://host.example', { https: proxy, none: 'host.example' }, undefined],
    [
      'NO_PROXY with the port that goes without saying',
      'https://a.example',
      { https: proxy, none: 'a.example:443' },
      undefined,
    ],
    ['this machine by name', 'http://localhost:8080', { http: proxy }, undefined],
    ['this machine by address', 'http://127.0.0.1:8080', { http: proxy }, undefined],
    ['this machine by IPv6', 'http://[::1]:8080', { http: proxy }, undefined],
  ])('%s', (_, url, settings, chosen) => {
    expect(chooseProxy(url, settings)).toBe(chosen);
  });

  it.each(['socks5://user:pass@proxy.example', 'ftp://proxy.example', 'http://'])('refuses %s', (value) => {
    const choose = () => chooseProxy('https://host.example', { https: value });
    expect(choose).toThrow(Failure);
    expect(choose).toThrow(/^HTTPS_PROXY is not/);
  });
});

describe('NO_PROXY', () => {
  it.each<[host: string, port: string, entries: string, direct: boolean]>([
    ['host.example', '443', '*', true],
    ['host.example', '443', 'other.example, host.example', true],
    ['host.example', '443', 'other.example host.example', true],
    ['host.example', '443', 'HOST.EXAMPLE', true],
    ['host.example', '443', '.example', true],
    ['host.example', '443', '*.example', true],
    ['a.host.example', '443', 'host.example', true],
    ['a.host.example', '443', '.host.example', true],
    ['ahost.example', '443', 'host.example', false],
    ['host.example', '443', 'a.host.example', false],
    ['host.example', '443', 'host.example:443', true],
    ['host.example', '8443', 'host.example:443', false],
    ['host.example', '443', '', false],
    ['host.example', '443', ',, ,', false],
    ['host.example', '443', '.', false],
    ['10.1.2.3', '80', '10.0.0.0/8', true],
    ['11.1.2.3', '80', '10.0.0.0/8', false],
    ['10.1.2.3', '80', '10.1.2.3', true],
    ['10.1.2.3', '80', '10.1.2.3:80', true],
    ['10.1.2.3', '81', '10.1.2.3:80', false],
    ['10.1.2.3', '80', '2.3', false],
    ['10.1.2.3', '80', '10.0.0.0/99', false],
    ['fd00::1', '80', 'fd00::/8', true],
    ['fd00::1', '80', 'FD00:0:0::1', true],
    ['fd00::1', '80', '[fd00::1]:80', true],
    ['fd00::1', '81', '[fd00::1]:80', false],
    ['fd00::1', '80', '10.0.0.0/8', false],
  ])('%s:%s by "%s": %s', (host, port, entries, direct) => {
    expect(bypassed(host, port, entries)).toBe(direct);
  });
});
