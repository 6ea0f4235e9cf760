import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonErrorAt } from '../../src/support/text/json-error.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the position of an error in JSON', () => {
  test.each([
    ['', 1, 1],
    ['{"a":1,}', 1, 8],
    ['{\n  "work": {} "home"\n', 2, 14],
    ['{"a" 1}', 1, 6],
    ['{"a":1', 1, 7],
    ['[1 2]', 1, 4],
    ['{a: 1}', 1, 2],
    ['[1}', 1, 3],
    ['["a\\x"]', 1, 2],
    ['["open', 1, 2],
    ['[01]', 1, 2],
    ['nul', 1, 1],
    ['{"a":"b"\n\n"c":1}', 3, 1],
    ['\u00a0{}', 1, 1],
  ])('%j is line %d, column %d', (text, line, column) => {
    expect(isJson(text)).toBe(false);
    expect(jsonErrorAt(text)).toEqual({ line, column });
  });

  test('is absent for JSON, whatever its white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', 1, '\t', '\r\n'), (value, space) => {
        expect(jsonErrorAt(JSON.stringify(value, null, space))).toBeUndefined();
      }),
    );
  });

  test('exists for each text that JSON.parse rejects', () => {
    const character = fc.constantFrom(...'{}[]:,"\\ntrue0-.eE +u\n\t');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
        expect(jsonErrorAt(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 5000 },
    );
    const damaged = fc.tuple(fc.jsonValue(), fc.nat(), character);
    fc.assert(
      fc.property(damaged, ([value, at, char]) => {
        const json = JSON.stringify(value);
        const text = json.slice(0, at % json.length) + char + json.slice((at % json.length) + 1);
        expect(jsonErrorAt(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 5000 },
    );
  });
});
