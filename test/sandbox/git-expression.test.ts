/** RE2 syntax, as documented by RE2. */
import { expect, it } from 'vitest';
import { compileRe2 } from '../../src/sandbox/git/expression.ts';

const names = 'develop feature/login feature/search hotfix/typo main release/1.x v1{2} ünder'.split(' ');

const matching = async (expression: string, texts: readonly string[]) =>
  texts.filter(await compileRe2(expression));

it.each<[string, string[]]>([
  ['^(hotfix|release)/', ['hotfix/typo', 'release/1.x']],
  ['log', ['feature/login']],
  ['^[[:alpha:]]+$', ['develop', 'main']],
  ['(?i)^MAIN$', ['main']],
  ['\\Amain\\z', ['main']],
  ['(?P<kind>feature)/s', ['feature/search']],
  ['\\Q1.x\\E', ['release/1.x']],
  ['1\\.x$', ['release/1.x']],
  ['^\\pL+$', ['develop', 'main', 'ünder']],
  ['\\p{^Latin}\\d', ['release/1.x', 'v1{2}']],
  ['feature\\/l', ['feature/login']],
  ['\\x6dain', ['main']],
  ['a{,2}', []],
  ['v1{2}', []],
  ['v1\\{2}', ['v1{2}']],
  ['^.{4}$', ['main']],
  ['[^a-z/]', ['release/1.x', 'v1{2}', 'ünder']],
  ['[]x]$', ['release/1.x']],
  ['e\\-', []],
])('%s matches %j', async (expression, matched) => {
  expect(await matching(expression, names)).toEqual(matched);
});

const malformed = '( a) [a *a a** a++ a{1001} \\ [z-a] \\p{Nowhere} [[:nope:]] [[:constructor:]]';
const unsupported = '(a)\\1 (?=a) (?!a) (?<=a) (?<!a) (?>a) \\k<a>';
it.each(`${malformed} ${unsupported}`.split(' '))('%s is rejected', async (expression) => {
  await expect(compileRe2(expression)).rejects.toMatchObject({ status: 400 });
});

it('takes linear time', async () => {
  expect(await matching('^(a+)+$', [`${'a'.repeat(10_000)}!`])).toEqual([]);
});

it('cannot run code', async () => {
  expect(await matching('"\\); process.exit\\(1', names)).toEqual([]);
  expect(await matching('main', ['main"); throw 1; ("', 'main\u2028'])).toEqual([
    'main"); throw 1; ("',
    'main\u2028',
  ]);
});
