import { expect, test } from 'vitest';
import { originIn, parseUrl, withScheme } from '../../src/support/url.ts';
import { sources } from './sources.ts';

test('parses letters beyond ASCII also after many calls', () => {
  let parsed = 0;
  for (let at = 0; at < 50_000; at += 1) parsed += parseUrl('https://b\u00fccher.example') ? 1 : 0;
  expect(parsed).toBe(50_000);
  expect(withScheme('b\u00fccher.example')).toBe('https://b\u00fccher.example');
});

test('no source calls URL.canParse, which is wrong in Node 20 once it is optimized', () => {
  const callers = [...sources].filter(([, code]) => code.includes('URL.canParse('));
  expect(callers.map(([name]) => name)).toEqual([]);
});

test('cuts the origin from a parsed URL as the parser would', () => {
  const urls = [
    'https://host.example',
    'http://HOST.example:80/path',
    'https://host.example:8443/a/b?c=https://other.example/#d',
    'https://user@host.example/',
    'https://us%40er:pass%2Fword@host.example:1/',
    'http://[::1]:3000/a@b',
    'https://127.1/',
    'https://b\u00fccher.example?q',
  ];
  expect(urls.map((url) => originIn(new URL(url).href))).toEqual(urls.map((url) => new URL(url).origin));
  expect(originIn('ftp://host.example/')).toBe('');
  expect(originIn('')).toBe('');
});
