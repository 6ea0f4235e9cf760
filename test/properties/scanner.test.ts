import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { jsonText, numberText } from '../output/arbitraries.ts';
import { isJson, scan } from '../output/scan.ts';
import { runs } from '../support/runs.ts';

/** Small chunks split every token; large chunks use the fast path. */
const chunkSize = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(16, 40, 65_536));

describe('validation', () => {
  test('agrees with JSON.parse on texts with one changed byte for any chunk boundaries', () => {
    const changed = fc.tuple(
      jsonText,
      fc.nat(),
      fc.constantFrom(...'{}[]":,\\ 0-.eE+tnu\n\u0001x'),
      fc.constantFrom('replace', 'insert', 'remove', 'leave'),
      chunkSize,
    );
    fc.assert(
      fc.property(changed, ([json, place, char, how, size]) => {
        const at = place % (json.length + 1);
        const put = how === 'remove' ? '' : char;
        const text =
          how === 'leave' ? json : json.slice(0, at) + put + json.slice(how === 'insert' ? at : at + 1);
        const valid = isJson(text);
        let accepted = true;
        try {
          expect(scan('value', text, size).rows).toHaveLength(1);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          accepted = false;
        }
        expect(accepted).toBe(valid);
      }),
      { numRuns: runs },
    );
  });
});

describe('rows', () => {
  test('are the bytes of the items for any chunk boundaries', () => {
    fc.assert(
      fc.property(fc.array(jsonText, { maxLength: 5 }), chunkSize, (items, size) => {
        expect(scan('list', `\ufeff [ ${items.join(' ,\n')}\t] `, size).rows).toEqual(items);
      }),
      { numRuns: runs },
    );
  });
});

describe('numbers', () => {
  test('reports every inexact number', () => {
    fc.assert(
      fc.property(numberText, chunkSize, (text, size) => {
        const [inexact] = scan('value', `{"a":{"n":${text},"b":1}}`, size).inexact;
        expect(inexact || JSON.stringify(JSON.parse(text)) === text).toBe(true);
      }),
      { numRuns: runs },
    );
  });
});
