import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { acquireLock } from '../../src/support/waiting/lock.ts';
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
