import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sizes } from '../../src/output/json/rows.ts';
import { parseExact } from '../../src/output/json/values.ts';
import { jsonText as write } from '../../src/support/json.ts';
import { jsonText, numberText, squeezed } from '../output/arbitraries.ts';
import { chunked, list, object, open, setPartSize, terminal } from '../output/print.ts';
import { forAllAsync } from '../support/runs.ts';

/** Call a function while pages are processed in parts of a few bytes. */
async function inParts<T>(bytes: number, print: () => Promise<T>, batch?: number): Promise<T> {
  const end = setPartSize(bytes, batch);
  return print().finally(end);
}

const size = fc.integer({ min: 1, max: 40 });

async function* fromArray(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe('every format', () => {
  test('is the same for pages of any size, for rows in any style', async () => {
    // Both contain what is between two rows.
    const value = fc.oneof(jsonText, fc.constantFrom('[{"id":1},{"id":2}]', '"},{\\"id\\":"'));
    const row = fc.dictionary(fc.constantFrom('id', 'a', 'b', '7', '__proto__'), value, { maxKeys: 4 });
    const text = row.map((one) => `{${Object.entries(one).map(([key, value]) => `"${key}":${value}`)}}`);
    // The first part of a page determines the widths of a table.
    const format = fc.constantFrom('csv', 'tsv', 'yaml', 'json', 'ndjson' as const);
    const rows = fc.array(fc.oneof({ weight: 4, arbitrary: text }, jsonText), { maxLength: 4 });
    const end = fc.constantFrom('', '', '\n', 'x');
    await forAllAsync(
      fc.record({ format, rows, end, size, limit: fc.nat(4), isTerminal: fc.boolean() }),
      async ({ format, rows, end, size, limit, isTerminal }) => {
        const print = async () => {
          const options = {
            format,
            limit,
            fields: ['id', 'a.b', '7'],
            ...(isTerminal ? { terminal } : {}),
          };
          const { output, text } = open(options);
          const result = await output.page(chunked(`[${rows}]${end}`, size)).catch((error: unknown) => error);
          if (!(result instanceof Error)) await output.endList();
          return [result, text(), output.tally.rows];
        };
        expect(await inParts(8, print)).toEqual(await print());
        expect(await inParts(8, print, sizes.batch)).toEqual(await print());
      },
    );
  });
});

describe('json', () => {
  test('keeps the bytes of every row for any chunk boundaries', async () => {
    await forAllAsync(
      fc.array(fc.array(jsonText, { maxLength: 4 }), { maxLength: 3 }),
      size,
      async (pages, cut) => {
        const bodies = pages.map((rows) => `[${rows.join(' , ')}]`);
        const rows = pages.flat();
        const printed = await inParts(cut, () => list({ format: 'json' }, bodies, cut));
        const joined = pages.filter((page) => page.length > 0).map((page) => page.join(' , '));
        expect(printed).toBe(rows.length === 0 ? '[]\n' : `[\n${joined.join(',\n')}\n]\n`);
        expect(JSON.parse(printed)).toEqual(rows.map((row) => JSON.parse(row)));
      },
    );
  });

  test('prints the same, valid or not, for any chunk boundaries', async () => {
    const gap = fc.constantFrom('', ' ', '\n\t');
    const noise = fc.constantFrom('', '', '', ' \n', ']', '[', ',', 'x', '\ufeff', '"', '\u0000', '1');
    const page = fc.record({
      rows: fc.array(jsonText, { maxLength: 4 }),
      gaps: fc.tuple(gap, gap),
      noise: fc.tuple(noise, noise, noise),
      encoding: fc.constantFrom('utf8' as const, 'latin1' as const),
    });
    await forAllAsync(page, size, fc.nat(4), async ({ rows, gaps, noise, encoding }, cut, limit) => {
      const list = `${noise[0]}[${gaps[0]}${rows.join(' ,')}${noise[1]}${gaps[1]}]`;
      const [start, end] = [Buffer.from(list, encoding), Buffer.from(noise[2], encoding)];
      const print = async (chunks: AsyncIterable<Uint8Array>) => {
        const { output, text } = open({ format: 'json', limit });
        const result = await output.page(chunks).catch((error: unknown) => error);
        return [result, text(), output.tally.rows];
      };
      const whole = Buffer.concat([start, end]);
      const expected = await print(chunked(whole));
      expect(await inParts(1, () => print(chunked(whole, 1)))).toEqual(expected);
      expect(await inParts(8, () => print(chunked(whole, cut)))).toEqual(expected);
      expect(await print(chunked(whole, cut))).toEqual(expected);
      expect(await print(fromArray([start, end]))).toEqual(expected);
    });
  });

  test('keeps the bytes of one value', async () => {
    await forAllAsync(jsonText, size, async (json, cut) => {
      expect(await object({ format: 'json' }, ` ${json}\n`, cut)).toBe(`${json}\n`);
    });
  });

  test('indents on a terminal without changing tokens', async () => {
    const row = '{"a":1.10,"b":{},"c":[ ],"d":[1,{"e":"x, {y}: \\""}]}';
    expect(await object({ format: 'json', terminal }, row)).toBe(`{
  "a": 1.10,
  "b": {},
  "c": [],
  "d": [
    1,
    {
      "e": "x, {y}: \\""
    }
  ]
}
`);
    expect(await list({ format: 'json', terminal }, ['[{"a":1},2]'])).toBe(
      '[\n  {\n    "a": 1\n  },\n  2\n]\n',
    );
    await forAllAsync(jsonText, size, async (json, cut) => {
      // Control characters are escaped on a terminal.
      const safe = squeezed(json).replace(
        /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      expect(squeezed(await object({ format: 'json', terminal }, json, cut))).toBe(safe);
    });
  });
});

test('ndjson keeps the tokens of every row', async () => {
  await forAllAsync(fc.array(jsonText, { maxLength: 4 }), size, async (rows, cut) => {
    const print = () => list({ format: 'ndjson' }, [`[${rows.join(',')}]`], cut);
    const lines = (await inParts(cut, print)).split('\n').slice(0, -1);
    expect(lines.map(squeezed)).toEqual(rows.map(squeezed));
  });
});

function listOf(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

test('a list is accepted if JSON.parse accepts it, for one changed byte and pages in parts of any size', async () => {
  const changed = fc.record({
    items: fc.array(jsonText, { maxLength: 5 }),
    place: fc.nat(),
    char: fc.constantFrom(...'{}[]":,\\ 0-.eE+tnu\n\u0001x'),
    how: fc.constantFrom('replace', 'insert', 'remove', 'leave'),
    part: size,
    cut: size,
  });
  await forAllAsync(changed, async ({ items, place, char, how, part, cut }) => {
    const json = `[${items.join(' ,')}]`;
    const at = place % (json.length + 1);
    const put = how === 'remove' ? '' : char;
    const text =
      how === 'leave' ? json : json.slice(0, at) + put + json.slice(how === 'insert' ? at : at + 1);
    const { output } = open({ format: 'json' });
    const rows = await inParts(part, () =>
      output.page(chunked(text, cut)).then(
        (page) => page.rows,
        (error: { kind?: string }) => void expect(error.kind).toBe('server_error'),
      ),
    );
    expect(rows).toBe(listOf(text)?.length);
  });
});

test('numbers keep their text in every position', async () => {
  const around = fc.constantFrom('[*]', '{"n":*}', '{"a":"x", "n": * ,"b":1}', '*', '[1,*,2]');
  await forAllAsync(numberText, around, async (text, json) => {
    const whole = json.replace('*', text);
    expect(write(await parseExact(whole))).toBe(squeezed(whole));
  });
});
