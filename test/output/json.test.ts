import { expect, test } from 'vitest';
import { keepMembers } from '../../src/output/json/layout.ts';

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
