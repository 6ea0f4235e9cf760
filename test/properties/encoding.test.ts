import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, type Value } from '../../src/spec/request.ts';
import { jsonText } from '../../src/support/json.ts';
import { forAll } from '../support/runs.ts';

/** Any Unicode text of all planes. */
const anyText = fc.string({ unit: 'binary' });

describe('encode', () => {
  it('is reversed by decodeURIComponent for any text', () => {
    fc.assert(fc.property(anyText, (text) => decodeURIComponent(encode(text)) === text));
  });

  it('keeps only unreserved characters', () => {
    fc.assert(fc.property(anyText, (text) => /^([A-Za-z0-9._~-]|%[0-9A-F]{2})*$/.test(encode(text))));
  });
});

it('jsonText matches JSON.stringify', () => {
  forAll(fc.jsonValue(), (value) => {
    expect(jsonText(value as Value)).toBe(JSON.stringify(value));
  });
});
