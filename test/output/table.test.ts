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
    const escapes = JSON.stringify([{ a: '\u001b[31m', b: 'x' }]);
    expect(await list({ format: 'table' }, [escapes])).toBe('A  B\n-  x\n');
  });

  test('prints rows that are not objects as values; prints nothing for an empty list', async () => {
    expect(await list({ format: 'table', columns }, ['["a",12,null]'])).toBe('VALUE\na\n12\n-\n');
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

  test('90 columns: abbreviates times before texts become hard to read', async () => {
    expect(await list({ ...options, ...at(90) }, [rows])).toBe(`\
ID    STATUS   NAME                                     REF                       FINISHED
1201  success  compile for every platform that we know  feature/a-long-branch-n…  3h ago
9     failed   日本語のテスト                           main
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
      const text = await list({ format: 'table', columns: given, ...at(width) }, [body]);
      const [header = '', row] = text.split('\n');
      const more = width >= 80 ? ['AUTHOR OF IT'] : [];
      expect(header.split(/ {2,}/)).toEqual(['NAME', 'LAST COMMIT', ...more]);
      expect(row).toContain(`release/2026-05-with-a-long-name  ${'x'.repeat(20)}`);
    }
  });

  test('drops columns without a value first', async () => {
    const body =
      '[{"id":1,"status":"success","name":"a name of the job","ref":"a ref for it","finished_at":null}]';
    const header = async (width: number) => (await list({ ...options, ...at(width) }, [body])).split('\n')[0];
    expect(await header(54)).toBe('ID  STATUS   NAME               REF           FINISHED');
    expect(await header(45)).toBe('ID  STATUS   NAME               REF');
  });

  test('keeps every column of --fields, as long as it can', async () => {
    const fields = columns.map(({ path }) => path);
    const text = await list({ ...options, fields, ...at(50) }, [rows]);
    expect(text.split('\n')[0]).toBe('ID    STATUS   NAME             REF       FINISHED');
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(50);
  });

  test('widens the columns for cells of later pages, as far as the line has room', async () => {
    const pages = [
      '[{"id":1,"status":"failed","name":"a","ref":"main"}]',
      '[{"id":2,"status":"waiting_for_resource","name":"compile","ref":"main"}]',
      '[{"id":3,"status":"failed","name":"b","ref":"main"}]',
    ];
    const given = { ...options, columns: columns.slice(0, 4) };
    expect(await list({ ...given, ...at(60) }, pages)).toBe(`\
ID  STATUS  NAME  REF
1   failed  a     main
2   waiting_for_resource  compile  main
3   failed                b        main
`);
    const narrow = (await list({ ...given, ...at(25) }, pages)).split('\n');
    expect(narrow[2]).toBe('2   waiti…  compile  main');
  });

  test('abbreviates the times of later pages before it cuts other cells', async () => {
    const given = { ...options, columns: [columns[0]!, columns[2]!, columns[4]!], time: 'relative' } as const;
    const pages = [
      '[{"id":1,"name":"build"}]',
      '[{"id":2,"name":"compile","finished_at":"2026-05-01T10:00:00Z"}]',
    ];
    expect(await list({ ...given, ...at(22) }, pages)).toBe(
      'ID  NAME   FINISHED\n1   build\n2   compile  3h ago\n',
    );
  });

  test('no line of a later page exceeds the terminal', async () => {
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

  test('accessible: one field per line, a blank line between rows, no color', async () => {
    const accessible = { ...terminal, accessible: true };
    const shown = {
      format: 'table',
      fields: ['id', 'status'],
      columns,
      color: true,
      terminal: accessible,
    } as const;
    expect(await list(shown, [rows, '[{"id":3}]'])).toBe(
      'ID: 1201\nStatus: success\n\nID: 9\nStatus: failed\n\nID: 3\nStatus: none\n',
    );
  });
});

test('accessible: lines of text are printed below their name', async () => {
  const shown = {
    format: 'table',
    columns: [{ path: 'lines', label: 'LINE', kind: 'lines' }],
    terminal: { ...terminal, accessible: true },
  } as const;
  expect(await list(shown, ['[{"lines":["a","b"]},{"lines":["c"]}]'])).toBe('Line:\n  a\n  b\n\nLine: c\n');
});

describe('headers', () => {
  const pipeline = { id: 12, status: 'running' };
  const row = JSON.stringify([{ id: 1, pipeline, author: { username: 'mia' }, title: 'A title' }]);
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

  test('a share is a percentage with one decimal in a table, and exact in csv', async () => {
    const rates = { columns: [{ path: 'rate', label: 'RATE', kind: 'share' as const }] };
    const rows = ['[{"rate":0.6666666666666666},{"rate":1}]'];
    expect(await list({ format: 'table', ...rates }, rows)).toBe(' RATE\n66.7%\n 100%\n');
    expect(await list({ format: 'csv', ...rates }, rows)).toBe('rate\r\n0.6666666666666666\r\n1\r\n');
  });
});

test('ids and names link to the web page of a row, without a change of widths', async () => {
  const good = 'https://host.example/acme/-/jobs/1?a=b#L-1';
  const names = ['a name that is cut, because it is longer than the line', '日本', 'c', 'd', 'e'];
  const urls = [good, good, 'javascript:alert(1)', `${good}\u0007\u001b]0;x`, 'https://host.example/é'];
  const rows = urls.map((web_url, at) => ({ id: at + 1, name: names[at], stage: 'test', web_url }));
  const shown = { format: 'table', fields: ['id', 'name', 'stage'] } as const;
  const print = (links: boolean) =>
    list({ ...shown, terminal: { ...terminal, width: 40, links } }, [JSON.stringify(rows)]);
  const linked = await print(true);
  expect(linked.split(`\u001b]8;;${good}\u0007`)).toHaveLength(5);
  expect(linked.replace(/\u001b\]8;;[^\u0007]*\u0007/g, '')).toBe(await print(false));
  expect(linked.match(/\u001b\]8;;[^\u0007]+\u0007/g)).toHaveLength(4);
});
