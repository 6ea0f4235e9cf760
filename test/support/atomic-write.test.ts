import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { replaceFile, replaceFileSync } from '../../src/support/atomic-write.ts';
import { folderWith } from './folders.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await folderWith();
  file = join(folder, 'state.json');
  await writeFile(file, 'old');
});

const content = () => readFile(file, 'utf8');

test('replaces a file with what the callback writes, and returns its result', async () => {
  const result = await replaceFile(file, async (handle) => {
    await handle.writeFile('new');
    expect(await content()).toBe('old');
    return 42;
  });
  expect([result, await content(), await readdir(folder)]).toEqual([42, 'new', ['state.json']]);
});

test.each([
  ['the write', { write: () => Promise.reject(new Error('broken')) }],
  ['the move', { place: () => Promise.reject(new Error('broken')) }],
])('keeps the old file and no temporary file if %s fails', async (_step, step) => {
  const {
    write = (handle: { writeFile(text: string): Promise<void> }) => handle.writeFile('half'),
    ...rest
  } = step as { write?: () => Promise<void>; place?: () => Promise<void> };
  await expect(replaceFile(file, write, rest)).rejects.toThrow('broken');
  expect([await content(), await readdir(folder)]).toEqual(['old', ['state.json']]);
});

test('completes all replacements at the same time', async () => {
  const texts = Array.from({ length: 20 }, (_, at) => String(at).repeat(10_000));
  await Promise.all(texts.map((text) => replaceFile(file, (handle) => handle.writeFile(text))));
  expect(texts).toContain(await content());
  expect(await readdir(folder)).toEqual(['state.json']);
});

test.skipIf(process.platform === 'win32')('does not write through a planted link', async () => {
  const draft = join(folder, 'draft');
  await symlink(file, draft);
  await expect(replaceFile(file, (handle) => handle.writeFile('new'), { draft })).rejects.toThrow('EEXIST');
  expect(await content()).toBe('old');
});

test.skipIf(process.platform === 'win32')('creates private files by default', async () => {
  await replaceFile(join(folder, 'a'), (handle) => handle.writeFile('new'), { durable: true });
  replaceFileSync(join(folder, 'b'), 'new');
  for (const name of ['a', 'b']) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

test('keeps the old file and no temporary file if a synchronous move fails', async () => {
  const target = join(folder, 'full');
  await mkdir(join(target, 'inside'), { recursive: true });
  expect(() => replaceFileSync(target, 'new')).toThrow();
  expect((await readdir(folder)).sort()).toEqual(['full', 'state.json']);
});
