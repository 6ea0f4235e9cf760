/** Errors for names that the program does not have, with suggestions. */
import { areas } from '../api/index.ts';
import type { Failure } from '../errors.ts';
import { builtins } from './builtin/index.ts';

/** The error for a first word that is neither an area nor a command of the program. */
export async function unknownName(name: string): Promise<Failure> {
  const { unknownWord } = await import('./argv/parse.ts');
  const known = [...areas, ...builtins].filter((one) => !('hidden' in one)).map((one) => one.name);
  const failure = unknownWord('command', name, known, 'svc');
  return failure.withHints('use "svc api" for requests that no command covers');
}

/** The error for a command that an area does not have. */
export async function unknownCommand(area: string, known: readonly string[], name: string): Promise<Failure> {
  const { unknownWord } = await import('./argv/parse.ts');
  return unknownWord('command', name, known, `svc ${area}`);
}
