/** The second pass over argv: commander parses the flags and arguments that the command declares. */
import { Command as Commander, CommanderError, Option } from 'commander';
import { type Failure, usage } from '../../errors.ts';
import { type Command, pathOf, scopesOf } from '../../spec/command.ts';
import type { Scope } from '../../spec/endpoint.ts';
import { choicesOf, type Field } from '../../spec/field.ts';
import { type ProgramFlag, readFlagValue } from '../../spec/flag.ts';
import { kebab, rowFlag } from '../../spec/names.ts';
import { hasMark, plain } from '../../support/literal.ts';
import { suggest } from '../../support/suggest.ts';
import { flagElsewhere } from './elsewhere.ts';
import { type Options, optionName } from './flags.ts';
import { guessFlag } from './guesses.ts';

/** The value of a flag as typed. */
export type RawValue = string | boolean | readonly string[];

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

/** Commander, with its errors as typed failures. */
class Parser extends Commander {
  readonly #path: string;
  readonly #command: Command;
  constructor(path: string, command: Command) {
    super(path);
    this.#path = path;
    this.#command = command;
    this.exitOverride()
      .configureOutput({ writeErr: () => {}, writeOut: () => {}, outputError: () => {} })
      .helpOption(false)
      .helpCommand(false)
      .allowExcessArguments(true);
  }
  fail(message: string, ...hints: string[]): never {
    throw usage(message, [...hints, `see ${this.#path} --help`]);
  }
  missingArgument(name: string): never {
    return this.fail(`<${name}> is missing`);
  }
  optionMissingArgument({ long, short }: Option): never {
    return this.fail(`${long ?? short} requires a value`);
  }
  unknownOption(flag: string): never {
    // The value, after `=` or the letter of a short flag, may be a secret.
    const name = flag.startsWith('--') ? flag.replace(/=.*$/s, '') : flag.slice(0, 2);
    const known = longFlags(this.#command);
    const guess = guessFlag(name, known);
    const elsewhere = guess.length > 0 ? undefined : flagElsewhere(name, this.#path);
    if (elsewhere) return this.fail(elsewhere.message, elsewhere.hint);
    if (/^-\d/.test(name))
      return this.fail(`unknown flag ${name}`, 'put -- before a value that starts with -');
    return this.fail(`unknown flag ${name}`, ...(guess.length > 0 ? guess : suggest(name, known, '--')));
  }
}

/** @param read returns the value of a word */
function addProgramFlag(
  parser: Parser,
  flag: ProgramFlag,
  read: (flag: ProgramFlag, word: string) => unknown,
): void {
  const { name, short, kind, optional } = flag;
  const placeholder = kind === undefined ? '' : optional ? ' [value]' : ' <value>';
  const option = new Option(`${short ? `-${short}, ` : ''}--${name}${placeholder}`);
  if (kind !== undefined) option.argParser((word: string) => read(flag, word));
  parser.addOption(option);
}

const append = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
const repeatable = new Set<Field['kind']>(['list', 'hash', 'rows']);

function addField(parser: Parser, name: string, field: Field): void {
  const flag = kebab(name);
  if (field.kind === 'bool') {
    parser.addOption(new Option(`--${flag}`)).addOption(new Option(`--no-${flag}`));
    return;
  }
  const option = new Option(`${field.short ? `-${field.short}, ` : ''}--${flag} <value>`);
  if (repeatable.has(field.kind)) option.argParser(append);
  parser.addOption(option);
  if (field.kind === 'rows' && rowFlag(name) !== flag)
    parser.addOption(new Option(`--${rowFlag(name)} <row>`).argParser(append));
}

/** Rewrite forms that commander does not accept: `--masked=false` to `--no-masked`, `-o=json` to `-ojson`. */
function rewrite(
  rest: readonly string[],
  bools: ReadonlySet<string>,
  switches: ReadonlySet<string>,
  parser: Parser,
): string[] {
  const valued = new Set(
    parser.options.flatMap(({ required, long, short }) => (required ? [long, short] : [])),
  );
  let isValue = false;
  let ended = false;
  return rest.map((word) => {
    if (isValue || ended) {
      isValue = false;
      return word;
    }
    ended = word === '--';
    isValue = valued.has(word);
    if (!word.includes('=')) return word;
    // kubectl and gh accept `-o=json` too.
    const short = /^(-[A-Za-z])=(.+)$/s.exec(word);
    const long = parser.options.find((option) => option.short === short?.[1])?.name() ?? '';
    if (short && !switches.has(long)) return `${short[1]}${short[2]}`;
    const [, name = '', text = ''] = short
      ? ['', long, short[2]]
      : (/^--([a-z0-9-]+)=(.*)$/s.exec(word) ?? []);
    if (name.startsWith('no-') && bools.has(name.slice(3))) throw usage(`--${name} takes no value`);
    const isSwitch = switches.has(name);
    if (!bools.has(name) && !isSwitch) return word;
    const value = plain(text).toLowerCase();
    if (['true', '1', 'yes', 'on'].includes(value)) return `--${name}`;
    if (isSwitch) throw usage(`--${name} takes no value`, `to leave it off, omit --${name}`);
    if (['false', '0', 'no', 'off'].includes(value)) return `--no-${name}`;
    throw usage(`--${name} must be true or false, not ${JSON.stringify(text)}`);
  });
}

/** The flags of a command: `--output`, `--no-masked`. */
function longFlags(command: Command): string[] {
  const fields = Object.entries(command.fields).flatMap(([name, { kind }]) => [
    kebab(name),
    ...(kind === 'bool' ? [`no-${kebab(name)}`] : kind === 'rows' ? [rowFlag(name)] : []),
  ]);
  const names = [...command.flags, ...scopesOf(command)].map(({ name }) => name);
  return [...names, ...fields].map((name) => `--${name}`);
}

/** The flags that the words may contain. To declare all flags to commander would take as long as to load it. */
function mentioned(
  command: Command,
  words: readonly string[],
): Pick<Command, 'flags' | 'fields'> & { scopes: Scope[] } {
  const letters = words.filter((word) => word.startsWith('-') && !word.startsWith('--')).join('');
  const starts = (name: string) => words.some((word) => word.startsWith(`--${name}`));
  const isIn = ({ name, short }: { name: string; short?: string | undefined }) =>
    starts(name) || (short !== undefined && letters.includes(short));
  const fields = Object.entries(command.fields).filter(
    ([name, { kind, short }]) =>
      isIn({ name: kebab(name), short }) ||
      (kind === 'bool' && starts(`no-${kebab(name)}`)) ||
      (kind === 'rows' && starts(rowFlag(name))),
  );
  return {
    flags: command.flags.filter(isIn),
    fields: Object.fromEntries(fields),
    scopes: scopesOf(command).filter(({ name }) => isIn({ name, short: name[0] })),
  };
}

/** Look up the value of a flag; undefined for the default that commander gives a switch with a `--no-` form. */
function typedIn(parser: Parser): (flag: string) => RawValue | undefined {
  return (flag) => {
    const name = new Option(`--${flag}`).attributeName();
    return parser.getOptionValueSource(name) === 'default' ? undefined : parser.getOptionValue(name);
  };
}

/**
 * Parse the words after the name of a command.
 * @param isSample whether literal text is a sample, which need not be a number
 * @throws Failure `usage`
 */
export function parseCommand(command: Command, rest: readonly string[], isSample = false): CommandLine {
  const path = `svc ${pathOf(command)}`.trimEnd();
  const parser = new Parser(path, command);
  const repeated: [string, string][] = [];
  const end = command.tail === undefined ? -1 : rest.indexOf('--');
  const { arguments: args } = command;
  const { flags, fields, scopes } = mentioned(command, rest);
  const read = (flag: ProgramFlag, word: string) => {
    const isUnread = isSample && flag.kind !== 'text' && hasMark(word);
    const value = isUnread ? word : readFlagValue(flag, word, `--${flag.name}`);
    if (flag.repeats) repeated.push([flag.name, String(value)]);
    return value;
  };
  for (const flag of flags) addProgramFlag(parser, flag, read);
  for (const [name, field] of Object.entries(fields)) addField(parser, name, field);
  for (const { name } of scopes) parser.addOption(new Option(`-${name[0]}, --${name} <id|path>`));
  // --data may provide an argument that is part of the body.
  const hasData = rest.some((word) => word === '--data' || word.startsWith('--data='));
  const inBody = (field: string) => command.endpoints.some(({ takes }) => takes[field] !== undefined);
  const required = args.filter((one) => one.required && !(hasData && inBody(one.field)));
  for (const { name, variadic } of args) parser.argument(`[${name}${variadic ? '...' : ''}]`);
  const bools = new Set(
    Object.entries(fields).flatMap(([name, { kind }]) => (kind === 'bool' ? [kebab(name)] : [])),
  );
  const switches = new Set(flags.flatMap(({ name, kind }) => (kind === undefined ? [name] : [])));
  try {
    parser.parse(rewrite(end < 0 ? rest : rest.slice(0, end), bools, switches, parser), { from: 'user' });
  } catch (error) {
    throw error instanceof CommanderError ? usage(error.message, `see ${path} --help`) : error;
  }
  const words = parser.args;
  // An optional argument may precede a required one, as in `api [METHOD] <path>`.
  const missing = required[words.length];
  if (missing) {
    const values = choicesOf(missing.of);
    parser.fail(`<${missing.name}> is missing`, ...(values ? [`values: ${values.join(', ')}`] : []));
  }
  if (words.length > args.length && !args.some(({ variadic }) => variadic))
    parser.fail(
      tooMany(args.length, words.length),
      ...(command.tail === undefined ? [] : ['put the command after --']),
    );
  const typed = typedIn(parser);
  for (const { name, short, required: hint } of command.flags)
    if (hint !== undefined && typed(name) === undefined)
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
    fields: readFields(fields, typed),
    options: readOptions(flags, typed),
    repeated,
    ...scopeOf('project', scopes, typed),
    ...scopeOf('group', scopes, typed),
  };
}

function tooMany(max: number, given: number): string {
  const expected = max === 0 ? 'no arguments' : max === 1 ? '1 argument' : `${max} arguments`;
  return `too many arguments: expected ${expected}, got ${given}`;
}

function readFields(
  fields: Command['fields'],
  typed: (flag: string) => RawValue | undefined,
): Record<string, RawValue> {
  const read: Record<string, RawValue> = {};
  const list = (value: RawValue | undefined) => (typeof value === 'object' ? value : []);
  for (const [name, { kind }] of Object.entries(fields)) {
    const value = typed(kebab(name));
    const rows = kind === 'rows' ? typed(rowFlag(name)) : undefined;
    if (rows !== undefined) read[name] = [...list(value), ...list(rows)];
    else if (value !== undefined) read[name] = value;
  }
  return read;
}

/** The options of the flags that were typed; `noHeader` is true for `--no-header`. */
function readOptions(flags: readonly ProgramFlag[], typed: (flag: string) => RawValue | undefined): Options {
  const read: Record<string, unknown> = {};
  for (const { name, repeats } of flags) {
    const value = name.startsWith('no-') ? typed(name.slice(3)) === false || undefined : typed(name);
    if (value !== undefined && !repeats) read[optionName(name)] = value;
  }
  // The table of flags gives both the names and the types.
  return read as Options;
}

function scopeOf(
  name: 'project' | 'group',
  scopes: readonly Scope[],
  typed: (flag: string) => RawValue | undefined,
) {
  const value = scopes.some((scope) => scope.name === name) ? typed(name) : undefined;
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
