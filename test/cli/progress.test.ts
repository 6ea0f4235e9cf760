import { describe, expect, test } from 'vitest';
import { sizeOf } from '../../src/cli/terminal/progress.ts';

describe('sizes', () => {
  test.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1536, '1.5 KiB'],
    [314_572_800, '300.0 MiB'],
    [2 ** 50, '1024.0 TiB'],
  ])('%d bytes are %s', (bytes, text) => expect(sizeOf(bytes)).toBe(text));
});
