import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from '../../src/support/suggest.ts';
import { forAll } from '../support/runs.ts';

test('returns a known word itself', () => {
  forAll(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (known) => {
    const [word = ''] = known;
    expect(nearest(word, known)).toContain(word);
  });
});

test('finds a word of four or more letters with one letter added, removed or changed', () => {
  const slips = fc
    .tuple(fc.stringMatching(/^[a-z]{4,12}$/), fc.nat(), fc.constantFrom('', 'q', 'qq'))
    .map(([word, at, by]) => {
      const cut = at % word.length;
      return [word, word.slice(0, cut) + by + word.slice(cut + 1)] as const;
    });
  forAll(slips, ([word, slip]) => {
    expect(nearest(slip, [word])).toEqual([word]);
  });
});
