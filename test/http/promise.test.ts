import { expect, it } from 'vitest';
import { expectJson } from '../../src/http/body/expect.ts';

/** An answer of these chunks, and how many of them were asked for. */
function replyOf(chunks: Iterable<string>) {
  let asked = 0;
  async function* body() {
    for (const chunk of chunks) {
      asked++;
      yield Buffer.from(chunk);
    }
  }
  const reply = { status: 200, headers: [], url: 'http://x/', body: body(), discard: async () => {} };
  return { reply, asked: () => asked };
}

async function textOf(chunks: Iterable<string>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const chunk of expectJson(replyOf(chunks).reply)) read.push(chunk);
  return Buffer.concat(read).toString();
}

it('passes on an answer that takes its time with white space', async () => {
  const blanks = Array.from({ length: 60 }, () => ' '.repeat(1024));
  expect((await textOf([...blanks, '[1]'])).trimStart()).toBe('[1]');
});

it('gives up on white space without an end', async () => {
  function* endless() {
    for (;;) yield ' \n'.repeat(8 * 1024);
  }
  const { reply, asked } = replyOf(endless());
  const read = async () => {
    for await (const _ of expectJson(reply));
  };
  await expect(read()).rejects.toMatchObject({ kind: 'server_error' });
  expect(asked()).toBeLessThan(10);
});
