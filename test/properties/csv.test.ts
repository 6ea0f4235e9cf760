// Another parser reads the same cells from the CSV (RFC 4180).
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { numberText } from '../output/arbitraries.ts';
import { list } from '../output/print.ts';
import { forAllAsync } from '../support/runs.ts';

const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...',;"\r\n\t =+-@a\u0000\ufeff'), maxLength: 8 }),
);
const column = fc.stringMatching(/^[a-z]{1,6}$/);

const value = fc.oneof(
  cell.map((text) => [JSON.stringify(text), text] as const),
  numberText.map((text) => [text, text] as const),
  fc.constantFrom(
    ['null', ''] as const,
    ['true', 'true'] as const,
    ['[1,{"a":"b"}]', '[1,{"a":"b"}]'] as const,
  ),
);

it('is parsed to the same cells', async () => {
  await forAllAsync(
    fc.uniqueArray(column, { minLength: 1, maxLength: 4 }),
    fc.array(fc.array(value, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    async (columns, rows) => {
      const body = rows.map(
        (row) => `{${columns.map((name, at) => `${JSON.stringify(name)}:${row[at]?.[0]}`).join(',')}}`,
      );
      const printed = await list({ format: 'csv', fields: columns }, [`[${body.join(',')}]`]);
      expect(parse(printed, { record_delimiter: '\r\n' })).toEqual([
        columns,
        ...rows.map((row) => columns.map((_, at) => row[at]?.[1])),
      ]);
    },
  );
});
