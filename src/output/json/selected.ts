import { picker } from '../fields.ts';
import type { OutputOptions } from '../model.ts';
import type { Printer } from '../printer.ts';
import { indent } from './layout.ts';
import type { Numbers } from './values.ts';

/** Print `json` with `--fields`: one array with one row per line; indented on a terminal. */
export function selectedJson({ fields = [], terminal }: OutputOptions, numbers: Numbers): Printer {
  const pick = picker(fields);
  const write = (row: unknown, level: number): string => {
    const text = numbers.stringify(pick(row));
    return terminal ? Buffer.from(indent(Buffer.from(text), level)).toString() : text;
  };
  const margin = terminal ? '  ' : '';
  const lines = (rows: readonly unknown[]) => rows.map((row) => margin + write(row, 1)).join(',\n');
  let first = true;
  return {
    rows(rows) {
      const before = first ? '[\n' : ',\n';
      first = false;
      return before + lines(rows);
    },
    end: (rows) => (rows === 0 ? '[]\n' : '\n]\n'),
    object: (value) =>
      `${Array.isArray(value) && value.length > 0 ? `[\n${lines(value)}\n]` : write(value, 0)}\n`,
  };
}

/** Print `ndjson` with `--fields`. */
export function selectedLines({ fields = [] }: OutputOptions, numbers: Numbers): Printer {
  const pick = picker(fields);
  const line = (row: unknown): string => `${numbers.stringify(pick(row))}\n`;
  return { rows: (rows) => rows.map(line).join(''), end: () => '', object: line };
}
