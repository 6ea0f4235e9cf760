import { describe, expect, test } from 'vitest';
import type { Column } from '../../src/support/column.ts';
import { object, terminal } from './print.ts';

const columns: readonly Column[] = [
  { path: 'id', label: 'ID', kind: 'id' },
  { path: 'status', label: 'STATUS', kind: 'state' },
  { path: 'finished_at', label: 'FINISHED', kind: 'time' },
];

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

  test('on a terminal: times are both relative and exact; with fields: prints only these, even if missing', async () => {
    const shown = { format: 'table', columns, terminal, time: 'relative', fields: ['finished_at'] } as const;
    expect(await object(shown, body)).toBe('Finished: 3 hours ago (2026-05-01T10:00:00Z)\n');
    expect(await object({ format: 'table', columns, fields: ['tags', 'nope', 'commit.author'] }, body)).toBe(
      'Tags: a, b\nNope: -\ncommit.author:\n  Name: A\n',
    );
  });

  test('a list of objects is a small table; on a terminal it fits, and cuts no URL', async () => {
    const common = { bio: null, url: `http://x/${'y'.repeat(40)}` };
    const user = (id: number, name: string) => ({ id, name, admin: id === 2, ...common });
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

  test('the names in a small table stay longer than its URLs', async () => {
    const user = (username: string) => ({
      id: 1,
      username,
      name: username,
      avatar_url: `http://x/${username}`,
    });
    const value = JSON.stringify({ users: [user('olivia.okafor')] });
    expect(await object({ format: 'table', terminal: { ...terminal, width: 42 } }, value)).toBe(`\
Users:
  ID  USERNAME       NAME
  1   olivia.okafor  olivia.okafor
`);
  });

  test('a list of objects with nested lists has an item for each', async () => {
    const value = '{"files":[{"path":"x","size":1},{"path":"y","lines":[["p"]]}]}';
    expect(await object({ format: 'table' }, value)).toBe(
      'Files:\n  - Path: x\n    Size: 1 B\n  - Path: y\n    Lines:\n      - ["p"]\n',
    );
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

  test('a value that is never returned is marked as hidden', async () => {
    const hiddenBy = (key: string) => (key === 'value' ? 'hidden' : undefined);
    const shown = (value: object, extra: object = {}) =>
      object({ format: 'table', hiddenBy, terminal, ...extra }, JSON.stringify(value));
    expect(await shown({ value: null, hidden: true })).toBe('Value:  (hidden)\nHidden: yes\n');
    expect(await shown({ value: null, hidden: false }, { allFields: true })).toBe(
      'Value:  null\nHidden: no\n',
    );
    expect(await shown({ value: null, hidden: true }, { format: 'csv' })).toBe('value,hidden\r\n,true\r\n');
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

  test('prints other values unchanged', async () => {
    expect(await object({ format: 'table' }, '"a\\u001b[1mb"')).toBe('ab\n');
    expect(await object({ format: 'table' }, '12.50')).toBe('12.50\n');
    expect(await object({ format: 'table', columns: [] }, '[{"a":1}]')).toBe('A\n1\n');
  });
});
