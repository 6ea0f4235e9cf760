/** The second pass over argv: parse the flags and arguments that the command declares. */
import { type Failure, usage } from '../../errors.ts';
import { type Command, type ProgramFlag, pathOf, scopesOf } from '../../spec/command.ts';
import { choicesOf } from '../../spec/field.ts';
import { kebab, rowFlag } from '../../spec/names.ts';
import { suggest } from '../../support/suggest.ts';
import { flagElsewhere } from './elsewhere.ts';
import { type Options, optionName } from './flags.ts';
import { guessFlag } from './guesses.ts';
import { type Fail, type Flag, flagsOf, parseWords, type RawValue } from './words.ts';

export type { RawValue };

/** A parsed command line, before any value is validated. */
export interface CommandLine<O = Options> {
  /** Arguments by the field that they fill. */
  readonly args: Readonly<Record<string, string>>;
  /** Arguments in order. */
  readonly words: readonly string[];
  /** The words after `--`, for a command that runs another program. */
  readonly tail: readonly string[];
  /** Parameters of the API by field. */
  readonly fields: Readonly<Record<string, RawValue>>;
  /** Parameters of the API as values, from a program instead of a command line. No text in them names a file. */
  readonly typed?: Readonly<Record<string, unknown>>;
  /** Options of the program. */
  readonly options: O;
  /** Flags of the program that may be repeated, in order. */
  readonly repeated: readonly (readonly [flag: string, value: string])[];
  readonly project?: string;
  readonly group?: string;
}

function unknownFlag(typed: string, known: ReadonlyMap<string, Flag>, path: string, fail: Fail): never {
  // The value, after `=` or the letter of a short flag, may be a secret.
  const name = typed.startsWith('--') ? typed.replace(/=.*$/s, '') : typed.slice(0, 2);
  const long = [...known.keys()].filter((flag) => flag.startsWith('--'));
  const guess = guessFlag(name, long);
  const elsewhere = guess.length > 0 ? undefined : flagElsewhere(name, path);
  if (elsewhere) return fail(elsewhere.message, elsewhere.hint);
  if (/^-\d/.test(name)) return fail(`unknown flag ${name}`, 'put -- before a value that starts with -');
  return fail(`unknown flag ${name}`, ...(guess.length > 0 ? guess : suggest(name, long, '--')));
}

/**
 * Parse the words after the name of a command.
 * @throws Failure `usage`
 */
export function parseCommand(command: Command, rest: readonly string[]): CommandLine {
  const path = `svc ${pathOf(command)}`.trimEnd();
  const fail: Fail = (message, ...hints) => {
    throw usage(message, [...hints, `see ${path} --help`]);
  };
  const repeated: [string, string][] = [];
  const end = command.tail === undefined ? -1 : rest.indexOf('--');
  const { fields, flags, arguments: args } = command;
  const known = flagsOf(command, repeated);
  const { words, values, unknown } = parseWords(end < 0 ? rest : rest.slice(0, end), known, fail);
  if (unknown !== undefined) unknownFlag(unknown, known, path, fail);
  // --data may provide an argument that is part of the body.
  const hasData = values.has('data');
  const inBody = (field: string) => command.endpoints.some(({ takes }) => takes[field] !== undefined);
  const required = args.filter((one) => one.required && !(hasData && inBody(one.field)));
  // An optional argument may precede a required one, as in `api [METHOD] <path>`.
  const missing = required[words.length];
  if (missing) {
    const values = choicesOf(missing.of);
    fail(`<${missing.name}> is missing`, ...(values ? [`values: ${values.join(', ')}`] : []));
  }
  if (words.length > args.length && !args.some(({ variadic }) => variadic))
    fail(
      tooMany(args.length, words.length),
      ...(command.tail === undefined ? [] : ['put the command after --']),
    );
  for (const { name, short, required: hint } of flags)
    if (hint !== undefined && !values.has(name))
      throw usage(`${short ? `-${short}` : `--${name}`} is missing`, hint);
  return {
    args: Object.fromEntries(
      args.flatMap(({ field }, at) => {
        const word = words[at];
        return word === undefined ? [] : [[field, word]];
      }),
    ),
    words,
    tail: end < 0 ? [] : rest.slice(end + 1),
    fields: readFields(fields, values),
    options: readOptions(flags, values),
    repeated,
    ...scopeOf('project', command, values),
    ...scopeOf('group', command, values),
  };
}

function tooMany(max: number, given: number): string {
  const expected = max === 0 ? 'no arguments' : max === 1 ? '1 argument' : `${max} arguments`;
  return `too many arguments: expected ${expected}, got ${given}`;
}

function readFields(
  fields: Command['fields'],
  values: ReadonlyMap<string, RawValue>,
): Record<string, RawValue> {
  const read: Record<string, RawValue> = {};
  const list = (value: RawValue | undefined) => (typeof value === 'object' ? value : []);
  for (const [name, { kind }] of Object.entries(fields)) {
    const value = values.get(kebab(name));
    const rows = kind === 'rows' ? values.get(rowFlag(name)) : undefined;
    if (rows !== undefined) read[name] = [...list(value), ...list(rows)];
    else if (value !== undefined) read[name] = value;
  }
  return read;
}

/** The options of the flags that were typed; `noHeader` is true for `--no-header`. */
function readOptions(flags: readonly ProgramFlag[], values: ReadonlyMap<string, RawValue>): Options {
  const read: Record<string, RawValue> = {};
  for (const { name, repeats } of flags) {
    const value = values.get(name);
    if (value !== undefined && !repeats) read[optionName(name)] = value;
  }
  // The table of flags gives both the names and the types.
  return read as Options;
}

function scopeOf(name: 'project' | 'group', command: Command, values: ReadonlyMap<string, RawValue>) {
  const value = scopesOf(command).some((scope) => scope.name === name) ? values.get(name) : undefined;
  return typeof value === 'string' ? { [name]: value } : {};
}

/** The number of names that an error lists in full. */
const maxListed = 12;

/** The error for a word that is not among those known. @param guess a better suggestion than the nearest words */
export function unknownWord(
  kind: string,
  word: string,
  known: readonly string[],
  path: string,
  guess: readonly string[] = [],
): Failure {
  const near = guess.length > 0 ? guess : suggest(word, known);
  const all = near.length > 0 || known.length > maxListed ? [] : [`available: ${known.join(', ')}`];
  return usage(`unknown ${kind} ${JSON.stringify(word)}`, [...near, ...all, `see ${path} --help`]);
}
