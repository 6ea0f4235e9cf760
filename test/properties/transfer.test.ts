import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { safeFileName } from '../../src/support/system/file-name.ts';
import { forAll } from '../support/runs.ts';

it('returns a visible name in the folder with a limited length', () => {
  const nasty = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'./\\ :*~\u0000\n\u202E'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
  });
  forAll(fc.oneof(nasty, fc.string({ minLength: 250, maxLength: 400 })), (name) => {
    const safe = safeFileName(name);
    if (safe === undefined) return;
    expect(join('/folder', safe)).toBe(`/folder/${safe}`);
    expect(safe).not.toMatch(/^\.|[/\\\u0000-\u001f\u007f]/);
    expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(201);
    expect(safeFileName(safe)).toBe(safe);
  });
});
