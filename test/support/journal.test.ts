import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { appendTo, completeLines } from '../../src/support/journal.ts';
import { folderWith } from './folders.ts';

async function openFile(content: string) {
  const dir = await folderWith();
  const path = join(dir, 'journal');
  await writeFile(path, content);
  return { handle: await open(path, 'a'), text: () => readFile(path, 'utf8') };
}

test('reads complete lines, and their length', () => {
  const { lines, end } = completeLines(Buffer.from('one\n\nthr€e\nhalf'));
  expect([lines.map(String), end]).toEqual([['one', '', 'thr€e'], 13]);
  expect(completeLines(Buffer.from('half'))).toEqual({ lines: [], end: 0 });
  expect(completeLines(Buffer.from('\nhalf'))).toEqual({ lines: [Buffer.of()], end: 1 });
});

test('appends in order, and flushes lines of one turn together', async () => {
  const { handle, text } = await openFile('one\n');
  const flush = vi.spyOn(handle, 'datasync');
  const appender = appendTo(handle);
  await Promise.all([appender.append('two\n', false), appender.append('three\n')]);
  expect([await text(), flush.mock.calls.length]).toEqual(['one\ntwo\nthree\n', 1]);
  await appender.append('four\n', false);
  expect(flush).toHaveBeenCalledTimes(1);
  void appender.append('five\n', false);
  await appender.close();
  expect(await text()).toBe('one\ntwo\nthree\nfour\nfive\n');
});

test('cuts off a part of a line before the first write, and not before', async () => {
  const { handle, text } = await openFile('one\nha');
  const appender = appendTo(handle, 4);
  expect(await text()).toBe('one\nha');
  await appender.append('two\n');
  await appender.append('three\n');
  expect(await text()).toBe('one\ntwo\nthree\n');
  await appender.close();
});

test('fails every write after an error', async () => {
  const { handle, text } = await openFile('');
  vi.spyOn(handle, 'datasync').mockRejectedValueOnce(new Error('no space'));
  const appender = appendTo(handle);
  await expect(appender.append('one\n')).rejects.toThrow('no space');
  await expect(appender.append('two\n')).rejects.toThrow('no space');
  await expect(appender.close()).rejects.toThrow('no space');
  expect(await text()).toBe('one\n');
});
