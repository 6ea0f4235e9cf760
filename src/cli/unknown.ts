/** Errors for unknown names, with suggestions. */
import { areas } from '../api/index.ts';
import type { Failure } from '../errors.ts';
import { builtins } from './builtin/index.ts';

/** Return the error for an unknown first word of a command line. */
export async function unknownName(name: string): Promise<Failure> {
  const { unknownWord } = await import('./argv/parse.ts');
  const known = [...areas, ...builtins].filter((one) => !('hidden' in one)).map((one) => one.name);
  const failure = unknownWord('command', name, known, 'svc');
  return failure.withHints('use "svc api" for requests that no command covers');
}

/** Return the error for an unknown command of an area. */
export async function unknownCommand(area: string, known: readonly string[], name: string): Promise<Failure> {
  const { unknownWord } = await import('./argv/parse.ts');
  return unknownWord('command', name, known, `svc ${area}`);
}
