import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { boundary, Scanner } from '../../src/output/json/scanner.ts';
import { jsonText, numberText } from '../output/arbitraries.ts';
import { runs } from '../support/runs.ts';

interface Found {
  readonly rows: readonly string[];
  readonly inexact: readonly boolean[];
  readonly multiline: readonly boolean[];
}

/** Small chunks split every token; large chunks use the fast path. */
const chunkSize = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(16, 40, 65_536));

/** Return the rows that a scanner finds in a text in chunks of one size. */
function scan(shape: 'list' | 'value', text: string | Uint8Array, size = 65_536): Found {
  const bytes = Buffer.from(text);
  const scanner = new Scanner(shape);
  const rows: string[] = [];
  const inexact: boolean[] = [];
  const multiline: boolean[] = [];
  let start = -1;
  const end = (at: number): void => {
    rows.push(bytes.toString('utf8', start, at));
    inexact.push(scanner.inexact);
    multiline.push(scanner.multiline);
  };
  for (let at = 0; at < bytes.length; at += size) {
    scanner.feed(bytes.subarray(at, at + size));
    for (let found = scanner.next(); found !== boundary.more; found = scanner.next()) {
      if (found === boundary.start) start = at + scanner.at;
      else end(at + scanner.at);
    }
  }
  if (scanner.finish()) end(bytes.length);
  return { rows, inexact, multiline };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

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
