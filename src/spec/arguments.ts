import type { Endpoint } from './endpoint.ts';
import type { Field } from './field.ts';

export interface Argument {
  /** As it is shown: `file-path`. */
  readonly name: string;
  /** The slot or parameter that it fills: `file_path`. */
  readonly field: string;
  readonly required: boolean;
}

/** The name of a command, without its arguments: `update`. */
export function commandName(endpoint: Endpoint): string {
  return endpoint.command.split(' ', 1)[0] as string;
}

/** The arguments of a command, read from `update <key> [value]`. */
export function argumentsOf(endpoint: Endpoint): Argument[] {
  return [...endpoint.command.matchAll(/([<[])([a-z-]+)[>\]]/g)].map(([, open, name]) => ({
    name: name as string,
    field: endpoint.as[name as string] ?? (name as string).replaceAll('-', '_'),
    required: open === '<',
  }));
}

/** The parameters of a call that are flags, by name: neither arguments nor credentials. */
export function flagFields(endpoint: Endpoint): Record<string, Field> {
  const taken = new Set(argumentsOf(endpoint).map(({ field }) => field));
  return Object.fromEntries(
    Object.entries(endpoint.takes).filter(([name, field]) => !taken.has(name) && field.in !== 'credential'),
  );
}
