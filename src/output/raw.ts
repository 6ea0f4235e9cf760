import { boundary, Scanner } from './json/scanner.ts';
import type { Output } from './model.ts';
import { passBytes, type Sink } from './sink.ts';

/**
 * Print responses unchanged, even if they are not JSON. Pages are never cut: after the limit is reached no further page is read.
 * @param onTerminal end a list with a line break, because a note or the prompt of the shell follows
 */
export function rawOutput(sink: Sink, limit: number, onTerminal: boolean): Output {
  let rows = 0;
  let last: number | undefined;
  const raw = (body: AsyncIterable<Uint8Array>): Promise<void> => passBytes(body, sink);
  return {
    get rows() {
      return rows;
    },
    async page(body) {
      const count = counter();
      let here = 0;
      for await (const chunk of body) {
        await sink.write(chunk);
        last = chunk.at(-1) ?? last;
        here = count(chunk);
      }
      rows += here;
      return { rows, full: rows >= limit, more: false };
    },
    async endList() {
      if (onTerminal && last !== undefined && last !== 0x0a) await sink.write('\n');
      await sink.settle();
      return { rows };
    },
    object: raw,
    raw,
  };
}

/** Count the rows of a list while its bytes pass, up to the first invalid byte. */
function counter(): (chunk: Uint8Array) => number {
  const scanner = new Scanner('list');
  let rows = 0;
  let counting = true;
  return (chunk) => {
    if (!counting) return rows;
    try {
      scanner.feed(chunk);
      for (let found = scanner.next(); found !== boundary.more; found = scanner.next()) {
        if (found === boundary.end) rows++;
      }
    } catch {
      counting = false;
    }
    return rows;
  };
}
