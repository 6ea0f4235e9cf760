import { describe, expect, test } from 'vitest';
import { nearest, suggest } from '../../src/support/suggest.ts';

const statuses = ['created', 'pending', 'running', 'failed', 'success', 'canceled', 'skipped'];

describe('nearest', () => {
  test.each([
    ['faild', ['failed']],
    ['fialed', ['failed']],
    ['Running', ['running']],
    ['sucess', ['success']],
    ['canceled', ['canceled']],
    ['xyz', []],
    ['', []],
  ])('%s', (word, wanted) => expect(nearest(word, statuses)).toEqual(wanted));

  test('returns equally near words in their order', () => {
    expect(nearest('cat', ['car', 'dog', 'bat'])).toEqual(['car', 'bat']);
  });
});

test('suggest returns no hint if no word is similar', () => {
  expect(suggest('jsn', ['table', 'json', 'ndjson'])).toEqual(['Did you mean json?']);
  expect(suggest('cat', ['car', 'bat'])).toEqual(['Did you mean one of car, bat?']);
  expect(suggest('pdf', ['table', 'json'])).toEqual([]);
});
