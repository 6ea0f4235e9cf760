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

describe('vendor headers', () => {
  test('are read for any vendor', () => {
    expect([...vendorHeaders(headers)]).toEqual([
      ['file-path', 'docs/café.md'],
      ['size', '183'],
    ]);
  });
  test('contain the name of the vendor', () => expect(vendorOf(headers)).toBe('example'));
  test('do not include common headers', () => expect(vendorOf(headers.slice(0, 4))).toBeUndefined());
});
