import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { isJson, scan } from './scan.ts';

function failure(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('validation', () => {
  test.each([
    '{}',
    '[]',
    ' \t\r\n{ "a" : [ 1 , -0.5e+10 , true , false , null , "" ] }\n',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00eF"',
    '-0',
    '0.0',
    '12',
    '1E5',
    'true',
    'null ',
    '{"a":{"b":[[],[{}]]}}',
    '[1,2,"x"]',
    '{"truex":true,"nullx":null}',
  ])('accepts %s', (text) => {
    for (const size of [1, 2, 3, 5, 100]) expect(scan('value', text, size).rows).toEqual([text.trim()]);
  });

  test.each([
    ['{', 1],
    ['[1,]', 3],
    ['[,1]', 1],
    ['{"a"}', 4],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['{a:1}', 1],
    ["{'a':1}", 1],
    ['[1 2]', 3],
    ['[1]]', 3],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['01', 1],
    ['-', 1],
    ['-a', 1],
    ['+1', 0],
    ['.5', 0],
    ['1.', 2],
    ['1.e5', 2],
    ['1e', 2],
    ['1e+', 3],
    ['1ex', 2],
    ['tru', 3],
    ['trux', 3],
    ['[nul]', 4],
    ['nulll', 4],
    ['[NaN]', 1],
    ['"a', 2],
    ['"a\nb"', 2],
    ['"\u0000"', 1],
    ['"\\x"', 2],
    ['"\\u12g4"', 5],
    ['1 2', 2],
    ['{} {}', 3],
    ['\ufeff\ufeff1', 3],
    ['<html>', 0],
  ])('rejects %j at byte %i', (text, at) => {
    expect(isJson(text)).toBe(false);
    for (const size of [1, 2, 3, 100]) {
      const { kind, message } = failure(() => scan('value', text, size));
      expect([kind, message]).toEqual(['server_error', `the response is not valid JSON (at byte ${at})`]);
    }
  });

  test('reports an empty response separately', () => {
    for (const text of ['', ' \n', '\ufeff']) {
      expect(failure(() => scan('list', text)).message).toBe('the response is empty instead of JSON');
    }
  });

  test('accepts any depth', () => {
    const depth = 1_000_000;
    expect(scan('value', '['.repeat(depth) + ']'.repeat(depth)).rows).toHaveLength(1);
    expect(failure(() => scan('value', '['.repeat(depth))).kind).toBe('server_error');
  });
});

describe('rows', () => {
  test.each(['{}', '{"error":"x"}', '"x"', '1', 'null', 'true'])('rejects %s instead of a list', (text) => {
    const { kind, message } = failure(() => scan('list', text, 1));
    expect([kind, message]).toEqual(['server_error', 'the response is not a list']);
  });

  test('reject a list that is incomplete at any byte', () => {
    const text = '[{"a":[1,"x\\n"],"b":null},2.5]';
    for (let length = 1; length < text.length; length++) {
      expect(failure(() => scan('list', text.slice(0, length), 4)).kind).toBe('server_error');
    }
  });

  test('report line breaks between tokens, but not outside rows or in strings', () => {
    const { multiline } = scan('list', '[\n{"a":"\\n"},\n{"a":\n1},{"a"\r:1},{\n},[\n],[1\n]\n]', 3);
    expect(multiline).toEqual([false, true, true, true, true, true]);
  });
});

describe('numbers', () => {
  test.each(['0', '1', '-1', '0.5', '-0.5', '999999999999999', '0.000001', '123456789.125'])(
    '%s keeps its text',
    (text) => {
      expect(scan('list', `[[${text}]]`, 1).inexact).toEqual([false]);
      expect(scan('list', `[{"a":${text},"b":"some text"}]`).inexact).toEqual([false]);
    },
  );

  test.each([
    '9007199254740993',
    '-0',
    '-0.0',
    '1.0',
    '1.10',
    '1e5',
    '1E-5',
    '0.0000001',
    '1000000000000000000000',
  ])('%s would change', (text) => {
    expect(JSON.stringify(JSON.parse(text)) === text && text.length < 16).toBe(false);
    expect(scan('list', `[[${text}],1]`, 1).inexact).toEqual([true, false]);
    // As a plain member of an object, among others.
    const member = `[{"a":${text},"b":"some text"},{"a":1,"b":"some text"}]`;
    expect(scan('list', member).inexact).toEqual([true, false]);
  });
});
