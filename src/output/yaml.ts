import type { ScalarTag } from 'yaml';
import { picker } from './fields.ts';
import type { OutputOptions } from './index.ts';
import type { Printer } from './printer.ts';
import { ExactNumber, type Numbers } from './values.ts';

/** YAML 1.2, with quotes also where a reader of 1.1 would see something else than text. A list is written item by item. */
export async function yaml({ fields }: OutputOptions, _numbers: Numbers): Promise<Printer> {
  const { stringify } = await import('yaml');
  const pick = fields ? picker(fields) : (value: unknown): unknown => value;
  const exact: ScalarTag = {
    tag: 'tag:yaml.org,2002:float',
    default: true,
    identify: (value) => value instanceof ExactNumber,
    resolve: (text) => new ExactNumber(text),
    stringify: ({ value }) => (value as ExactNumber).text,
  };
  const write = (value: unknown): string =>
    stringify(value, {
      aliasDuplicateObjects: false,
      compat: 'yaml-1.1',
      customTags: (tags) => [exact, ...tags],
      lineWidth: 0,
    });
  return {
    rows: (rows) => rows.map((row) => write([pick(row)])).join(''),
    end: (rows) => (rows === 0 ? '[]\n' : ''),
    object: (value) => write(Array.isArray(value) ? value.map(pick) : pick(value)),
  };
}
