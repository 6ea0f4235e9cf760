/** The input of a command as one object, with the names of the API. */
import type { Command } from './command.ts';
import type { Example } from './endpoint.ts';
import type { ProgramFlag } from './flag.ts';

export interface SchemaExample extends Example {
  /** The example as an object that the input schema accepts. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The property of a flag: `output_file` for `output-file`. */
export const propertyOf = (flag: string): string => flag.replaceAll('-', '_');

/** Flags that are no input: `--data` holds the other properties, and `--help` runs nothing. */
const omitted = new Set(['data', 'help']);

/** The flags of the program that are properties of the input. */
export function inputFlags({ flags }: Command): ProgramFlag[] {
  return flags.filter(({ name }) => !omitted.has(name));
}
