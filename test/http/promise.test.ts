import { expect, it } from 'vitest';
import { expectJson } from '../../src/http/body/expect.ts';

it('rejects endless white space', async () => {
  let read = 0;
  async function* body() {
    for (;;) {
      read++;
      yield Buffer.from(' \n'.repeat(8 * 1024));
    }
  }
  const reply = { status: 200, headers: [], url: 'http://x/', body: body(), discard: async () => {} };
  const readAll = async () => {
    for await (const _ of expectJson(reply));
  };
  await expect(readAll()).rejects.toMatchObject({ kind: 'server_error' });
  expect(read).toBeLessThan(10);
});
