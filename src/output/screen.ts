import type { OutputOptions } from './index.ts';
import type { Printer } from './printer.ts';
import { table } from './table.ts';
import type { Numbers } from './values.ts';

type Terminal = NonNullable<OutputOptions['terminal']>;

export async function screen(
  options: OutputOptions,
  _terminal: Terminal,
  numbers: Numbers,
): Promise<Printer> {
  return table(options, numbers);
}
