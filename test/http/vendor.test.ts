import { expect, test } from 'vitest';
import type { Header } from '../../src/http/transport.ts';
import { vendorHeaders } from '../../src/http/vendor.ts';

const headers: readonly Header[] = [
  ['x-request-id', 'a'],
  ['x-total', '3'],
  ['x-cache-status', 'miss'],
  ['x-example-file-path', 'docs/caf\u00c3\u00a9.md'],
  ['x-example-size', '183'],
];

test('reads the headers of any vendor', () => {
  expect(Object.fromEntries(vendorHeaders(headers))).toEqual({ 'file-path': 'docs/café.md', size: '183' });
  expect(vendorHeaders(headers.slice(0, 3)).size).toBe(0);
});

test('ignores the headers of a storage service or a proxy, however many there are', () => {
  const storage: readonly Header[] = [
    ['x-amz-id-2', 'x'],
    ['x-amz-request-id', 'x'],
    ['x-amz-content-sha256', 'x'],
    ['x-amz-version-id', 'x'],
    ['x-amz-cf-id', 'x'],
    ['x-amz-cf-pop', 'x'],
  ];
  expect(vendorHeaders([...storage, ...headers])).toEqual(vendorHeaders(headers));
});
