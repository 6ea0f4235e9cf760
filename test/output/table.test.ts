import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { Column } from '../../src/support/column.ts';
import { list, object, terminal } from './print.ts';

const columns: readonly Column[] = [
  { path: 'id', label: 'ID', kind: 'id' },
  { path: 'status', label: 'STATUS', kind: 'state' },
  { path: 'name', label: 'NAME', kind: 'name' },
  { path: 'ref', label: 'REF', kind: 'text' },
  { path: 'finished_at', label: 'FINISHED', kind: 'time' },
];
const rows = JSON.stringify([
  {
    id: 1201,
    status: 'success',
    name: 'compile for every platform that we know',
    ref: 'feature/a-long-branch-name',
    finished_at: '2026-05-01T10:00:00Z',
  },
  { id: 9, status: 'failed', name: '日本語のテスト', ref: 'main', finished_at: null },
]);

describe('in a pipe', () => {
  test('aligns columns two spaces apart without cutting', async () => {
    expect(await list({ format: 'table', columns }, [rows])).toBe(`\
ID    STATUS   NAME                                     REF                         FINISHED
1201  success  compile for every platform that we know  feature/a-long-branch-name  2026-05-01T10:00:00Z
9     failed   日本語のテスト                           main                        -
`);
  });

  test('keeps the widths of the first page; a wider cell shifts its own line only', async () => {
    const options = { format: 'table', fields: ['id', 'name'] } as const;
    const pages = ['[{"id":1,"name":"a"}]', '[{"id":123456,"name":"b"},{"id":2,"name":"c"}]'];
    expect(await list(options, pages)).toBe('ID  NAME\n1   a\n123456  b\n2   c\n');
    expect(await list({ ...options, header: false }, pages)).toBe('1  a\n123456  b\n2  c\n');
  });

  test('prints each row on one line without control characters', async () => {
    const body = JSON.stringify([
      { a: 'x\ny\tz\u001b[31m!\u0007', b: ['p', 'q'], c: { d: 'r\ns' }, e: [], f: true, g: '' },
    ]);
    expect(await list({ format: 'table' }, [body])).toBe(
      'A       B     C             E  F     G\nx y z!  p, q  {"d":"r\\ns"}  -  true  -\n',
    );
  });

  test('prints rows that are not objects as values', async () => {
    expect(await list({ format: 'table', columns }, ['["a",12,null]'])).toBe('VALUE\na\n12\n-\n');
  });

  test('prints nothing for an empty list', async () => {
    expect(await list({ format: 'table', columns }, ['[]'])).toBe('');
    expect(await list({ format: 'table', columns, terminal }, ['[]'])).toBe('');
    expect(await object({ format: 'table', columns }, '[]')).toBe('');
  });

  test('prints color if enabled, without moving columns', async () => {
    const plain = await list({ format: 'table', columns }, [rows]);
    const colored = await list({ format: 'table', columns, color: true }, [rows]);
    expect(colored).toContain('\u001b[32msuccess\u001b[39m');
    expect(colored).toContain('\u001b[31mfailed\u001b[39m');
    expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(plain);
  });
});

describe('on a terminal', () => {
  const options = { format: 'table', columns, time: 'relative' } as const;
  const at = (width: number) => ({ terminal: { ...terminal, width } });

  test('100 columns: prints everything', async () => {
    expect(await list({ ...options, ...at(100) }, [rows])).toBe(`\
ID    STATUS   NAME                                     REF                         FINISHED
1201  success  compile for every platform that we know  feature/a-long-branch-name  3 hours ago
9     failed   日本語のテスト                           main
`);
  });

  test('90 columns: abbreviates times before texts become hard to read', async () => {
    expect(await list({ ...options, ...at(90) }, [rows])).toBe(`\
ID    STATUS   NAME                                     REF                       FINISHED
1201  success  compile for every platform that we know  feature/a-long-branch-n…  3h ago
9     failed   日本語のテスト                           main
`);
  });

  test('70 columns: drops texts before it cuts names', async () => {
    expect(await list({ ...options, ...at(70) }, [rows])).toBe(`\
ID    STATUS   NAME                                     FINISHED
1201  success  compile for every platform that we know  3h ago
9     failed   日本語のテスト
`);
  });

  test('50 columns: cuts names before it drops times, and drops times before statuses', async () => {
    expect(await list({ ...options, ...at(50) }, [rows])).toBe(`\
ID    STATUS   NAME                       FINISHED
1201  success  compile for every platfo…  3h ago
9     failed   日本語のテスト
`);
    expect((await list({ ...options, ...at(44) }, [rows])).split('\n')[0]).toBe('ID    STATUS   NAME');
  });

  test('prints the same header for a column at every width, and never cuts an id or a first name', async () => {
    const body = JSON.stringify([
      { name: 'release/2026-05-with-a-long-name', commit: { id: 'x'.repeat(20) }, at: 't' },
    ]);
    const given: readonly Column[] = [
      { path: 'name', label: 'NAME', kind: 'name' },
      { path: 'commit.id', label: 'LAST COMMIT', kind: 'id' },
      { path: 'at', label: 'AUTHOR OF IT', kind: 'person' },
    ];
    for (const width of [10, 20, 40, 60, 80, 120, 200]) {
      const [header = '', row] = (
        await list({ format: 'table', columns: given, ...at(width) }, [body])
      ).split('\n');
      expect(header.split(/ {2,}/)).toEqual([
        'NAME',
        'LAST COMMIT',
        ...(width >= 80 ? ['AUTHOR OF IT'] : []),
      ]);
      expect(row).toContain(`release/2026-05-with-a-long-name  ${'x'.repeat(20)}`);
    }
  });

  test('drops columns without a value first', async () => {
    const body =
      '[{"id":1,"status":"success","name":"a name of the job","ref":"a ref for it","finished_at":null}]';
    expect((await list({ ...options, ...at(54) }, [body])).split('\n')[0]).toBe(
      'ID  STATUS   NAME               REF           FINISHED',
    );
    expect((await list({ ...options, ...at(45) }, [body])).split('\n')[0]).toBe(
      'ID  STATUS   NAME               REF',
    );
  });

  test('keeps every column of --fields, as long as it can', async () => {
    const fields = columns.map(({ path }) => path);
    const text = await list({ ...options, fields, ...at(50) }, [rows]);
    expect(text.split('\n')[0]).toBe('ID    STATUS   NAME             REF       FINISHED');
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(50);
  });

  test('a longer id on a later page moves the rest of its rows', async () => {
    const given = { ...options, columns: columns.slice(0, 2) };
    expect(await list(given, ['[{"id":1,"status":"a"}]', '[{"id":12345,"status":"b"}]'])).toBe(
      'ID  STATUS\n1   a\n12345  b\n',
    );
  });

  test('200 columns: is as wide as its content', async () => {
    expect(await list({ ...options, ...at(200) }, [rows])).toBe(
      await list({ ...options, ...at(100) }, [rows]),
    );
  });

  test('keeps the widths of the first page, and no line exceeds the terminal', async () => {
    const wide = JSON.stringify([
      { id: 1, status: 'failed', name: 'x'.repeat(300), ref: '日'.repeat(90), finished_at: null },
    ]);
    for (const width of [40, 60, 80, 100, 200]) {
      const text = await list({ ...options, ...at(width) }, [rows, wide]);
      for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(text.match(/STATUS/g)).toHaveLength(1);
    }
  });

  test('uses three dots as ellipsis without Unicode', async () => {
    const text = await list({ ...options, terminal: { ...terminal, width: 60, unicode: false } }, [rows]);
    expect(text).toContain('compile for every platform that ...  3h ago');
    expect(text).not.toContain('…');
  });

  test('colors a status that is known by its name', async () => {
    const shown = { format: 'table', fields: ['pipeline.status'], color: true, terminal } as const;
    expect(await list(shown, ['[{"pipeline":{"status":"failed"}}]'])).toContain('\u001b[31mfailed\u001b[39m');
    expect(await object(shown, '{"pipeline":{"status":"failed"}}')).toContain('\u001b[31mfailed\u001b[39m');
  });

  test('wraps one column', async () => {
    expect(await list({ ...options, ...at(60), wrap: 'name' }, [rows])).toBe(`\
ID    STATUS   NAME              REF                FINISHED
1201  success  compile for       feature/a-long-b…  3h ago
               every platform
               that we know
9     failed   日本語のテスト    main
`);
  });

  test('splits a word that is wider than the wrapped column', async () => {
    const shown = { format: 'table', fields: ['id', 'name'], wrap: 'name' } as const;
    const body = JSON.stringify([{ id: 1, name: `${'x'.repeat(30)} yy 日本日本日本日本日本日本` }]);
    const text = await list({ ...shown, terminal: { ...terminal, width: 24 } }, [body]);
    expect(text).toBe(
      `ID  NAME\n1   ${'x'.repeat(20)}\n    ${'x'.repeat(10)} yy\n    日本日本日本日本日本\n    日本\n`,
    );
  });

  test('prints many rows completely', async () => {
    const body = JSON.stringify(Array.from({ length: 250 }, (_, id) => ({ id })));
    const text = await list({ format: 'table', terminal }, [body]);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['ID', ...Array.from({ length: 250 }, (_, id) => String(id))]);
  });

  test('removes escape sequences of the service', async () => {
    const body = '[{"id":1,"status":"\\u001b[2Jsuccess","name":"\\u001b]0;x\\u0007y","\\u009bz":"\\u0085"}]';
    for (const extra of [{}, { accessible: true }]) {
      for (const given of [columns, []]) {
        const shown = { format: 'table', columns: given, terminal: { ...terminal, ...extra } } as const;
        expect(await list(shown, [body])).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
        expect(await object(shown, body.slice(1, -1))).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
      }
    }
  });

  test('accessible: one field per line, a blank line between rows, no color', async () => {
    const shown = {
      format: 'table',
      fields: ['id', 'status'],
      columns,
      color: true,
      terminal: { ...terminal, accessible: true },
    } as const;
    expect(await list(shown, [rows, '[{"id":3}]'])).toBe(
      'ID: 1201\nStatus: success\n\nID: 9\nStatus: failed\n\nID: 3\nStatus: none\n',
    );
  });
});

describe('lines of text', () => {
  const sha = (digit: string) => digit.repeat(40);
  const blame = JSON.stringify([
    { commit: { id: sha('a') }, lines: ['{', '  one', ''] },
    { commit: { id: sha('b') }, lines: ['\u001b[2Jtwo\nx'] },
    { commit: { id: sha('c') }, lines: [] },
  ]);
  const given = {
    format: 'table',
    columns: [
      { path: 'commit.id', label: 'COMMIT', kind: 'id' },
      { path: 'lines', label: 'LINE', kind: 'lines' },
    ],
  } as const;

  test('are printed below each other on a terminal, with short commit ids', async () => {
    for (const width of [30, 120])
      expect(await list({ ...given, terminal: { ...terminal, width } }, [blame])).toBe(`\
COMMIT    LINE
aaaaaaaa  {
            one

bbbbbbbb  two x
cccccccc
`);
  });

  test('are separate rows in a pipe, for grep, with complete commit ids', async () => {
    expect(await list(given, [blame])).toBe(`\
COMMIT                                    LINE
${sha('a')}  {
${sha('a')}    one
${sha('a')}
${sha('b')}  two x
${sha('c')}  -
`);
  });

  test('accessible: are printed below their name', async () => {
    const shown = { ...given, fields: ['lines'], terminal: { ...terminal, accessible: true } };
    expect(await list(shown, ['[{"lines":["a","b"]},{"lines":["c"]}]'])).toBe('Line:\n  a\n  b\n\nLine: c\n');
  });
});

describe('headers', () => {
  const row = JSON.stringify([
    {
      id: 1,
      pipeline: { id: 12, status: 'running' },
      author: { username: 'mia' },
      title: 'A title of some length',
    },
  ]);
  const fields = ['id', 'pipeline.id', 'pipeline.status', 'author.username', 'title'];

  const columnsOfRow: readonly Column[] = [
    { path: 'pipeline.status', label: 'RESULT', kind: 'state' },
    { path: 'author.username', label: 'AUTHOR', kind: 'person' },
  ];

  test('of --fields are the labels of declared columns, and other paths in upper case', async () => {
    for (const shown of [{}, { terminal }]) {
      const text = await list({ format: 'table', columns: columnsOfRow, fields, ...shown }, [row]);
      expect(text.split('\n')[0]).toBe('ID  PIPELINE.ID  RESULT   AUTHOR  TITLE');
    }
  });

  test('are the paths in machine formats', async () => {
    const text = await list({ format: 'csv', columns: columnsOfRow }, [row]);
    expect(text.split('\r\n')[0]).toBe('pipeline.status,author.username');
  });
});

describe('numbers', () => {
  test('do not include empty columns', async () => {
    const body = '[{"name":"a","project":null,"count":1},{"name":"b","project":null,"count":null}]';
    expect(await list({ format: 'table', terminal }, [body])).toBe(
      'NAME  PROJECT  COUNT\na                  1\nb\n',
    );
  });

  test('are printed without rounding errors; exact numbers are unchanged', async () => {
    const body = '[{"a":0.10200000000000001,"b":9007199254740993,"c":414.003}]';
    expect(await list({ format: 'table' }, [body])).toBe(
      '    A                 B        C\n0.102  9007199254740993  414.003\n',
    );
  });
});

describe('kinds', () => {
  const given: readonly Column[] = [
    { path: 'id', label: 'ID', kind: 'id' },
    { path: 'ok', label: 'OK', kind: 'flag' },
    { path: 'took', label: 'TOOK', kind: 'duration' },
    { path: 'size', label: 'SIZE', kind: 'size' },
  ];
  const body =
    '[{"id":1,"ok":true,"took":414.003,"size":1258291},{"id":22,"ok":false,"took":null,"size":35}]';

  test('flags are marks on a terminal, durations and sizes have units, and numbers align right', async () => {
    const on = (extra: object) =>
      list({ format: 'table', columns: given, terminal: { ...terminal, ...extra } }, [body]);
    expect(await on({})).toBe('ID  OK   TOOK     SIZE\n1   ✓   6m54s  1.2 MiB\n22                35 B\n');
    expect(await on({ unicode: false })).toBe(
      'ID  OK    TOOK     SIZE\n1   yes  6m54s  1.2 MiB\n22                 35 B\n',
    );
    expect(await on({ accessible: true })).toBe(
      'ID: 1\nOk: yes\nTook: 6m54s\nSize: 1.2 MiB\n\nID: 22\nOk: no\nTook: none\nSize: 35 B\n',
    );
  });

  test('in a pipe, flags are words, and no cell is blank', async () => {
    expect(await list({ format: 'table', columns: given }, [body])).toBe(
      'ID  OK      TOOK     SIZE\n1   true   6m54s  1.2 MiB\n22  false      -     35 B\n',
    );
  });

  test('machine formats keep values', async () => {
    expect(await list({ format: 'csv', columns: given }, [body])).toBe(
      'id,ok,took,size\r\n1,true,414.003,1258291\r\n22,false,,35\r\n',
    );
  });
});

describe('one object', () => {
  const body = JSON.stringify({
    web_url: 'http://x',
    message: 'one\ntwo',
    id: 7,
    status: 'success',
    commit: { id: 'f00', author: { name: 'A' }, parents: [] },
    tags: ['a', 'b'],
    files: [{ path: 'x' }, { path: 'y' }],
    empty: {},
    finished_at: '2026-05-01T10:00:00Z',
  });

  test('has one line per field: the columns first, then all other keys', async () => {
    expect(await object({ format: 'table', columns }, body)).toBe(`\
ID:       7
Status:   success
Finished: 2026-05-01T10:00:00Z
Web URL:  http://x
Message:  one two
Tags:     a, b
Empty:    -
Commit:
  ID:      f00
  Parents: -
  Author:
    Name: A
Files:
  PATH
  x
  y
`);
  });

  test('on a terminal: times are both relative and exact', async () => {
    const shown = { format: 'table', columns, terminal, time: 'relative', fields: ['finished_at'] } as const;
    expect(await object(shown, body)).toBe('Finished: 3 hours ago (2026-05-01T10:00:00Z)\n');
  });

  test('with fields: prints only these, even if missing', async () => {
    expect(await object({ format: 'table', columns, fields: ['tags', 'nope', 'commit.author'] }, body)).toBe(
      'Tags: a, b\nNope: -\ncommit.author:\n  Name: A\n',
    );
  });

  test('nested parts follow the simple fields, each under its label', async () => {
    const given: readonly Column[] = [
      { path: 'commit.author.name', label: 'AUTHOR', kind: 'person' },
      { path: 'commit.short', label: 'COMMIT', kind: 'text' },
      { path: 'id', label: 'ID', kind: 'id' },
    ];
    const value = JSON.stringify({
      web_url: 'http://x',
      id: 7,
      commit: { id: 'f00', author: { mail: 'a@b', name: 'A' }, short: 'f' },
      files: [
        { path: 'x', size: 1 },
        { path: 'y', lines: [['p'], ['q']] },
      ],
    });
    const expected = `\
ID:      7
Web URL: http://x
Commit:
  Short: f
  ID:    f00
  Author:
    Name: A
    Mail: a@b
Files:
  - Path: x
    Size: 1 B
  - Path: y
    Lines:
      - ["p"]
      - ["q"]
`;
    expect(await object({ format: 'table', columns: given, terminal }, value)).toBe(expected);
    expect(await object({ format: 'table', columns: given }, value)).toBe(expected);
  });

  test('a list of objects is a small table; on a terminal it fits, and cuts no URL', async () => {
    const user = (id: number, name: string) => ({
      id,
      name,
      admin: id === 2,
      bio: null,
      url: `http://x/${'y'.repeat(40)}`,
    });
    const value = JSON.stringify({ users: [user(2, 'Olivia'), user(13, '日本')] });
    expect(await object({ format: 'table', terminal: { ...terminal, width: 60 } }, value)).toBe(`\
Users:
  ID  NAME    ADMIN
  2   Olivia  ✓
  13  日本
`);
    expect(await object({ format: 'table' }, value)).toBe(`\
Users:
  ID  NAME    ADMIN  BIO  URL
  2   Olivia  true   -    http://x/${'y'.repeat(40)}
  13  日本    false  -    http://x/${'y'.repeat(40)}
`);
  });

  test('on a terminal: a user is a name and a username', async () => {
    const value = '{"author":{"id":2,"username":"olivia","name":"Olivia Owner"}}';
    expect(await object({ format: 'table', terminal }, value)).toBe('Author: Olivia Owner (olivia)\n');
    expect(await object({ format: 'table', terminal, allFields: true }, value)).toBe(
      'Author:\n  ID:       2\n  Username: olivia\n  Name:     Olivia Owner\n',
    );
  });

  test('on a terminal: wraps long texts but not long words', async () => {
    const url = `http://x/${'y'.repeat(60)}`;
    const value = JSON.stringify({ text: 'one two three four five six seven', url, end: 'line\n\n' });
    expect(await object({ format: 'table', terminal: { ...terminal, width: 30 } }, value)).toBe(
      `Text: one two three four five\n      six seven\nURL:  ${url}\nEnd:  line\n`,
    );
  });

  test('on a terminal: clips a base64 file; elsewhere it is complete', async () => {
    const value = JSON.stringify({ content: 'QUJD'.repeat(1000) });
    const wide = { format: 'table', terminal: { ...terminal, width: 80 } } as const;
    expect(await object(wide, value)).toMatch(
      /^Content: (QUJD)+[QUJ]*\.\.\. \(4000 characters; use -o json for all\)\n$/,
    );
    expect((await object(wide, value)).trimEnd().length).toBeLessThanOrEqual(80);
    const key = 'k'.repeat(600);
    expect(await object(wide, JSON.stringify({ key }))).toBe(`Key: ${key}\n`);
    expect(await object({ format: 'table' }, value)).toContain('QUJD'.repeat(1000));
  });

  test('on a terminal: hides empty fields', async () => {
    const value = JSON.stringify({ id: 7, flag: false, none: null, text: '', list: [], object: { a: null } });
    const shown = { format: 'table', terminal } as const;
    expect(await object(shown, value)).toBe('ID:   7\nFlag: no\n');
    expect(await object({ format: 'table' }, value)).toBe(
      'ID:   7\nFlag: false\nNone: -\nText: -\nList: -\nObject:\n  A: -\n',
    );
    expect(await object(shown, '{"none":null}')).toBe('None: -\n');
  });

  test('all fields: null and empty values differ', async () => {
    const value = JSON.stringify({ none: null, text: '', list: [], object: {} });
    for (const given of [{ terminal }, {}])
      expect(await object({ format: 'table', allFields: true, ...given }, value)).toBe(
        'None:   null\nText:   ""\nList:   []\nObject: {}\n',
      );
  });

  test('accessible: uses a colon, a space and the labels of all parents', async () => {
    const given = { format: 'table', terminal: { ...terminal, accessible: true } } as const;
    expect(await object(given, '{"a":{"b":true,"web_url":1,"c":[{"d":"x\\ny\\n"}]}}')).toBe(
      'A b: yes\nA web URL: 1\nA c 1 d: x\ny\n',
    );
    expect(await object(given, '{"users":[{"id":2,"username":"mia","name":"Mia M"}],"b":[{"id":1}]}')).toBe(
      'Users 1: Mia M (mia)\nB 1 ID: 1\n',
    );
  });

  test('accessible: aligns nothing', async () => {
    const shown = { format: 'table', columns: [], terminal: { ...terminal, accessible: true } } as const;
    expect(await object(shown, '{"id":1,"longer":2}')).toBe('ID: 1\nLonger: 2\n');
  });

  test('prints other values unchanged', async () => {
    expect(await object({ format: 'table' }, '"a\\u001b[1mb"')).toBe('ab\n');
    expect(await object({ format: 'table' }, '12.50')).toBe('12.50\n');
    expect(await object({ format: 'table', columns: [] }, '[{"a":1}]')).toBe('A\n1\n');
  });
});
