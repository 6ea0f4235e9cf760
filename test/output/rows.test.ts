import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createOutput } from '../../src/output/index.ts';
import { sortedIndices } from '../../src/output/sorted.ts';
import { chunked, defaults, list, object } from './print.ts';

describe('one value', () => {
  test.each([
    '{}',
    ' \t\r\n{ "a" : [ 1 , -0.5e+10 , true , false , null , "" ] }\n',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00eF"',
    '-0',
    'null ',
    '{"a":{"b":[[],[{}]]}}',
  ])('%s is printed as received', async (text) => {
    for (const size of [1, 3, 100])
      expect(await object({ format: 'json' }, text, size)).toBe(`${text.trim()}\n`);
  });

  test.each([
    ['{', 1],
    ['[1,]', 3],
    ['{"a":}', 5],
    ['[1 2]', 3],
    ['"a\nb"', 0],
    ['"\\x"', 0],
    ['\ufeff1', 0],
    ['<html>', 0],
  ])('%j is rejected at byte %i', async (text, at) => {
    const failure = { kind: 'server_error', message: `the response is not valid JSON (at byte ${at})` };
    await expect(object({ format: 'json' }, text, 2)).rejects.toMatchObject(failure);
  });
});

describe('a list', () => {
  test('ends when its rows have left the process', async () => {
    let left = 0;
    const slow = new Writable({
      write(chunk: Buffer, _encoding, done) {
        setTimeout(() => {
          left += chunk.length;
          done();
        }, 5);
      },
    });
    const output = createOutput({ ...defaults, format: 'ndjson' }, slow);
    await output.page(chunked('[{"id":1}]'));
    await output.endList();
    expect(left).toBe('{"id":1}\n'.length);
  });

  test.each(['{}', '{"error":"x"}', '"x"', '1', 'null', 'true'])('%s is rejected', async (text) => {
    const failure = { kind: 'server_error', message: 'the response is not a list' };
    await expect(list({ format: 'json' }, [text], 1)).rejects.toMatchObject(failure);
  });

  test('with a comma after its last row is rejected, also if it is read in pieces', async () => {
    const page = `[${' '.repeat(100_000)}{},]`;
    await expect(list({ format: 'json' }, [page])).rejects.toMatchObject({ kind: 'server_error' });
  });

  test.each(['', ' \n'])('%j is reported as empty', async (text) => {
    const message = 'the response is empty instead of JSON';
    await expect(list({ format: 'json' }, [text])).rejects.toMatchObject({ message });
    await expect(object({ format: 'json' }, text)).rejects.toMatchObject({ message });
  });
});

test('times without a zone are in UTC when rows are sorted', () => {
  const times = [
    '2026-01-01T10:00:00Z',
    '2026-01-01T10:00:01',
    '2026-01-01 09:59:59',
    '2026-01-01T12:00:00.5+02:00',
  ];
  const zone = process.env['TZ'];
  process.env['TZ'] = 'America/New_York';
  try {
    expect(sortedIndices([{ path: 'at', descending: false }], [times])).toEqual([2, 0, 3, 1]);
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});
