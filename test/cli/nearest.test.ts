import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest, suggest } from '../../src/support/suggest.ts';

const statuses = ['created', 'pending', 'running', 'failed', 'success', 'canceled', 'skipped'];

describe('nearest', () => {
  test.each([
    ['faild', ['failed']],
    ['fialed', ['failed']],
    ['Running', ['running']],
    ['sucess', ['success']],
    ['canceled', ['canceled']],
    ['xyz', []],
    ['', []],
  ])('%s', (word, wanted) => expect(nearest(word, statuses)).toEqual(wanted));

  test('several that are as near, in their order', () => {
    expect(nearest('cat', ['car', 'dog', 'bat'])).toEqual(['car', 'bat']);
  });

  test('a word that is known is its own nearest', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (known) => {
        const [word = ''] = known;
        expect(nearest(word, known)).toContain(word);
      }),
    );
  });

  test('one letter more, less or other of a word of four and more leads back to it', () => {
    const slips = fc
      .tuple(fc.stringMatching(/^[a-z]{4,12}$/), fc.nat(), fc.constantFrom('', 'q', 'qq'))
      .map(([word, at, by]) => {
        const cut = at % word.length;
        return [word, word.slice(0, cut) + by + word.slice(cut + 1)] as const;
      });
    fc.assert(
      fc.property(slips, ([word, slip]) => {
        expect(nearest(slip, [word])).toEqual([word]);
      }),
    );
  });
});

test('suggest is silent where nothing comes near', () => {
  expect(suggest('jsn', ['table', 'json', 'ndjson'])).toEqual(['Did you mean json?']);
  expect(suggest('cat', ['car', 'bat'])).toEqual(['Did you mean one of car, bat?']);
  expect(suggest('pdf', ['table', 'json'])).toEqual([]);
});
