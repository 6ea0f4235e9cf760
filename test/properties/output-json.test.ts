import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { keepMembers } from '../../src/output/json/layout.ts';
import { jsonText } from '../output/arbitraries.ts';
import { runs } from '../support/runs.ts';

function kept(json: string, ...keys: string[]): string {
  const bytes = Buffer.from(`[${json}]`);
  const wanted = keys.map((key) => Buffer.from(key));
  return bytes.toString('utf8', 1, keepMembers(bytes, 1, bytes.length - 1, wanted));
}

test('keepMembers keeps the same members as a parser', () => {
  // No key ends with a backslash, because JSON.parse of Node 24 and later can confuse the key `"\""` with such a key.
  const key = fc.constantFrom('a', 'b', 'ab', 'é', '', '"', '\\a', 'a.b');
  const members = fc.array(fc.tuple(key, jsonText), { maxLength: 6 });
  fc.assert(
    fc.property(members, fc.uniqueArray(key), (pairs, keys) => {
      const json = `{${pairs.map(([name, value]) => `${JSON.stringify(name)} :${value}`).join(' ,')}}`;
      const parsed = Object.entries(JSON.parse(json) as object);
      // Keys with escapes are always kept.
      const expected = parsed.filter(
        ([name]) => keys.some((wanted) => wanted === name) || /["\\]/.test(name),
      );
      expect(Object.entries(JSON.parse(kept(json, ...keys)) as object)).toEqual(expected);
    }),
    { numRuns: runs },
  );
});
