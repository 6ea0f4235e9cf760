import { describe, expect, test } from 'vitest';
import { sortedIndices } from '../../src/output/sorted.ts';
import { chunked, list, object, open } from './print.ts';

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
    ['\ufeff\ufeff1', 3],
    ['<html>', 0],
  ])('%j is rejected at byte %i', async (text, at) => {
    const failure = { kind: 'server_error', message: `the response is not valid JSON (at byte ${at})` };
    await expect(object({ format: 'json' }, text, 2)).rejects.toMatchObject(failure);
  });
});

describe('a list', () => {
  test.each(['{}', '{"error":"x"}', '"x"', '1', 'null', 'true'])('%s is rejected', async (text) => {
    const failure = { kind: 'server_error', message: 'the response is not a list' };
    await expect(list({ format: 'json' }, [text], 1)).rejects.toMatchObject(failure);
  });

  test.each(['', ' \n', '\ufeff'])('%j is reported as empty', async (text) => {
    const message = 'the response is empty instead of JSON';
    await expect(list({ format: 'json' }, [text])).rejects.toMatchObject({ message });
    await expect(object({ format: 'json' }, text)).rejects.toMatchObject({ message });
  });
});

const mebibyte = 1024 * 1024;

test('prints a page of 300 MiB within 240 MiB of memory', async () => {
  const { output, size } = open({ format: 'json' }, { keep: false });
  const row = `{"id":1,"text":"${'x'.repeat(5_000)}"}`;
  const chunk = Buffer.from(`${`${row},`.repeat(100)}`);
  const count = Math.ceil((300 * mebibyte) / chunk.length);
  let most = 0;
  async function* page() {
    yield Buffer.from('[');
    for (let at = 0; at < count; at++) {
      most = Math.max(most, process.memoryUsage().rss);
      yield chunk;
    }
    yield Buffer.from(`${row}]`);
  }
  const before = process.memoryUsage().rss;
  expect(await output.page(page())).toMatchObject({ rows: count * 100 + 1 });
  expect(size()).toBeGreaterThan(300 * mebibyte);
  expect((most - before) / mebibyte).toBeLessThan(240);
}, 60_000);

test('prints a value of more than 100 MiB as json, and rejects it in other formats', async () => {
  const text = Buffer.alloc(mebibyte, 'x');
  async function* value() {
    yield Buffer.from('"');
    for (let at = 0; at < 101; at++) yield text;
    yield Buffer.from('"');
  }
  const { output, size } = open({ format: 'json' }, { keep: false });
  await output.object(value());
  expect(size()).toBe(101 * mebibyte + 3);
  await expect(open({ format: 'yaml' }).output.object(value())).rejects.toMatchObject({
    kind: 'server_error',
    message: 'the response contains an item of more than 100 MiB',
  });
});

test('reads a long item once, not for each of its chunks', async () => {
  const row = JSON.stringify('[{,'.repeat(10 * mebibyte));
  const { output, size } = open({ format: 'ndjson' }, { keep: false });
  await output.page(chunked(`[${row},1]`, 65_536));
  expect(size()).toBe(row.length + 3);
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
