import { describe, expect, test } from 'vitest';
import { programFlags } from '../../src/cli/argv/flags.ts';
import { type FlagSpec, readFlagValue } from '../../src/spec/flag.ts';

const seconds = { kind: 'number', unit: 'seconds', min: 1, max: 999_999, doc: '' } as const;
const percent = { kind: 'number', unit: 'percent', min: 0, max: 999, doc: '' } as const;
const port = { kind: 'int', min: 0, max: 65_535, doc: '' } as const;
const number = { kind: 'number', doc: '' } as const;
const count = { kind: 'int', min: 0, doc: '' } as const;
const choice = { kind: 'text', choices: ['json', 'csv'], doc: '' } as const;

describe('the value of a flag', () => {
  test.each<[FlagSpec, string, string | number]>([
    [port, '0', 0],
    [port, '65535', 65_535],
    [number, '-2.5', -2.5],
    [seconds, '1', 1],
    [seconds, '1.5', 1.5],
    [seconds, '30s', 30],
    [seconds, '2m', 120],
    [seconds, '1h30m', 5400],
    [seconds, '7d', 604_800],
    [percent, '95', 95],
    [percent, '94.9%', 94.9],
    [choice, 'csv', 'csv'],
    [{ kind: 'text', doc: '' }, '', ''],
    [programFlags.timeout, '0.5', 0.5],
    [programFlags.retries, '0', 0],
  ])('%o reads %j', (flag, word, expected) => {
    expect(readFlagValue(flag, word, '--flag')).toBe(expected);
  });

  test.each<[FlagSpec, string, string]>([
    [port, '65536', 'a whole number from 0 to 65535, not "65536"'],
    [port, '-1', 'a whole number from 0 to 65535, not "-1"'],
    [port, '1.5', 'a whole number from 0 to 65535, not "1.5"'],
    [count, '1e3', 'a whole number, 0 or more, not "1e3"'],
    [number, 'five', 'a number, not "five"'],
    [number, '5%', 'a number, not "5%"'],
    [seconds, '0.5', 'a number of seconds from 1 to 999999, not "0.5"'],
    [seconds, 'soon', 'a number of seconds from 1 to 999999, not "soon"'],
    [percent, 'many', 'a percentage such as 95%, not "many"'],
    [programFlags.timeout, '0', 'a number of seconds from 0.001 to 2073600, not "0"'],
    [programFlags.retries, '1.5', 'a whole number from 0 to 999, not "1.5"'],
  ])('%o rejects %j', (flag, word, expected) => {
    expect(() => readFlagValue(flag, word, '--flag')).toThrow(`--flag must be ${expected}`);
  });

  test('is one of its choices', () => {
    expect(() => readFlagValue(choice, 'jsn', '--output')).toThrow('--output: unknown value "jsn"');
  });
});
