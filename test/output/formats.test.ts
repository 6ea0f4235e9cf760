import { describe, expect, test } from 'vitest';
import type { Column } from '../../src/support/column.ts';
import { list, object } from './print.ts';

const columns: readonly Column[] = [
  { path: 'id', label: 'ID', kind: 'id' },
  { path: 'name', label: 'NAME', kind: 'name' },
  { path: 'commit.author_email', label: 'EMAIL', kind: 'text' },
];

const rows = JSON.stringify([
  { name: 'a,"b"\r\nc', id: 1, commit: { author_email: 'x@y', id: 'f' }, on: true },
  { name: null, id: 2, commit: null, on: false },
]);

describe('a number that a double cannot represent', () => {
  const body = '[{"id":9007199254740993,"in":{"num":1.10,"list":[-0,1e400]}}]';
  const id: readonly Column[] = [{ path: 'id', label: 'ID', kind: 'id' }];

  test.each([
    ['json', undefined, `[\n${body.slice(1, -1)}\n]\n`],
    ['ndjson', undefined, `${body.slice(1, -1)}\n`],
    ['csv', undefined, 'id\r\n9007199254740993\r\n'],
    ['csv', ['in', 'id'], 'in,id\r\n"{""num"":1.10,""list"":[-0,1e400]}",9007199254740993\r\n'],
    ['tsv', ['in.num', 'id'], 'in.num\tid\n1.10\t9007199254740993\n'],
    [
      'yaml',
      undefined,
      '- id: 9007199254740993\n  in:\n    num: 1.10\n    list:\n      - -0\n      - 1e400\n',
    ],
    ['table', undefined, 'ID\n9007199254740993\n'],
    ['table', ['in.num', 'in.list', 'id'], 'IN.NUM  IN.LIST    ID\n  1.10  -0, 1e400  9007199254740993\n'],
  ] as const)('as %s with the fields %s', async (format, fields, expected) => {
    expect(await list({ format, columns: id, ...(fields ? { fields } : {}) }, [body], 5)).toBe(expected);
  });

  test('is not confused with an object of the service', async () => {
    const sly = '{"n":1.0,"o":{"isLosslessNumber":true,"value":"x","text":"y"}}';
    expect(await list({ format: 'ndjson', fields: ['o', 'n'] }, [`[${sly}]`])).toBe(
      '{"o":{"isLosslessNumber":true,"value":"x","text":"y"},"n":1.0}\n',
    );
  });
});

test('the columns of unknown rows are the keys of all first rows, in order', async () => {
  const body = '[{"a":1,"b":2},{"c":3,"a":4}]';
  expect(await list({ format: 'csv' }, [body])).toBe('a,b,c\r\n1,2,\r\n4,,3\r\n');
  expect(await list({ format: 'table' }, [body])).toBe('A  B  C\n1  2  -\n4  -  3\n');
});

describe('--fields', () => {
  test('selects and orders keys; dotted paths stay nested; missing values are null', async () => {
    const fields = ['commit.author_email', 'id', 'commit.id', 'nope.x', 'name'];
    expect(await list({ format: 'json', fields, columns }, [rows])).toBe(`[
{"commit":{"author_email":"x@y","id":"f"},"id":1,"nope":{"x":null},"name":"a,\\"b\\"\\r\\nc"},
{"commit":{"author_email":null,"id":null},"id":2,"nope":{"x":null},"name":null}
]
`);
  });

  test.each([
    ['{"a":{"b":1,"c":2}}', ['a', 'a.b'], '{"a":{"b":1,"c":2}}'],
    ['{"a":{"b":1,"c":2}}', ['a.b', 'a'], '{"a":{"b":1,"c":2}}'],
    ['{"a.b":1,"a":{"b":2}}', ['a.b'], '{"a.b":1}'],
    ['{"a":[{"b":1},{"c":2},{"b":3}]}', ['a.b'], '{"a":{"b":[1,3]}}'],
    ['{"a":[{"b":1},{"b":3}]}', ['a.1.b'], '{"a":{"1":{"b":3}}}'],
    ['{"a":1}', ['toString', 'constructor.name'], '{"toString":null,"constructor":{"name":null}}'],
    ['{"__proto__":{"x":1}}', ['__proto__.x'], '{"__proto__":{"x":1}}'],
    ['"text"', ['a'], '"text"'],
    ['{"a":"x"}', ['a.length'], '{"a":{"length":null}}'],
  ] as const)('of %s, %j', async (row, fields, expected) => {
    expect(await list({ format: 'ndjson', fields }, [`[${row}]`])).toBe(`${expected}\n`);
    expect(await object({ format: 'json', fields }, row)).toBe(`${expected}\n`);
  });
});

describe('csv', () => {
  test('follows RFC 4180: CRLF, quotes if necessary, empty cells for null, the given columns', async () => {
    expect(await list({ format: 'csv', columns }, [rows])).toBe(
      'id,name,commit.author_email\r\n1,"a,""b""\r\nc",x@y\r\n2,,\r\n',
    );
  });

  test('prints the header once, also without rows, unless it is disabled', async () => {
    expect(await list({ format: 'csv', columns }, [rows, '[{"id":3}]'])).toMatch(
      /^id,name[\s\S]*\r\n3,,\r\n$/,
    );
    expect(await list({ format: 'csv', columns }, ['[]'])).toBe('id,name,commit.author_email\r\n');
    expect(await list({ format: 'csv', fields: ['x'], columns }, [])).toBe('x\r\n');
    expect(await list({ format: 'csv', columns, header: false }, ['[]'])).toBe('');
    expect(await list({ format: 'csv', columns, header: false }, ['[{"id":3}]'])).toBe('3,,\r\n');
    expect(await list({ format: 'csv' }, ['[]'])).toBe('');
  });

  test('quotes a single empty cell; prints rows that are not objects as values', async () => {
    expect(await list({ format: 'csv', fields: ['a'] }, ['[{"a":null},{"a":"x"}]'])).toBe('a\r\n""\r\nx\r\n');
    expect(await list({ format: 'csv', columns }, ['["a",1,null]'])).toBe('value\r\na\r\n1\r\n""\r\n');
  });

  test.each([
    ['"=1+1"', "'=1+1"],
    ['"-1"', "'-1"],
    ['"@x"', "'@x"],
    ['"\\tx"', "'\tx"],
    ['"\\rx"', `"'\rx"`],
    ['"\\n=x"', `"'\n=x"`],
    ['"＝1"', "'＝1"],
    ['-1', '-1'],
    ['"a=b"', 'a=b'],
    ['"\'=x"', "'=x"],
  ])('--csv-safe changes %s to %s', async (value, expected) => {
    const body = `[{"a":${value}}]`;
    expect(await list({ format: 'csv', header: false, csvSafe: true }, [body])).toBe(`${expected}\r\n`);
  });
});

test('tsv escapes tabs, line breaks and backslashes', async () => {
  expect(
    await list({ format: 'tsv', fields: ['a', 'b'] }, [
      '[{"a":"t\\t n\\n r\\r b\\\\ \\"q\\"","b":{"x":null}}]',
    ]),
  ).toBe('a\tb\nt\\t n\\n r\\r b\\\\ "q"\t{"x":null}\n');
});

describe('yaml', () => {
  test('prints one list over all pages', async () => {
    expect(await list({ format: 'yaml' }, ['[{"a":1,"b":{"c":[true,null]}}]', '["x",[]]'])).toBe(
      '- a: 1\n  b:\n    c:\n      - true\n      - null\n- x\n- []\n',
    );
    expect(await list({ format: 'yaml' }, ['[]'])).toBe('[]\n');
    expect(await object({ format: 'yaml' }, '{"a":"two\\nlines"}')).toBe('a: |-\n  two\n  lines\n');
  });
});
