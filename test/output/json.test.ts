import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { keepMembers } from '../../src/output/json/layout.ts';
import { jsonText } from './arbitraries.ts';

function kept(json: string, ...keys: string[]): string {
  const bytes = Buffer.from(`[${json}]`);
  const wanted = keys.map((key) => Buffer.from(key));
  return bytes.toString('utf8', 1, keepMembers(bytes, 1, bytes.length - 1, wanted));
}

test.each([
  ['{"a":1,"b":2,"c":3}', ['a', 'c'], '{"a":1,"c":3}'],
  ['{"a":1,"b":2}', ['b'], '{"b":2}'],
  ['{"a":1}', [], '{}'],
  ['{ \n}', ['a'], '{}'],
  [
    '{ "a" : {"b":[1,"},\\"]"]} , "x" : [ {} , {"a":1} ] ,"é":null }',
    ['a', 'é'],
    '{"a" : {"b":[1,"},\\"]"]} ,"é":null }',
  ],
  ['{"\\u0061":1,"b":2}', ['z'], '{"\\u0061":1}'],
  ['{"ab":1,"a":2,"aa":3}', ['a'], '{"a":2}'],
  ['[{"a":1}]', ['b'], '[{"a":1}]'],
  ['"a"', [], '"a"'],
  ['{"":1,"a":2}', [''], '{"":1}'],
] as const)('of %s, %j is kept', (json, keys, expected) => {
  expect(kept(json, ...keys)).toBe(expected);
});

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
    { numRuns: 5000 },
  );
});
