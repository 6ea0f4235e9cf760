import { expect, test } from 'vitest';
import { jsonPieces, type Value } from '../../src/spec/request.ts';
import { jsonText } from '../../src/support/json.ts';

const joined = (value: Value) => [...jsonPieces(value)].join('');

test.each([
  ['letters', 'a'.repeat(200_000)],
  ['escapes', '\0'.repeat(200_000)],
  ['surrogate pairs at every boundary', '🚀'.repeat(100_000)],
  ['surrogate pairs across every boundary', `a${'🚀'.repeat(100_000)}`],
  ['lone surrogates', '\ud83d'.repeat(200_000)],
])('splits a long text of %s without changing it', (_, text) => {
  const value = { list: [1, text, null], big: 2n ** 64n };
  expect(joined(value)).toBe(jsonText(value));
  for (const piece of jsonPieces(value)) expect(piece.length).toBeLessThan(500_000);
});
