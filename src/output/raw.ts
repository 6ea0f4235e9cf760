import { PageReader } from './json/rows.ts';
import type { Output, Tally } from './model.ts';
import { passBytes, type Sink } from './sink.ts';

/**
 * Print responses unchanged, even if they are not JSON. Pages are never cut: after the limit is reached no further page is read.
 * @param onTerminal end a list with a line break, because a note or the prompt of the shell follows
 */
export function rawOutput(sink: Sink, limit: number, onTerminal: boolean): Output {
  const tally = { rows: 0 };
  let last: number | undefined;
  const raw = (body: AsyncIterable<Uint8Array>): Promise<void> => passBytes(body, sink);
  return {
    get rows() {
      return tally.rows;
    },
    async page(body) {
      const read = counter(tally);
      for await (const chunk of body) {
        await sink.write([chunk]);
        last = chunk.at(-1) ?? last;
        await read((page) => page.add(chunk));
      }
      await read((page) => page.end());
      return { rows: tally.rows, full: tally.rows >= limit, more: false };
    },
    async endList() {
      if (onTerminal && last !== undefined && last !== 0x0a) await sink.write(['\n']);
      await sink.settle();
      return { rows: tally.rows };
    },
    object: raw,
    raw,
  };
}

/** Count the rows of a list while its bytes pass, as far as it is JSON. */
function counter(tally: Tally): (read: (page: PageReader) => Promise<void>) => Promise<void> {
  let page: PageReader | undefined = new PageReader(tally, Number.POSITIVE_INFINITY, async () => {});
  return async (read) => {
    if (!page) return;
    await read(page).catch(() => {
      page = undefined;
    });
  };
}
