import { expect, it } from 'vitest';
import { expectJson } from '../../src/http/body/expect.ts';

/** A response with these chunks, and a count of the chunks that were read. */
function replyOf(chunks: Iterable<string>) {
  let read = 0;
  async function* body() {
    for (const chunk of chunks) {
      read++;
      yield Buffer.from(chunk);
    }
  }
  const reply = { status: 200, headers: [], url: 'http://x/', body: body(), discard: async () => {} };
  return { reply, read: () => read };
}

it('rejects endless white space', async () => {
  function* endless() {
    for (;;) yield ' \n'.repeat(8 * 1024);
  }
  const { reply, read: chunksRead } = replyOf(endless());
  const readAll = async () => {
    for await (const _ of expectJson(reply));
  };
  await expect(readAll()).rejects.toMatchObject({ kind: 'server_error' });
  expect(chunksRead()).toBeLessThan(10);
});
