import { describe, expect, it } from 'vitest';
import type { Field, Kind } from '../../src/spec/field.ts';
import * as fields from '../../src/spec/field.ts';
import { check, type Problem } from '../../src/spec/schema.ts';

const { bool, choice, date, datetime, file, hash, int, list, number, object, rows, text } = fields;
const doc = 'Value';
const part = { file: 'logo.png', filename: 'logo.png' };
const range = hash(doc, { start: int(doc, { required: true }), end: int(doc, { required: true }) });

/** Values that stay as they are. */
const same = (...values: unknown[]): [given: unknown, value: unknown][] =>
  values.map((value) => [value, value]);

/** For each kind: accepted values, typed or as text, with their results, and rejected values. */
const kinds: Record<Kind, { field: Field; good: [given: unknown, value: unknown][]; bad: unknown[] }> = {
  text: {
    field: text(doc),
    good: [...same('a', '', '  '), [7, '7']],
    bad: [true, null, ['a'], { a: 'b' }],
  },
  int: {
    field: int(doc),
    good: [
      [7, 7],
      ['7', 7],
      ['-3', -3],
      ['0', 0],
      ['9007199254740991', 9007199254740991],
      ['9007199254740993', 9007199254740993n],
      [9007199254740993n, 9007199254740993n],
    ],
    bad: ['', ' ', '7.5', 7.5, 'seven', '0x10', '1e3', '1_000', true, null, Number.NaN, [7]],
  },
  number: {
    field: number(doc),
    good: [
      [1.5, 1.5],
      ['1.5', 1.5],
      ['-2', -2],
      ['1e3', 1000],
    ],
    bad: ['', 'many', '1,5', 'NaN', 'Infinity', Number.POSITIVE_INFINITY, true, null],
  },
  bool: {
    field: bool(doc),
    good: [...same(true, false), ['true', true], ['false', false]],
    bad: ['', 'maybe', 'tru', 'TRUE', 'yes', 'off', '1', '0', null, 1, 2, []],
  },
  datetime: {
    field: datetime(doc),
    good: same(
      '2026-01-31T08:30:00Z',
      '2026-01-31T08:30:00.123Z',
      '2026-01-31T08:30:00+01:00',
      '2026-01-31T08:30',
      '2026-01-31 08:30:00',
      '2026-01-31',
      '2028-02-29T00:00:00Z',
    ),
    bad: [
      '2026-02-30T00:00:00Z',
      '2026-01-31T25:00:00Z',
      '2026-13-01',
      '31.01.2026',
      '08:30',
      'yesterday',
      '',
      0,
      null,
    ],
  },
  date: {
    field: date(doc),
    good: same('2026-01-31', '2028-02-29'),
    bad: ['', '2026-1-31', '2026-02-29', '2026-01-31T00:00:00Z', '20260131', 20260131, null],
  },
  list: {
    field: list(int(doc)),
    good: [
      [[], []],
      [
        ['1', 2],
        [1, 2],
      ],
    ],
    bad: ['1', 1, ['x'], [null], { 0: 1 }, null],
  },
  hash: {
    field: range,
    good: [
      [
        { start: '1', end: '3' },
        { start: 1, end: 3 },
      ],
      ...same({ start: 1, end: 3, newer: 'x' }),
    ],
    bad: ['start=1', [], { start: 1 }, { start: 'a', end: 1 }, null],
  },
  rows: {
    field: rows(doc, { path: text(doc, { required: true }), size: int(doc) }),
    good: [
      [[], []],
      [[{ path: 'a', size: '3' }], [{ path: 'a', size: 3 }]],
    ],
    bad: ['path=a', { path: 'a' }, [{}], [{ path: 'a', size: 'big' }], ['a'], null],
  },
  file: { field: file(doc), good: [[part, part]], bad: ['logo.png', 7, null] },
  object: {
    field: object(doc, { id: int(doc) }),
    good: [[{ id: '1' }, { id: 1 }], ...same({})],
    bad: ['{}', [], null],
  },
};

describe.each(Object.entries(kinds))('%s', (_, { field, good, bad }) => {
  it.each(good)('accepts %o', (given, value) => {
    expect(check({ p: field }, { p: given })).toEqual({ values: { p: value }, problems: [] });
  });

  it.each(bad.map((value) => [value]))('rejects %o', (given) => {
    const { values, problems } = check({ p: field }, { p: given });
    expect(problems.length).toBeGreaterThan(0);
    expect(values).toEqual({});
    for (const problem of problems) {
      expect(problem.path[0]).toBe('p');
      expect(problem.message).toMatch(/^(must be|is missing)/);
    }
  });

  it('accepts null if nullable', () => {
    const nullable: Field = { ...field, nullable: true };
    expect(check({ p: nullable }, { p: null })).toEqual({ values: { p: null }, problems: [] });
  });
});

it.each(['constructor', 'toString', 'hasOwnProperty'])(
  'the inherited property %s is an unknown name',
  (name) => {
    const values = { p: 'a', [name]: 1 };
    expect(check({ p: text(doc) }, values)).toEqual({ values, problems: [] });
  },
);

it('accepts any key in a hash without known keys', () => {
  const given = { anything: ['a'], else: 1 };
  expect(check({ p: hash(doc) }, { p: given })).toEqual({ values: { p: given }, problems: [] });
});

describe('problems', () => {
  const cases: [string, Field, unknown, string][] = [
    ['an unknown choice', choice(['asc', 'desc'], doc), 'up', 'choice p: must be one of asc, desc'],
    ['the only choice', choice(['desc'], doc), 'asc', 'choice p: must be desc'],
    [
      'one of several choices',
      list(choice(['failed', 'success'], doc)),
      ['failed', 'nonsense'],
      'choice p.1: must be one of failed, success',
    ],
    ['an unknown numeric choice', int(doc, { choices: [10, 20] }), '15', 'choice p: must be one of 10, 20'],
    [
      'a pattern',
      text(doc, { pattern: { test: /^\w+$/, message: 'must contain only letters' } }),
      'a-b',
      'invalid p: must contain only letters',
    ],
    ['a long text', text(doc, { maxLength: 3 }), 'four', 'invalid p: is too long (maximum is 3 characters)'],
    ['too small', int(doc, { min: 1 }), '0', 'invalid p: must be 1 or more'],
    ['too big', int(doc, { max: 9 }), 10, 'invalid p: must be 9 or less'],
    ['out of bounds', int(doc, { min: 1, max: 100 }), '101', 'invalid p: must be between 1 and 100'],
    ['not a number', int(doc), 'x', 'invalid p: must be a whole number'],
    ['a missing key', range, { start: 1 }, 'missing p.end: is missing'],
    [
      'a missing key in a row',
      rows(doc, { path: text(doc, { required: true }) }),
      [{ path: 'a' }, {}],
      'missing p.1.path: is missing',
    ],
  ];
  it.each(cases)('%s', (_, field, given, expected) => {
    const { problems } = check({ p: field }, { p: given });
    expect(problems.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`)).toEqual([
      expected,
    ]);
  });

  it.each([
    ['abc', 3],
    ['🚀🚀🚀', 3],
    ['', 3],
  ])('do not include the length of %j', (given, maxLength) => {
    expect(check({ p: text(doc, { maxLength }) }, { p: given }).problems).toEqual([]);
  });

  it('do not include either bound', () => {
    const per_page = int(doc, { min: 1, max: 100 });
    expect(check({ per_page }, { per_page: '1' }).problems).toEqual([]);
    expect(check({ per_page }, { per_page: '100' }).problems).toEqual([]);
  });

  it('include every invalid value', () => {
    const all = { a: int(doc), b: bool(doc), c: text(doc, { required: true }) };
    const { problems } = check(all, { a: 'x', b: 'x' });
    expect(problems.map(({ path }) => path.join('.'))).toEqual(['a', 'b', 'c']);
  });
});

describe('an omitted field', () => {
  const missing = (name: string): Problem => ({ code: 'missing', path: [name], message: 'is missing' });

  it('is reported if required', () => {
    const fields = { a: text(doc, { required: true }), b: text(doc) };
    expect(check(fields, {})).toEqual({ values: {}, problems: [missing('a')] });
    expect(check(fields, { a: undefined }).problems).toEqual([missing('a')]);
    expect(check(fields, { a: '' }).problems).toEqual([]);
  });

  it('is reported unless an alternative is given', () => {
    const fields = { a: text(doc, { orElse: ['b'] }), b: text(doc, { orElse: ['a'] }) };
    expect(check(fields, {}).problems).toEqual([missing('a'), missing('b')]);
    expect(check(fields, { a: 'x' }).problems).toEqual([]);
    expect(check(fields, { b: 'x' }).problems).toEqual([]);
  });

  it('does not get its default', () => {
    expect(check({ a: bool(doc, { default: true }) }, {}).values).toEqual({});
  });
});

it('passes unknown names unchanged', () => {
  expect(check({}, { newer: { a: 1 } })).toEqual({ values: { newer: { a: 1 } }, problems: [] });
});
