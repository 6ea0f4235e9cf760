import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { renameFileSync } from '../../src/support/atomic-write.ts';

afterEach(() => vi.restoreAllMocks());

/** Let the rename fail a number of times. */
function fail(times: number, code: string) {
  const rename = vi.spyOn(fs, 'renameSync').mockImplementation(() => {});
  for (let at = 0; at < times; at++)
    rename.mockImplementationOnce(() => {
      throw Object.assign(new Error(code), { code });
    });
  return rename;
}

test.each(['EPERM', 'EACCES', 'EBUSY'])('tries again while %s reports that the file is open', (code) => {
  const rename = fail(3, code);
  renameFileSync('a', 'b', 640);
  expect(rename).toHaveBeenCalledTimes(4);
});

test('gives up after the longest wait', () => {
  fail(9, 'EPERM');
  expect(() => renameFileSync('a', 'b', 20)).toThrow('EPERM');
});

test.each([
  ['ENOENT', 640],
  ['EPERM', 0],
])('reports %s at once with a longest wait of %d ms', (code, longest) => {
  const rename = fail(1, code);
  expect(() => renameFileSync('a', 'b', longest)).toThrow(code);
  expect(rename).toHaveBeenCalledTimes(1);
});

test('replaces a file', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'svc-rename-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  fs.writeFileSync(from, 'new');
  fs.writeFileSync(to, 'old');
  renameFileSync(from, to);
  expect(fs.readFileSync(to, 'utf8')).toBe('new');
});
