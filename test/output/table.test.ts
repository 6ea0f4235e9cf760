import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { Column } from '../../src/output/model.ts';
import { list, object, terminal } from './print.ts';

const columns: readonly Column[] = [
  { path: 'id', kind: 'number' },
  { path: 'status', kind: 'status' },
  { path: 'name', kind: 'text' },
  { path: 'ref', kind: 'text' },
  { path: 'finished_at', kind: 'time' },
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
ID    STATUS   NAME                                     REF                         FINISHED_AT
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

  test('60 columns: cuts texts but not ids, statuses and times; aligns numbers right', async () => {
    expect(await list({ ...options, ...at(60) }, [rows])).toBe(`\
  ID  STATUS   NAME             REF              FINISHED_AT
1201  success  compile for ev…  feature/a-long…  3 hours ago
   9  failed   日本語のテスト   main             -
`);
  });

  test('44 columns: abbreviates times before texts become useless', async () => {
    expect(await list({ ...options, ...at(44) }, [rows])).toBe(`\
  ID  STATUS   NAME         REF       FINIS…
1201  success  compile fo…  feature…  3h ago
   9  failed   日本語のテ…  main      -
`);
  });

  test('100 columns', async () => {
    expect(await list({ ...options, ...at(100) }, [rows])).toBe(`\
  ID  STATUS   NAME                                     REF                         FINISHED_AT
1201  success  compile for every platform that we know  feature/a-long-branch-name  3 hours ago
   9  failed   日本語のテスト                           main                        -
`);
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
    expect(text).toContain('compile for ...  feature/a-lo...');
    expect(text).not.toContain('…');
  });

  test('colors a status that is known by its name', async () => {
    const shown = { format: 'table', fields: ['pipeline.status'], color: true, terminal } as const;
    expect(await list(shown, ['[{"pipeline":{"status":"failed"}}]'])).toContain('\u001b[31mfailed\u001b[39m');
    expect(await object(shown, '{"pipeline":{"status":"failed"}}')).toContain('\u001b[31mfailed\u001b[39m');
  });

  test('wraps one column', async () => {
    expect(await list({ ...options, ...at(60), wrap: 'name' }, [rows])).toBe(`\
  ID  STATUS   NAME             REF              FINISHED_AT
1201  success  compile for      feature/a-long…  3 hours ago
               every platform
               that we know
   9  failed   日本語のテスト   main             -
`);
  });

  test('splits a word that is wider than the wrapped column', async () => {
    const shown = { format: 'table', fields: ['id', 'name'], wrap: 'name' } as const;
    const body = JSON.stringify([{ id: 1, name: `${'x'.repeat(30)} yy 日本日本日本日本日本日本` }]);
    const text = await list({ ...shown, terminal: { ...terminal, width: 24 } }, [body]);
    expect(text).toBe(
      `ID  NAME\n 1  ${'x'.repeat(20)}\n    ${'x'.repeat(10)} yy\n    日本日本日本日本日本\n    日本\n`,
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
      'id: 1201\nstatus: success\n\nid: 9\nstatus: failed\n\nid: 3\nstatus: -\n',
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
      { path: 'commit.id', kind: 'text' },
      { path: 'lines', kind: 'lines' },
    ],
  } as const;

  test('are printed below each other on a terminal, with commit ids shortened if necessary', async () => {
    expect(await list({ ...given, terminal: { ...terminal, width: 30 } }, [blame])).toBe(`\
ID        LINES
aaaaaaaa  {
            one

bbbbbbbb  two x
cccccccc  -
`);
    expect(await list({ ...given, terminal }, [blame])).toContain(`\n${sha('a')}  {\n`);
  });

  test('are separate rows in a pipe, for grep', async () => {
    expect(await list(given, [blame])).toBe(`\
COMMIT.ID                                 LINES
${sha('a')}  {
${sha('a')}    one
${sha('a')}  
${sha('b')}  two x
${sha('c')}  -
`);
  });

  test('accessible: are printed below their name', async () => {
    const shown = { ...given, fields: ['lines'], terminal: { ...terminal, accessible: true } };
    expect(await list(shown, ['[{"lines":["a","b"]},{"lines":["c"]}]'])).toBe(
      'lines:\n  a\n  b\n\nlines: c\n',
    );
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

  test('lose their prefix if space is short and the rest is unique', async () => {
    const at = (width: number) => list({ format: 'table', fields, terminal: { ...terminal, width } }, [row]);
    expect((await at(100)).split('\n')[0]).toBe('ID  PIPELINE.ID  PIPELINE.STATUS  AUTHOR.USERNAME  TITLE');
    expect((await at(62)).split('\n')[0]).toBe('ID  PIPELINE.ID  STATUS   USERNAME  TITLE');
    expect((await at(54)).split('\n')[0]).toBe('ID  …LINE.ID  STATUS   USERNAME  TITLE');
  });
});

describe('numbers', () => {
  test('do not include empty columns', async () => {
    const body = '[{"name":"a","project":null,"count":1},{"name":"b","project":null,"count":null}]';
    expect(await list({ format: 'table', terminal }, [body])).toBe(
      'NAME  PROJECT  COUNT\na     -            1\nb     -            -\n',
    );
  });

  test('are printed without rounding errors; exact numbers are unchanged', async () => {
    const body = '[{"a":0.10200000000000001,"b":9007199254740993,"c":414.003}]';
    expect(await list({ format: 'table' }, [body])).toBe(
      'A      B                 C\n0.102  9007199254740993  414.003\n',
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
id:                 7
status:             success
finished_at:        2026-05-01T10:00:00Z
web_url:            http://x
message:            one two
commit.id:          f00
commit.author.name: A
commit.parents:     -
tags:               a, b
files.0.path:       x
files.1.path:       y
empty:              -
`);
  });

  test('on a terminal: texts keep their lines, and times are both relative and exact', async () => {
    const shown = {
      format: 'table',
      columns,
      terminal,
      time: 'relative',
      fields: ['message', 'finished_at'],
    } as const;
    expect(await object(shown, body)).toBe(`\
message:     one
             two
finished_at: 3 hours ago (2026-05-01T10:00:00Z)
`);
  });

  test('with fields: prints only these, even if missing', async () => {
    expect(await object({ format: 'table', columns, fields: ['tags', 'nope', 'commit.author'] }, body)).toBe(
      'tags:               a, b\nnope:               -\ncommit.author.name: A\n',
    );
  });

  test('does not repeat a column of a nested part', async () => {
    const given: readonly Column[] = [{ path: 'commit.id', kind: 'text' }];
    expect(await object({ format: 'table', columns: given }, '{"commit":{"id":1,"x":2}}')).toBe(
      'commit.id: 1\ncommit.x:  2\n',
    );
  });

  test('on a terminal: nested parts follow the simple fields, each under its name', async () => {
    const given: readonly Column[] = [
      { path: 'commit.author.name', kind: 'text' },
      { path: 'commit.short', kind: 'text' },
      { path: 'id', kind: 'number' },
    ];
    const value = JSON.stringify({
      web_url: 'http://x',
      id: 7,
      commit: { id: 'f00', author: { mail: 'a@b', name: 'A' }, short: 'f' },
      none: {},
      files: [
        { path: 'x', size: 1 },
        { path: 'y', lines: [['p'], ['q']] },
      ],
    });
    expect(await object({ format: 'table', columns: given, terminal }, value)).toBe(`\
id:      7
web_url: http://x
commit:
  short: f
  id:    f00
  author:
    name: A
    mail: a@b
files:
  - path: x
    size: 1
  - path: y
    lines:
      - ["p"]
      - ["q"]
`);
    expect(
      await object({ format: 'table', columns: given, terminal, fields: ['commit.author', 'id'] }, value),
    ).toBe('commit.author:\n  mail: a@b\n  name: A\nid: 7\n');
  });

  test('on a terminal: wraps long texts but not long words', async () => {
    const url = `http://x/${'y'.repeat(60)}`;
    const value = JSON.stringify({ text: 'one two three four five six seven', url, end: 'line\n\n' });
    expect(await object({ format: 'table', terminal: { ...terminal, width: 30 } }, value)).toBe(
      `text: one two three four five\n      six seven\nurl:  ${url}\nend:  line\n`,
    );
  });

  test('on a terminal: clips a base64 file; elsewhere it is complete', async () => {
    const value = JSON.stringify({ content: 'QUJD'.repeat(1000) });
    const wide = { format: 'table', terminal: { ...terminal, width: 80 } } as const;
    expect(await object(wide, value)).toMatch(
      /^content: (QUJD)+[QUJ]*\.\.\. \(4000 characters; use -o json for all\)\n$/,
    );
    expect((await object(wide, value)).trimEnd().length).toBeLessThanOrEqual(80);
    const key = 'k'.repeat(600);
    expect(await object(wide, JSON.stringify({ key }))).toBe(`key: ${key}\n`);
    expect(await object({ format: 'table' }, value)).toContain('QUJD'.repeat(1000));
  });

  test('hides values that were entered hidden', async () => {
    const value = '{"key":"K","value":"s3cret"}';
    const unseen = ['value', 'other'];
    expect(await object({ format: 'table', unseen, terminal }, value)).toBe('key:   K\nvalue: (hidden)\n');
    expect(await object({ format: 'json', unseen }, value)).toContain('s3cret');
  });

  test('on a terminal: hides empty fields, unless all fields are requested', async () => {
    const value = JSON.stringify({ id: 7, flag: false, none: null, text: '', list: [], object: { a: null } });
    const shown = { format: 'table', terminal } as const;
    expect(await object(shown, value)).toBe('id:   7\nflag: false\n');
    expect((await object({ ...shown, allFields: true }, value)).split('\n')).toHaveLength(8);
    expect((await object({ format: 'table' }, value)).split('\n')).toHaveLength(7);
    expect(await object(shown, '{"none":null}')).toBe('none: -\n');
  });

  test('accessible: uses a colon, a space and dotted names', async () => {
    const given = { format: 'table', terminal: { ...terminal, accessible: true } } as const;
    expect(await object(given, '{"a":{"b":1,"c":[{"d":"x\\ny\\n"}]}}')).toBe('a.b: 1\na.c.0.d: x\ny\n');
  });

  test('accessible: aligns nothing', async () => {
    const shown = { format: 'table', columns: [], terminal: { ...terminal, accessible: true } } as const;
    expect(await object(shown, '{"id":1,"longer":2}')).toBe('id: 1\nlonger: 2\n');
  });

  test('prints other values unchanged', async () => {
    expect(await object({ format: 'table' }, '"a\\u001b[1mb"')).toBe('ab\n');
    expect(await object({ format: 'table' }, '12.50')).toBe('12.50\n');
    expect(await object({ format: 'table', columns: [] }, '[{"a":1}]')).toBe('A\n1\n');
  });
});
