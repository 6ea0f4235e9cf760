import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPieces, type Value } from '../../src/spec/request.ts';
import { jsonText } from '../../src/support/json.ts';
import { runs } from '../support/runs.ts';

const joined = (value: Value) => [...jsonPieces(value)].join('');

test('the pieces of any value form its JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(joined(value as Value)).toBe(jsonText(value as Value));
    }),
    { numRuns: runs },
  );
});
