/** Checks, before anything is printed, that the response has the fields that the user named. */
import { collect } from '../support/bytes.ts';
import { isRecord } from '../support/record.ts';
import { mayHave } from './fields.ts';
import { type Rows, readValue, sizes, takeRows } from './json/rows.ts';
import type { Output } from './model.ts';

/** Bytes of a first page that are held back at most. The rows up to there decide. */
const maxHeld = 64 * 1024 * 1024;

export interface Expected {
  /** Dotted paths. */
  readonly paths: readonly string[];
  /**
   * Called if neither the object nor any row of the first page has some of the paths.
   * @param seen the keys of the response
   * @throws Failure to print nothing
   */
  missing(paths: readonly string[], seen: readonly string[], rows: number): void;
}

/** Print to an output once the response is known to have the fields. Only the first page is held back, up to the row that has them. */
export function expecting(output: Output, expected: Expected): Output {
  let checked = false;
  const check = (body: AsyncIterable<Uint8Array>, kind: Kind): AsyncIterable<Uint8Array> => {
    if (checked) return body;
    checked = true;
    return held(body, kind, expected);
  };
  return {
    get rows() {
      return output.rows;
    },
    page: (body) => output.page(check(body, 'list')),
    object: (body) => output.object(check(body, 'value')),
    endList: () => output.endList(),
    raw: (body) => output.raw(body),
  };
}

type Kind = 'list' | 'value';

async function* held(
  body: AsyncIterable<Uint8Array>,
  kind: Kind,
  { paths, missing }: Expected,
): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  const search = new Search(paths);
  let failure: { readonly error: unknown } | undefined;
  let bytes = 0;
  async function* read(): AsyncGenerator<Uint8Array> {
    while (search.left.size > 0 && (bytes < maxHeld || kind === 'value')) {
      const next = await source.next().catch((error: unknown) => {
        failure = { error };
      });
      if (!next || next.done) return;
      chunks.push(next.value);
      bytes += next.value.length;
      yield next.value;
    }
  }
  try {
    const isComplete = await (kind === 'list' ? search.list(read()) : search.value(read()));
    const isDecided = isComplete || (bytes >= maxHeld && kind === 'list');
    if (isDecided && search.left.size > 0) missing([...search.left], [...search.seen], search.rows);
    yield* chunks;
    if (failure) throw failure.error;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}

/** Searches the values of a response for paths. */
class Search {
  readonly left: Set<string>;
  readonly seen = new Set<string>();
  rows = 0;

  constructor(paths: readonly string[]) {
    this.left = new Set(paths);
  }

  /** @returns false for a response that is incomplete or invalid, which is reported when it is printed */
  async list(body: AsyncIterable<Uint8Array>): Promise<boolean> {
    const look = async ({ values }: Rows) => {
      for (const value of values) this.#look(value);
    };
    return takeRows(body, { rows: 0 }, Number.POSITIVE_INFINITY, look).then(
      () => true,
      () => false,
    );
  }

  /** @returns false like `list`, and for a value that is too large to parse */
  async value(body: AsyncIterable<Uint8Array>): Promise<boolean> {
    try {
      const { value } = readValue(await collect(body, sizes.value));
      for (const item of Array.isArray(value) ? value : [value]) this.#look(item);
      return true;
    } catch {
      return false;
    }
  }

  #look(row: unknown): void {
    this.rows++;
    for (const path of this.left) if (mayHave(row, path)) this.left.delete(path);
    if (this.left.size > 0) this.#collect(row, '');
  }

  /** Collect keys for suggestions. */
  #collect(row: unknown, prefix: string): void {
    if (!isRecord(row)) return;
    for (const [key, value] of Object.entries(row)) {
      this.seen.add(`${prefix}${key}`);
      if (prefix === '') this.#collect(value, `${key}.`);
    }
  }
}
