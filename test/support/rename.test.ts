import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import { renameFileSync } from '../../src/support/atomic-write.ts';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

function fail(times: number, code: string) {
  const rename = vi.spyOn(fs, 'renameSync').mockImplementation(() => {});
  for (let at = 0; at < times; at++)
    rename.mockImplementationOnce(() => {
      throw Object.assign(new Error(code), { code });
    });
  syncBuiltinESMExports();
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
