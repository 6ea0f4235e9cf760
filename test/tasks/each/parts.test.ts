/** The parts of `svc each`, without requests. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Spool } from '../../../src/cli/each/output.ts';
import { inOrder } from '../../../src/support/in-order.ts';
import { fillFrom } from '../../../src/support/placeholders.ts';
import { openJournal } from '../../../src/tasks/each/journal.ts';
import { cellOf, readRows, templateOf } from '../../../src/tasks/each/rows.ts';
import { shardOf } from '../../../src/tasks/each/targets.ts';
import { folderWith } from '../../support/folders.ts';
import { jsonLines } from '../../support/svc.ts';

test('the output of a target is read in order, also what did not fit into memory', async () => {
  const chunks = ['a', 'b', 'c'].map((letter) => letter.repeat(200 * 1024));
  const spool = new Spool();
  expect(spool.isEmpty).toBe(true);
  for (const chunk of chunks) spool.write(chunk);
  expect(spool.isEmpty).toBe(false);
  expect((await spool.text()) === chunks.join('')).toBe(true);
  expect(spool.isEmpty).toBe(true);
});

describe('csv', () => {
  test.each([
    ['a,b\n1,2\n', ['1|2']],
    ['a,b\r\n1,2', ['1|2']],
    ['a,b\r\n1,2\n3,4\r5,6', ['1|2', '3|4', '5|6']],
    ['a,b\n"a,""b""","c;d"\n', ['a,"b"|c;d']],
    ['a,b\na,\n,b\n', ['a|', '|b']],
    ['a\n\n\nb\n', ['b']],
    ['a\n""\n', ['']],
  ])('%j', async (text, expected) => {
    const { rows } = await readRows(text, 'x.csv');
    expect(rows.map((row) => Object.values(row).join('|'))).toEqual(expected);
  });

  test.each(['a\n"b', 'a\n"b"c', 'a\nb"c'])('rejects %j with the line', async (text) => {
    await expect(readRows(text, 'x.csv')).rejects.toThrow('x.csv, line 2: a quote');
  });
});

describe('rows', () => {
  test('reads ndjson by its name and by its content', async () => {
    const text = '{"id":7,"on":true,"name":"a","none":null,"in":{"a":1},"list":["a"]}\n';
    const columns = ['id', 'on', 'name', 'none', 'in', 'list'];
    const rows = { columns, rows: [{ id: '7', on: 'true', name: 'a' }] };
    expect(await readRows(text, 'x.ndjson')).toEqual(rows);
    expect(await readRows(text, 'standard input')).toEqual(rows);
  });

  const numbers = '1 1.0 1.50 1e3 1E+2 -0 1e400 9007199254740993 0.1000000000000000055'.split(' ');
  test.each(numbers)('keeps the digits of the number %s', async (number) => {
    const text = `{"__proto__":"x","a":${number},"constructor":null}\n`;
    const { columns, rows } = await readRows(text, 'x.ndjson');
    expect(columns).toEqual(['__proto__', 'a', 'constructor']);
    expect(Object.entries(rows[0] ?? {}).join(' ')).toBe(`__proto__,x a,${number}`);
  });

  test.each([
    ['a,b\n1\n', 'x.csv, row 1: 1 cell, but 2 columns'],
    ['a,a\n1,2\n', 'x.csv has two columns "a"'],
    [' [{"a":1}]', 'x.csv is a JSON array'],
  ])('rejects csv %j', async (text, message) => {
    await expect(readRows(text, 'x.csv')).rejects.toThrow(message);
  });

  test.each([
    ['[]', 'is not a JSON object'],
    ['{', 'is not valid JSON'],
  ])('rejects ndjson %j', async (text, message) => {
    await expect(readRows(text, 'x.ndjson')).rejects.toThrow(`x.ndjson, row 1`);
    await expect(readRows(text, 'x.ndjson')).rejects.toThrow(message);
  });
});

describe('templates', () => {
  const fill = (word: string, row: Record<string, string>) => {
    const { words, columns } = templateOf([word]);
    return fillFrom(columns.map((column) => cellOf(row, column, Object.keys(row))))(words[0] ?? '');
  };

  test.each([
    ['{a}', 'x'],
    ['@{a}', '@x'],
    ['pre-{a}-{b}', 'pre-x-y'],
    ['{{a}}', '{a}'],
    ['{{{a}}}', '{x}'],
    ['plain', 'plain'],
  ])('%s is %s', (word, filled) => {
    expect(fill(word, { a: 'x', b: 'y' })).toBe(filled);
  });

  test.each(['{', 'a}', '{a', '{c}'])('rejects %s', (word) => {
    expect(() => fill(word, { a: 'x', b: 'y' })).toThrow();
  });

  test('the words contain no value of a row, and a value no placeholder', () => {
    expect(templateOf(['{a}'])).toEqual(templateOf(['{a}']));
    expect(templateOf(['{a}', 'x{b}{a}']).columns).toEqual(['a', 'b', 'a']);
  });
});

test('each target is in exactly one shard', () => {
  const all = Array.from({ length: 23 }, (_, at) => at);
  const shards = Array.from({ length: 10 }, (_, at) => shardOf(all, `${at + 1}/10`));
  expect(shards.flat().sort((a, b) => a - b)).toEqual(all);
  expect(shards[2]).toEqual([2, 12, 22]);
});

describe('order', () => {
  test('delivers in order, runs at most N at a time, and starts none too far ahead', async () => {
    const delivered: number[] = [];
    let running = 0;
    let most = 0;
    let furthest = 0;
    const numbers = Array.from({ length: 40 }, (_, at) => at);
    await inOrder(numbers, {
      concurrency: 5,
      ahead: 8,
      async run(at) {
        running += 1;
        most = Math.max(most, running);
        furthest = Math.max(furthest, at - delivered.length);
        for (let turn = 0; turn < (at === 3 ? 300 : 1 + (at % 7)); turn++) await Promise.resolve();
        running -= 1;
        return at;
      },
      deliver: async (at) => void delivered.push(at),
      isStopped: () => false,
    });
    expect(delivered).toEqual(numbers);
    expect(most).toBe(5);
    expect(furthest).toBeLessThan(8);
  });

  test('after an error, delivers what ended and throws the error', async () => {
    const delivered: number[] = [];
    const run = inOrder([0, 1, 2, 3, 4], {
      concurrency: 2,
      ahead: 8,
      async run(at) {
        if (at === 1) throw new Error('lost');
        return at;
      },
      deliver: async (at) => void delivered.push(at),
      isStopped: () => false,
    });
    await expect(run).rejects.toThrow('lost');
    expect(delivered).toContain(0);
    expect(delivered).not.toContain(4);
  });
});

describe('journal', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await folderWith();
    path = join(folder, 'j.ndjson');
  });
  const open = (resume: boolean, words = ['jobs', 'list'], server = 'http://host') =>
    openJournal(path, { words, server, total: 4, resume, now: () => 0 });

  test('tells how each target ended', async () => {
    const first = await open(false);
    await Promise.all(['a', 'b', 'c', 'd'].map((target) => first.started({ target })));
    first.ended({ target: 'a' }, { exit: 0, uncertain: false });
    first.ended({ target: 'b' }, { exit: 6, uncertain: false });
    first.ended({ target: 'c' }, { exit: 3, uncertain: true });
    await first.close();
    const [, ...lines] = jsonLines(await readFile(path, 'utf8'));
    const states = [...Array(4).fill('started'), 'done', 'failed', 'failed'];
    expect(lines.map(({ state }) => state)).toEqual(states);
    expect(lines[4]).toEqual({ target: 'a', state: 'done', exit: 0, at: '1970-01-01T00:00:00.000Z' });
    const second = await open(true);
    const earlier = [...'abcde'].map((target) => second.earlier({ target }));
    expect(earlier).toEqual(['done', 'failed', 'unknown', 'unknown', undefined]);
    await second.close();
  });

  test('drops a line that was cut, and rejects one that is damaged', async () => {
    const journal = await open(false);
    await journal.started({ target: 'a' });
    await journal.close();
    await appendFile(path, '{"target":"a","sta');
    const again = await open(true);
    again.ended({ target: 'a' }, { exit: 0, uncertain: false });
    await again.close();
    const states = jsonLines(await readFile(path, 'utf8')).map((line) => line.state);
    expect(states).toEqual([undefined, 'started', undefined, 'done']);
    await appendFile(path, 'no\n');
    await expect(open(true)).rejects.toThrow('line 5 is not a line of a journal');
  });

  test.each([
    'my only copy',
    '{"name":"package"}',
    '{"target":"a","state":"started","at":"1970-01-01T00:00:00.000Z"}',
    'a note\n',
    '{"target":"a","state":"done"}\n',
    '{"target":"a","state":"done"}\nmy only copy',
    '\n',
    '\nmy only copy',
  ])('rejects and keeps the file %j, which is not a journal', async (text) => {
    await writeFile(path, text);
    await expect(open(true)).rejects.toMatchObject({ kind: 'usage' });
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('belongs to one command and one process, and is not overwritten', async () => {
    const words = ['variables', 'set', 'A', 'secret'];
    const journal = await open(false, words);
    await journal.started({ target: 'a' });
    await expect(open(true)).rejects.toThrow('is in use by process');
    await journal.close();
    expect(await readFile(path, 'utf8')).not.toContain('secret');
    await expect(open(true)).rejects.toThrow('belongs to another command');
    await expect(open(true, words, 'http://other')).rejects.toThrow('is of http://host, not http://other');
    await expect(open(false)).rejects.toThrow('exists already');
    await writeFile(path, '');
    await (await open(false)).close();
  });

  // Only root can create a device.
  test.skipIf(!existsSync('/dev/full') || process.getuid?.() !== 0)(
    'reports a full disk once, and writes nothing after a part of a line',
    async () => {
      execFileSync('mknod', [path, 'c', '1', '7']);
      const journal = await open(false);
      const message = `cannot use the journal ${path}: the disk is full`;
      await expect(journal.started({ target: 'a' })).rejects.toThrow(message);
      journal.ended({ target: 'a' }, { exit: 0, uncertain: false });
      await expect(journal.started({ target: 'b' })).rejects.toThrow('the disk is full');
      await expect(journal.close()).rejects.toThrow('the disk is full');
      // The lock is free.
      await rm(path);
      await (await open(false)).close();
    },
  );

  test('starts no target after another process took over', async () => {
    const journal = await open(false);
    await rm(`${path}.lock`);
    await expect(journal.started({ target: 'a' })).rejects.toThrow('another process took over the journal');
    await journal.close();
    expect(await readFile(path, 'utf8')).toBe('');
  });
});
