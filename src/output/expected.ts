/** Checks, before anything is printed, that the response has the fields that the user named. */
import { collect } from '../support/bytes.ts';
import { isRecord } from '../support/record.ts';
import { mayHave } from './fields.ts';
import { readValue, sizes, takeRows } from './json/rows.ts';
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
  const check = (body: AsyncIterable<Uint8Array>, isList: boolean): AsyncIterable<Uint8Array> => {
    if (checked) return body;
    checked = true;
    return held(body, isList, expected);
  };
  return {
    ...output,
    page: (body) => output.page(check(body, true)),
    object: (body) => output.object(check(body, false)),
  };
}

async function* held(
  body: AsyncIterable<Uint8Array>,
  isList: boolean,
  { paths, missing }: Expected,
): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  const left = new Set(paths);
  const seen = new Set<string>();
  let rows = 0;
  let failure: { readonly error: unknown } | undefined;
  let bytes = 0;
  async function* read(): AsyncGenerator<Uint8Array> {
    while (left.size > 0 && (bytes < maxHeld || !isList)) {
      const next = await source.next().catch((error: unknown) => {
        failure = { error };
      });
      if (!next || next.done) return;
      chunks.push(next.value);
      bytes += next.value.length;
      yield next.value;
    }
  }
  const look = (row: unknown) => {
    rows++;
    for (const path of left) if (mayHave(row, path)) left.delete(path);
    if (left.size === 0 || !isRecord(row)) return;
    for (const [key, value] of Object.entries(row))
      for (const inner of ['', ...(isRecord(value) ? Object.keys(value) : [])])
        seen.add(inner === '' ? key : `${key}.${inner}`);
  };
  const lookAtAll = async () => {
    if (isList) await takeRows(read(), { rows: 0 }, Infinity, async ({ values }) => values.forEach(look));
    else [readValue(await collect(read(), sizes.value)).value].flat().forEach(look);
  };
  try {
    // A response that is incomplete, invalid or too large to parse is reported when it is printed.
    const isComplete = await lookAtAll().then(
      () => true,
      () => false,
    );
    const isDecided = isComplete || (bytes >= maxHeld && isList);
    if (isDecided && left.size > 0) missing([...left], [...seen], rows);
    yield* chunks;
    if (failure) throw failure.error;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
