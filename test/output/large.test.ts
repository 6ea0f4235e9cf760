/** Lists and values of many MiB. */
import { expect, test } from 'vitest';
import { chunked, open } from './print.ts';

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
});

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
