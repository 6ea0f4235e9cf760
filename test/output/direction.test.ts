import { expect, test } from 'vitest';
import { printable } from '../../src/support/text/printable.ts';

// Unicode 16, section 23.3: the embeddings, overrides and isolates, each of which needs a closing character.
test.each(['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'])(
  'removes the bidirectional control %j',
  (mark) => expect(printable(`gpj.${mark}exe`)).toBe('gpj.exe'),
);
test('keeps right-to-left letters', () =>
  expect(printable('\u05e9\u05dc\u05d5\u05dd')).toBe('\u05e9\u05dc\u05d5\u05dd'));
