import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { kebab } from '../../src/spec/names.ts';
import { encode, flatten, type Value } from '../../src/spec/request.ts';
import { jsonText } from '../../src/support/json.ts';

describe('encode', () => {
  it.each([
    ['-._~AZaz09', '-._~AZaz09'],
    [':/?#[]@', '%3A%2F%3F%23%5B%5D%40'],
    ["!$&'()*+,;=", '%21%24%26%27%28%29%2A%2B%2C%3B%3D'],
    ['%', '%25'],
    ['e\u0301', 'e%CC%81'],
    ['🚀', '%F0%9F%9A%80'],
    ['', ''],
  ])('encodes %j as %s (RFC 3986)', (text, encoded) => {
    expect(encode(text)).toBe(encoded);
  });

  it.each(['\ud800', 'a\udc00', '\udc00\ud800', 'ok \ud83d'])('rejects a lone surrogate: %j', (text) => {
    expect(() => encode(text)).toThrow(expect.objectContaining({ kind: 'usage' }));
    expect(() => encode(text)).toThrow(Failure);
  });
});

describe('flatten (section 4.0)', () => {
  it.each<[string, Value, string[]]>([
    ['text', 'a', ['p=a']],
    ['empty text', '', ['p=']],
    ['a number', 7, ['p=7']],
    ['a number beyond 2^53', 9007199254740993n, ['p=9007199254740993']],
    ['a bool', false, ['p=false']],
    ['null', null, ['p=']],
    ['an array', ['a', 'b'], ['p[]=a', 'p[]=b']],
    ['an empty array', [], []],
    ['a hash', { labels: 'bug', author_id: 4 }, ['p[labels]=bug', 'p[author_id]=4']],
    ['an array in a hash', { ids: [1, 2] }, ['p[ids][]=1', 'p[ids][]=2']],
    [
      'an array of hashes',
      [{ action: 'create', content: 'x' }, { action: 'delete' }],
      ['p[0][action]=create', 'p[0][content]=x', 'p[1][action]=delete'],
    ],
  ])('%s', (_, value, pairs) => {
    expect(flatten('p', value).map(({ name, value: text }) => `${name}=${text}`)).toEqual(pairs);
  });

  it('does not flatten a file', () => {
    const part = { file: '/tmp/logo.png', filename: 'logo.png', size: 12 };
    expect(flatten('logo', part)).toEqual([{ name: 'logo', value: part }]);
  });
});

it('jsonText keeps an integer beyond 2^53 exact', () => {
  expect(jsonText({ id: 9007199254740993n, ids: [-9007199254740995n] })).toBe(
    '{"id":9007199254740993,"ids":[-9007199254740995]}',
  );
});

it.each([
  ['environment_scope', 'environment-scope'],
  ['CI_JOB_TOKEN', 'ci-job-token'],
  ['ref', 'ref'],
])('the flag of %s is %s', (name, flag) => {
  expect(kebab(name)).toBe(flag);
});
