import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseUrl } from '../../src/support/url.ts';

test('parses letters beyond ASCII also after many calls', () => {
  let parsed = 0;
  for (let at = 0; at < 50_000; at += 1) parsed += parseUrl('https://b\u00fccher.example') ? 1 : 0;
  expect(parsed).toBe(50_000);
});

test('returns undefined for other text', () => {
  expect(parseUrl('not a URL')).toBeUndefined();
  expect(parseUrl('/path', 'https://host.example')?.href).toBe('https://host.example/path');
});

test('no source calls URL.canParse, which is wrong in Node 20 once it is optimized', () => {
  const src = new URL('../../src/', import.meta.url);
  const files = (readdirSync(src, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
  const callers = files.filter((name) => readFileSync(new URL(name, src), 'utf8').includes('URL.canParse('));
  expect(callers).toEqual([]);
});
