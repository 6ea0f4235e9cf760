import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { renameFile, renameFileSync } from '../../src/support/system/rename.ts';

/** A rename that fails a number of times, and the waits between the attempts. */
function failing(times: number, code: string) {
  const waits: number[] = [];
  let attempts = 0;
  const rename = () => {
    attempts += 1;
    if (attempts <= times) throw Object.assign(new Error(code), { code });
  };
  const wait = (milliseconds: number) => void waits.push(milliseconds);
  return {
    waits,
    attempts: () => attempts,
    run: async (platform: NodeJS.Platform) => renameFileSync('a', 'b', { platform, rename, wait }),
  };
}

describe('renameFileSync', () => {
  const run = (made: ReturnType<typeof failing>, platform: NodeJS.Platform) => made.run(platform);

  test.each(['EPERM', 'EACCES', 'EBUSY'])(
    'on Windows, tries again while %s says that the file is open',
    async (code) => {
      const made = failing(3, code);
      await run(made, 'win32');
      expect([made.attempts(), made.waits]).toEqual([4, [10, 20, 40]]);
    },
  );

  test('gives up after about a second', async () => {
    const made = failing(Number.POSITIVE_INFINITY, 'EPERM');
    await expect(run(made, 'win32')).rejects.toThrow('EPERM');
    const total = made.waits.reduce((sum, one) => sum + one, 0);
    expect(total).toBeGreaterThan(900);
    expect(total).toBeLessThan(2_000);
  });

  test('on Windows, reports other errors at once', async () => {
    const made = failing(1, 'ENOENT');
    await expect(run(made, 'win32')).rejects.toThrow('ENOENT');
    expect(made.attempts()).toBe(1);
  });

  test.each(['linux', 'darwin'] as const)('on %s, EPERM is final', async (platform) => {
    const made = failing(1, 'EPERM');
    await expect(run(made, platform)).rejects.toThrow('EPERM');
    expect([made.attempts(), made.waits]).toEqual([1, []]);
  });
});

test('replaces a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-rename-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  for (const rename of [renameFile, async (...paths: [string, string]) => renameFileSync(...paths)]) {
    await writeFile(from, 'new');
    await writeFile(to, 'old');
    await rename(from, to);
    expect(await readFile(to, 'utf8')).toBe('new');
  }
});
