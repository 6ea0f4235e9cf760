import { describe, expect, it, test } from 'vitest';
import { redactor } from '../../src/http/redact.ts';
import { percent } from '../support/percent.ts';

const token = 'svcpat-9QmX4kTzR2';

const secret = 'sesame "0815"\n&=/?% ünïcode $HOME';

const redact = redactor([token, secret]);

const base64 = (text: string) => Buffer.from(text).toString('base64');

const inAscii = (text: string) =>
  text.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe.each([
  ['a token', token],
  ['a value', secret],
])('%s', (_, text) => {
  it.each<[string, string]>([
    ['unchanged', text],
    ['on one line', text.replaceAll('\n', ' ')],
    ['percent-encoded as a whole', percent(text)],
    ['percent-encoded in upper case', percent(text).toUpperCase()],
    ['percent-encoded where necessary', encodeURIComponent(text)],
    ['as a form', String(new URLSearchParams({ x: text })).slice(2)],
    ['as JSON', JSON.stringify(text)],
    ['as JSON in ASCII', inAscii(JSON.stringify(text))],
    ['as JSON with escaped slashes', JSON.stringify(text).replaceAll('/', '\\/')],
    ['as JSON without characters of HTML', JSON.stringify(text).replaceAll('&', '\\u0026')],
    ['as HTML', text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
    ['as HTML with numeric entities', text.replaceAll('&', '&amp;').replaceAll('"', '&#34;')],
  ])('is masked %s', (_, form) => {
    expect(redact(`before ${form} after`)).toMatch(/^before "?\*{3}"? after$/);
  });

  it.each<[string, string]>([
    ['', ''],
    ['x', ''],
    ['xy', ''],
    ['user:', '!'],
    ['', ' and more'],
  ])('is masked in Base64, after %j and before %j', (before, after) => {
    for (const alphabet of ['base64', 'base64url'] as const) {
      const seen = redact(`got ${Buffer.from(before + text + after).toString(alphabet)}.`);
      expect(seen).toContain('***');
      // The bytes that share a Base64 character with their neighbors remain.
      const left = seen.split(/[^\w+/=-]+/).map((part) => Buffer.from(part, 'base64').toString());
      expect(left.join(' ')).not.toContain(text.slice(2, 8));
      expect(seen.length).toBeLessThan(30);
    }
  });
});

test('leaves other text unchanged, also around a secret', () => {
  const text = `a%20b \\u0041 &amp; ${base64('something else')} +++`;
  expect(redact(text)).toBe(text);
  expect(redact(`%41 &amp; ${token} + ${percent(token)}&x=%42`)).toBe('%41 &amp; *** + ***&x=%42');
});
