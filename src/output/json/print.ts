/** Print `json` and `ndjson`: the bytes of rows as received, or selected fields. */
import { jsonText, layoutJson } from '../../support/json.ts';
import { picker } from '../fields.ts';
import { exactRows, type RowFormat } from '../printer.ts';
import { inSlices } from '../turn.ts';
import { cutRows } from './rows.ts';
import { exact } from './values.ts';

const endOfList = (rows: number): string => (rows === 0 ? '[]\n' : '\n]\n');

/** Print `json` as one array over all pages, with the white space between the rows of a page as received. */
export const json: RowFormat = {
  streams: true,
  rows: ({ bytes, gap }, isFirst) => [isFirst ? '[\n' : (gap ?? ',\n'), bytes],
  end: endOfList,
  object: ({ bytes }) => [bytes, '\n'],
};

/** Print `json` on a terminal, indented by two spaces. */
export const indentedJson: RowFormat = {
  async rows(rows, isFirst) {
    let before = isFirst ? '[\n  ' : ',\n  ';
    return inSlices(cutRows(rows), (slice) => {
      const text = before + slice.map((row) => layoutJson(row.toString(), 1)).join(',\n  ');
      before = ',\n  ';
      return text;
    });
  },
  end: endOfList,
  object: ({ bytes }) => [layoutJson(bytes.toString(), 0), '\n'],
};

/** Line breaks are white space between tokens, because strings contain none. */
const hasLineBreak = (bytes: Buffer): boolean => bytes.includes('\n') || bytes.includes('\r');

/** Latin-1 keeps every byte. */
const oneLine = (bytes: Buffer): Buffer =>
  hasLineBreak(bytes) ? Buffer.from(layoutJson(bytes.toString('latin1')), 'latin1') : bytes;

/** Print `ndjson`: one row per line, as received if it has no line break. */
export const ndjson: RowFormat = {
  rows(rows) {
    const lines = Buffer.allocUnsafe(rows.bytes.length + 1);
    let length = 0;
    for (const row of cutRows(rows)) {
      length += oneLine(row).copy(lines, length);
      lines[length++] = 0x0a;
    }
    return [lines.subarray(0, length)];
  },
  end: () => '',
  object: ({ bytes }) => [oneLine(bytes), '\n'],
};

/** Print only these fields of each row, if some are given. */
export function selecting(fields: readonly string[] | undefined, format: RowFormat): RowFormat {
  if (!fields) return format;
  const pick = picker(fields);
  const write = (row: unknown): string => jsonText(pick(row));
  return {
    async rows(rows, isFirst) {
      const texts = (await exactRows(rows)).map(write);
      return format.rows({ bytes: Buffer.from(texts.join(',\n')), values: rows.values }, isFirst);
    },
    end: format.end,
    async object({ bytes, value }) {
      const read = await exact(bytes.toString(), value);
      const text = Array.isArray(read) ? `[${read.map(write).join(',')}]` : write(read);
      return format.object({ bytes: Buffer.from(text), value });
    },
  };
}
