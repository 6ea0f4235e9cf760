import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpError } from '../../src/sandbox/core/http-error.ts';
import { urlencodedValues } from '../../src/sandbox/core/request/body.ts';
import { json, read } from '../sandbox/read.ts';
import { forAll, forAllAsync } from '../support/runs.ts';

describe('any text', () => {
  const word = fc.string({ unit: 'binary', minLength: 1 }).filter((value) => value.isWellFormed());

  test('is unchanged in a query and in JSON', async () => {
    await forAllAsync(word, async (value) => {
      const labels = [value, `${value}!`];
      const query = labels.map((label) => `labels[]=${encodeURIComponent(label)}`).join('&');
      expect(await read(`?${query}`)).toEqual({ labels });
      expect(await json({ labels })).toEqual({ labels });
    });
  });

  test('never throws as name of a form field', () => {
    const piece = fc.constantFrom('a', 'b', '[', ']', '[]', '[0]', '[a]', '__proto__', '%', '.');
    const name = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
    forAll(fc.array(fc.tuple(name, fc.string()), { maxLength: 6 }), (pairs) => {
      try {
        urlencodedValues(new URLSearchParams(pairs).toString());
      } catch (error) {
        expect(error).toBeInstanceOf(HttpError);
      }
      expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
    });
  });
});
