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

test('what is kept is what a parser would have kept', () => {
  // None ends with a backslash: JSON.parse of Node 24 and newer may take the key `"\""` for such a one that it met before.
  const key = fc.constantFrom('a', 'b', 'ab', 'é', '', '"', '\\a', 'a.b');
  const members = fc.array(fc.tuple(key, jsonText), { maxLength: 6 });
  fc.assert(
    fc.property(members, fc.uniqueArray(key), (pairs, keys) => {
      const json = `{${pairs.map(([name, value]) => `${JSON.stringify(name)} :${value}`).join(' ,')}}`;
      const parsed = Object.entries(JSON.parse(json) as object);
      // Keys that JSON writes with an escape always stay.
      const expected = parsed.filter(
        ([name]) => keys.some((wanted) => wanted === name) || /["\\]/.test(name),
      );
      expect(Object.entries(JSON.parse(kept(json, ...keys)) as object)).toEqual(expected);
    }),
    { numRuns: runs },
  );
});
