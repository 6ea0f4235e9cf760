import { expect, test } from 'vitest';
import { Measure } from '../../src/output/table/width.ts';
import { wrapWords } from '../../src/output/table/wrap.ts';

const family = '👨‍👩‍👧‍👦';

test('measures, cuts and wraps 60,000 wide characters', async () => {
  const measure = new Measure();
  const text = '漢'.repeat(60_000);
  await measure.prepare([text]);
  expect(measure.width(text)).toBe(120_000);
  expect(measure.cut(text, 80, '…')).toBe(`${'漢'.repeat(39)}…`);
  expect(wrapWords(text, 80, measure, 'split')).toHaveLength(1_500);
});

test('does not split a character of several code points', async () => {
  const measure = new Measure();
  await measure.prepare([family]);
  const text = `${'a'.repeat(1_020)}${family.repeat(100)}`;
  expect(measure.width(text)).toBe(1_220);
  expect(measure.cut(text, 1_023, '…')).toBe(`${'a'.repeat(1_020)}${family}…`);
  expect(measure.cut(family, 2, '…')).toBe(family);
  expect(measure.cut(family, 1, '…')).toBe('…');
});
