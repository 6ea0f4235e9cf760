import { describe, expect, it, test } from 'vitest';
import { redactor } from '../../src/http/redact.ts';

const token = 'svcpat-9QmX4kTzR2';

const secret = 'sesame "0815"\n&=/?% ünïcode $HOME';

const redact = redactor([token, secret]);

const base64 = (text: string) => Buffer.from(text).toString('base64');

const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const between = (text: string, mark: string) => [...text].join(mark);

describe.each([
  ['a token', token],
  ['a value', secret],
])('%s', (_, text) => {
  it.each<[string, string]>([
    ['unchanged', text],
    ['in upper case', text.toUpperCase()],
    ['in lower case', text.toLowerCase()],
    ['with a direction mark inside', between(text, '\u202e')],
    ['with DEL inside', between(text, '\u007f')],
    ['with a C1 character inside', between(text, '\u0085')],
    ['with a control character inside', between(text, '\u0000')],
    ['with a zero-width character inside', between(text, '\u200b')],
    ['with a byte order mark inside', between(text, '\ufeff')],
    ['with an escape sequence inside', between(text, '\u001b[31m')],
    ['with a terminal title inside', between(text, '\u001b]0;x\u0007')],
    ['percent-encoded as a whole', percent(text)],
    ['percent-encoded in upper case', percent(text).toUpperCase()],
    ['percent-encoded where necessary', encodeURIComponent(text)],
    ['as a form', String(new URLSearchParams({ x: text })).slice(2)],
    ['percent-encoded with a direction mark inside', percent(between(text, '\u202e'))],
    ['as JSON', JSON.stringify(text)],
    [
      'as JSON in ASCII',
      [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    ],
    ['as HTML', text.replace(/[&"]/g, (c) => (c === '&' ? '&amp;' : '&quot;'))],
    ['as numeric HTML entities', [...text].map((c) => `&#${c.charCodeAt(0)};`).join('')],
    ['in hexadecimal digits', Buffer.from(text).toString('hex')],
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

test('leaves text without a secret unchanged', () => {
  const text = `a%20b \\u0041 &amp; ${base64('something else')} \u202e\u001b[31m +++`;
  expect(redact(text)).toBe(text);
});

test('leaves the text around a secret unchanged', () => {
  expect(redact(`%41 &amp; ${token.toUpperCase()} \u202e+ ${percent(token)}&x=%42`)).toBe(
    '%41 &amp; *** \u202e+ ***&x=%42',
  );
});
