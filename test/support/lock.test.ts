import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { acquireLock, LockTimeout } from '../../src/support/waiting/lock.ts';
import { folderWith } from './folders.ts';

let folder: string;
beforeEach(async () => {
  folder = await folderWith();
});

test('a lock that is released removes the guard of a process that was killed, and no other', async () => {
  const path = join(folder, 'file.lock');
  const guard = `${path}.guard`;
  writeFileSync(guard, '1 id namespace');
  (await acquireLock(path)).release();
  expect(existsSync(guard)).toBe(true);
  const old = new Date(Date.now() - 60_000);
  utimesSync(guard, old, old);
  (await acquireLock(path)).release();
  expect([existsSync(guard), existsSync(path)]).toEqual([false, false]);
});

test('takes over a lock that a killed process left empty after a second, and one with content after ten', async () => {
  const path = join(folder, 'file.lock');
  const leave = (content: string, seconds: number) => {
    writeFileSync(path, content);
    const old = new Date(Date.now() - seconds * 1000);
    utimesSync(path, old, old);
  };
  // A process of another container, of which it is not known whether it has ended.
  const other = '1 id another-namespace';
  for (const [content, seconds] of [['', 0.2] as const, [other, 3] as const]) {
    leave(content, seconds);
    await expect(acquireLock(path, 0)).rejects.toBeInstanceOf(LockTimeout);
  }
  for (const [content, seconds] of [['', 3] as const, [other, 12] as const]) {
    leave(content, seconds);
    (await acquireLock(path, 0)).release();
  }
});
