/** Print `json` and `ndjson`: the bytes of rows as received, or selected fields. */
import { jsonText, layoutJson } from '../../support/json.ts';
import { picker } from '../fields.ts';
import type { Printer, RowFormat } from '../printer.ts';
import { inSlices } from '../turn.ts';
import { cutRows } from './rows.ts';

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

/** Print `json` with `--fields`: one array with one row per line; indented on a terminal. */
export function selectedJson(fields: readonly string[], onTerminal: boolean): Printer {
  const pick = picker(fields);
  const write = (row: unknown, level: number): string => {
    const text = jsonText(pick(row));
    return onTerminal ? layoutJson(text, level) : text;
  };
  const margin = onTerminal ? '  ' : '';
  const lines = (rows: readonly unknown[]) => rows.map((row) => margin + write(row, 1)).join(',\n');
  let first = true;
  return {
    rows(rows) {
      const before = first ? '[\n' : ',\n';
      first = false;
      return before + lines(rows);
    },
    end: endOfList,
    object: (value) =>
      `${Array.isArray(value) && value.length > 0 ? `[\n${lines(value)}\n]` : write(value, 0)}\n`,
  };
}

export function selectedLines(fields: readonly string[]): Printer {
  const pick = picker(fields);
  const line = (row: unknown): string => `${jsonText(pick(row))}\n`;
  return { rows: (rows) => rows.map(line).join(''), end: () => '', object: line };
}
