import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeToFile } from '../../src/output/sink.ts';
import { forAll } from '../support/runs.ts';

test('writeToFile continues after partial writes of any size', () => {
  forAll(
    fc.array(fc.uint8Array({ maxLength: 9 })),
    fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
    (pieces, parts) => {
      const written: number[] = [];
      writeToFile(1, pieces, (_, rest) => {
        const part = rest.subarray(0, parts.next().value);
        written.push(...part);
        return part.length;
      });
      expect(written).toEqual([...Buffer.concat(pieces)]);
    },
  );
});
