import { describe, expect, test } from 'vitest';
import { chunked, list, object, open, terminal } from './print.ts';

describe('json', () => {
  test('joins pages into one array and keeps the white space between rows', async () => {
    const pages = [' [ {"a": 1} ,\n{"a":9007199254740993} ]\n', '[]', '[{"b":1.10}]'];
    for (const cut of [1, 2, 7, 100]) {
      expect(await list({ format: 'json' }, pages, cut)).toBe(
        '[\n{"a": 1} ,\n{"a":9007199254740993},\n{"b":1.10}\n]\n',
      );
    }
  });

  test('prints an empty array for an empty list', async () => {
    expect(await list({ format: 'json' }, ['[ ]'])).toBe('[]\n');
    expect(await list({ format: 'json', terminal }, ['[]'])).toBe('[]\n');
    expect(await list({ format: 'json' }, [])).toBe('[]\n');
  });

  test('accepts an item in any number of chunks', async () => {
    const row = JSON.stringify({ a: 'x'.repeat(300_000) });
    for (const format of ['json', 'ndjson'] as const) {
      const printed = await list({ format }, [`[${row}]`], 1);
      expect(printed === `[\n${row}\n]\n` || printed === `${row}\n`, format).toBe(true);
    }
    expect((await object({ format: 'json' }, row, 1)) === `${row}\n`).toBe(true);
  });

  test('rejects an item that is too long, after printing the rows before it', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const { output, text } = open({ format: 'json' });
    async function* endless() {
      yield Buffer.from('[{"id":1},"');
      for (;;) yield chunk;
    }
    await expect(output.page(endless())).rejects.toMatchObject({
      kind: 'server_error',
      message: 'the response contains an item of more than 100 MiB',
    });
    expect(text()).toBe('[\n{"id":1}');
  });
});

test('ndjson prints one row per line, even if a row was received on several lines', async () => {
  const pages = ['[{"a": 1},{\n  "b": "x\\n y",\r\n\t"c": [ 1, 2 ]\n}]', '[3]'];
  expect(await list({ format: 'ndjson' }, pages, 3)).toBe('{"a": 1}\n{"b":"x\\n y","c":[1,2]}\n3\n');
  expect(await object({ format: 'ndjson' }, '{\n"a": 1 }')).toBe('{"a":1}\n');
  expect(await list({ format: 'ndjson' }, ['[]'])).toBe('');
});

describe('the limit', () => {
  const pages = ['[1,2,3]', '[4,5]'];

  test.each([
    [2, 0, { rows: 2, full: true, more: true }],
    [3, 0, { rows: 3, full: true, more: false }],
    [4, 0, { rows: 3, full: false, more: false }],
    [4, 1, { rows: 4, full: true, more: true }],
    [5, 1, { rows: 5, full: true, more: false }],
    [undefined, 1, { rows: 5, full: false, more: false }],
  ] as const)('with a limit of %s, page %i', async (limit, page, expected) => {
    for (const format of ['json', 'ndjson', 'csv', 'tsv', 'yaml', 'table'] as const) {
      const { output } = open({ format, ...(limit === undefined ? {} : { limit }) });
      const results = [];
      for (const text of pages) results.push(await output.page(chunked(text, 1)));
      expect(results[page]).toEqual(expected);
      expect(output.tally.rows).toBe(results[1]?.rows);
    }
  });

  test('stops reading after the limit is exceeded', async () => {
    const { output, text } = open({ format: 'json', limit: 1 });
    let stopped = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('[1');
        for (;;) yield Buffer.from(',2');
      } finally {
        stopped = true;
      }
    }
    expect(await output.page(endless())).toEqual({ rows: 1, full: true, more: true });
    await output.endList();
    expect([stopped, text()]).toEqual([true, '[\n1\n]\n']);
  });
});

describe('an incomplete response', () => {
  test.each([
    ['json', '[\n{"a":1},{"a":2}'],
    ['ndjson', '{"a":1}\n{"a":2}\n'],
    ['csv', 'a\r\n1\r\n2\r\n'],
    ['table', 'A\n1\n2\n'],
  ] as const)('as %s leaves the whole rows that came before, and counts them', async (format, expected) => {
    for (const cut of [1, 5, 100]) {
      const { output, text } = open({ format });
      await expect(output.page(chunked('[{"a":1},{"a":2},{"a":3', cut))).rejects.toMatchObject({
        kind: 'server_error',
        message: 'the response is not valid JSON (at byte 23)',
      });
      expect([text(), output.tally.rows]).toEqual([expected, 2]);
    }
  });

  test('prints nothing before the first row', async () => {
    for (const format of ['json', 'ndjson', 'csv', 'tsv', 'yaml', 'table'] as const) {
      const { output, text } = open({ format });
      await expect(output.page(chunked('<html>'))).rejects.toMatchObject({ kind: 'server_error' });
      await expect(output.object(chunked('{"a":'))).rejects.toMatchObject({ kind: 'server_error' });
      expect(text()).toBe('');
    }
  });

  test('rethrows network errors', async () => {
    const { output, text } = open({ format: 'json' });
    const reset = new Error('reset');
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[1,2');
      throw reset;
    }
    await expect(output.page(body())).rejects.toBe(reset);
    expect(text()).toBe('[\n1');
  });
});

test('prints deep nesting as json and fails with a message in other formats', async () => {
  const depth = 200_000;
  const row = `{"a":${'['.repeat(depth)}1.0${']'.repeat(depth)}}`;
  expect(await list({ format: 'json' }, [`[${row}]`])).toBe(`[\n${row}\n]\n`);
  for (const format of ['csv', 'table', 'yaml'] as const) {
    const { output } = open({ format });
    await expect(output.page(chunked(`[${row}]`))).rejects.toMatchObject({ kind: 'server_error' });
    await expect(output.object(chunked(row))).rejects.toMatchObject({ kind: 'server_error' });
  }
});

test('raw prints lists, objects and any other body unchanged', async () => {
  const bytes = Buffer.from([0, 255, 27, 10, 13]);
  const { output, text } = open({ format: 'raw' });
  expect(await output.page(chunked('[ 1 ]', 1))).toEqual({ rows: 1, full: false, more: false });
  await output.page(chunked('[2]\n'));
  await output.endList();
  expect(output.tally.rows).toBe(2);
  await output.object(chunked('{ "a": 1 }'));
  await output.object(chunked(bytes, 2));
  expect(text()).toBe(`[ 1 ][2]\n{ "a": 1 }${bytes.toString()}`);
});

test('raw accepts responses that are not JSON and never cuts a page', async () => {
  const { output, text } = open({ format: 'raw', limit: 2 });
  const uncounted = { rows: 1, full: false, more: false, isUncounted: true };
  expect(await output.page(chunked('[1,<html>', 2))).toEqual(uncounted);
  expect(await output.page(chunked('[2,3]'))).toEqual({ rows: 3, full: true, more: false });
  expect(text()).toBe('[1,<html>[2,3]');
});
