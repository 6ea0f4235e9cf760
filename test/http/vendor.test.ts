import { describe, expect, test } from 'vitest';
import type { Header } from '../../src/http/transport.ts';
import { vendorHeaders, vendorOf } from '../../src/http/vendor.ts';

const headers: readonly Header[] = [
  ['x-request-id', 'a'],
  ['x-total', '3'],
  ['x-total-pages', '1'],
  ['x-frame-options', 'DENY'],
  ['x-example-file-path', 'docs/caf\u00c3\u00a9.md'],
  ['x-example-size', '183'],
  ['x-cache-status', 'miss'],
];

describe('headers named after a vendor', () => {
  test('are read under whichever name', () => {
    expect([...vendorHeaders(headers)]).toEqual([
      ['file-path', 'docs/café.md'],
      ['size', '183'],
    ]);
  });
  test('tell the name', () => expect(vendorOf(headers)).toBe('example'));
  test('those of the whole web name nobody', () => expect(vendorOf(headers.slice(0, 4))).toBeUndefined());
});
