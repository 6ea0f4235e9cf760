/** Parse the flags and arguments of a command with commander. */
import { Command as Commander, Option } from 'commander';
import { usage } from '../../errors.ts';
import { type Command, pathOf } from '../../spec/command.ts';
import { type CommandFlag, commandFlags } from '../../spec/command-flags.ts';
import { choicesOf, type Field } from '../../spec/field.ts';
import { isFreeText, readFlagValue } from '../../spec/flag.ts';
import { counted } from '../../spec/names.ts';
import { quotedWord } from '../../support/mask.ts';
import { type Fill, filled, hasPlaceholder } from '../../support/placeholders.ts';
import { didYouMean, nearest } from '../../support/suggest.ts';
import type { TaskLine } from '../../tasks/context.ts';
import { guessFlag } from '../unknown.ts';
import { allFlags, type Options, optionName, serverFlags } from './flags.ts';
import { type FlagToken, namesOf, type Token, tokensOf } from './split.ts';

export type RawValue = string | boolean | readonly string[];

/** A parsed command line, before any value is validated. */
export interface CommandLine<O = Options> extends Omit<TaskLine, 'options'> {
  /** Parameters of the API as values, from a program instead of a command line. No text in them names a file. */
  readonly typed?: Readonly<Record<string, unknown>> | undefined;
  readonly options: O;
}

const repeatable = new Set<Field['kind']>(['list', 'hash', 'rows']);
const append = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

function addFlag(
  parser: Commander,
  flag: CommandFlag,
  read: (flag: CommandFlag, word: string) => unknown,
): Option {
  const placeholder = { required: ' <value>', optional: ' [value]', none: '' }[flag.value ?? 'none'];
  const option = new Option(`--${flag.name}${placeholder}`);
  if (flag.option && flag.value) option.argParser((word: string) => read(flag, word));
  if (flag.field && repeatable.has(flag.field.kind)) option.argParser(append);
  parser.addOption(option);
  if (flag.negatable) parser.addOption(new Option(`--no-${flag.name}`));
  return option;
}

/** The error for a flag that the command does not accept. @param known the flags of the command, with dashes */
function unknownFlag(
  word: string,
  path: string,
  known: readonly string[],
  shorts: readonly string[],
): [string, ...string[]] {
  // The value, after `=` or the letter of a short flag, may be a secret.
  const name = word.startsWith('--') ? word.replace(/=.*$/s, '') : word.slice(0, 2);
  const guess = guessFlag(name, [...known, ...shorts]);
  const other = allFlags.find(([flag, { short }]) => [`--${flag}`, `-${short}`].includes(name));
  if (other && guess.length === 0) return [`${path} does not accept --${other[0]}`];
  if (hasPlaceholder(name)) return ['a placeholder cannot be a flag', 'use it in an argument or a value'];
  if (/^-\d/.test(name)) return [`unknown flag ${name}`, 'put -- before a value that starts with -'];
  if (guess.length > 0) return [`unknown flag ${name}`, ...guess];
  // The hyphens, which all have, do not make two flags similar.
  const bare = known.map((flag) => flag.slice(2));
  const near = nearest(name.replace(/^--/, ''), bare).map((flag) => `--${flag}`);
  return [`unknown flag ${name}`, ...didYouMean(near)];
}

/** Write a flag in the form that commander reads unambiguously: `--name=value`, or the long name of a switch. */
function normalized({ flag, name: typed, value }: FlagToken<CommandFlag>, fill: Fill | undefined): string {
  const { name, negatable } = flag;
  const isNegated = typed === `no-${name}`;
  if (value === undefined) return `--${isNegated ? typed : name}`;
  if (flag.value) return `--${name}=${value}`;
  if (isNegated) throw usage(`--${typed} takes no value`);
  const text = !fill && hasPlaceholder(value) ? 'true' : filled(value, fill).toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(text)) return `--${name}`;
  if (!negatable) throw usage(`--${name} takes no value`, `to leave it off, omit --${name}`);
  if (['false', '0', 'no', 'off'].includes(text)) return `--no-${name}`;
  throw usage(`--${name} must be true or false, not ${JSON.stringify(value)}`);
}

/** Of several projects or servers, a write would silently change the last one only. @throws Failure `usage` */
function rejectSeveral(flag: CommandFlag, tokens: readonly Token<CommandFlag>[]): void {
  const { name, scope } = flag;
  const values = tokens.flatMap((token) => (token.kind === 'flag' && token.flag === flag ? token.value : []));
  if (new Set(values).size > 1)
    throw usage(
      `--${name} is given ${values.length} times with different values`,
      scope ? `for several ${name}s, use svc each --${name}s <file> -- <command>` : 'use it once',
    );
}

const isOfServer = ({ name }: CommandFlag): boolean => serverFlags.some(([flag]) => flag === name);

/**
 * Parse the words after the name of a command.
 * @param fill fills in the placeholders of numbers, choices and booleans; without it, they are not checked. Those of texts remain.
 * @throws Failure `usage`
 */
export function parseCommand(command: Command, rest: readonly string[], fill?: Fill): CommandLine {
  const path = `svc ${pathOf(command)}`.trimEnd();
  const flags = commandFlags(command);
  const fail = (message: string, ...hints: string[]): never => {
    throw usage(message, [...hints, `see ${path} --help`]);
  };
  const repeated: [string, string][] = [];
  const read = ({ option, name }: CommandFlag, word: string) => {
    const isUnread = !option || (hasPlaceholder(word) && (!fill || isFreeText(option)));
    const value = isUnread ? word : readFlagValue(option, filled(word, fill), `--${name}`);
    if (option?.repeats) repeated.push([name, String(value)]);
    return value;
  };
  const tokens = [...tokensOf(rest, flags)];
  // Only the flags that are given: to declare all flags to commander would take as long as to load it.
  const given = new Set(tokens.flatMap((token) => (token.kind === 'flag' ? token.flag : [])));
  const parser = new Commander(path).exitOverride().helpOption(false).allowExcessArguments(true);
  const options = flags.flatMap((flag) =>
    given.has(flag) ? [[flag, addFlag(parser, flag, read)] as const] : [],
  );
  for (const flag of given) if (flag.scope || isOfServer(flag)) rejectSeveral(flag, tokens);
  let tail: readonly string[] = [];
  const words = tokens.flatMap((token) => {
    if (token.kind === 'argument') return token.word;
    // Commander reads a negative number as an argument.
    if (token.kind === 'unknown' && /^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/.test(token.word)) return token.word;
    if (token.kind === 'flag') {
      const { flag, value } = token;
      return flag.value === 'required' && value === undefined
        ? fail(`--${flag.name} requires a value`)
        : normalized(token, fill);
    }
    if (token.kind === 'unknown') {
      const known = flags.flatMap((flag) => namesOf(flag).map((name) => `--${name}`));
      // It must precede a command.
      if (path === 'svc') known.push('--version');
      const shorts = flags.map(({ short }) => `-${short}`);
      return fail(...unknownFlag(token.word, path, known, shorts));
    }
    if (command.tail === undefined) return ['--', ...token.rest];
    tail = token.rest;
    return [];
  });
  parser.parse(words, { from: 'user' });
  const hasData = [...given].some(({ name }) => name === 'data');
  const problem = argumentProblem(command, parser.args, hasData);
  if (problem) fail(...problem);
  const missing = flags.find((flag) => flag.option?.required !== undefined && !given.has(flag));
  if (missing)
    throw usage(
      `${missing.short ? `-${missing.short}` : `--${missing.name}`} is missing`,
      missing.option?.required,
    );
  const line = { fields: {} as Record<string, RawValue>, options: {} as Record<string, unknown> };
  const scopes: { project?: string; group?: string } = {};
  for (const [{ name, value, scope, parameter, option, negatable }, declared] of options) {
    const typed = value || negatable ? parser.getOptionValue(declared.attributeName()) : true;
    if (scope) scopes[scope] = typed;
    else if (parameter !== undefined) line.fields[parameter] = typed;
    else if (!option?.repeats) line.options[optionName(name)] = typed;
  }
  const pairs = command.arguments.flatMap(({ field }, at) => {
    const word = parser.args[at];
    return word === undefined ? [] : [[field, word] as const];
  });
  return {
    args: Object.fromEntries(pairs),
    words: parser.args,
    tail,
    fields: line.fields,
    // The table of flags gives both the names and the types.
    options: line.options as Options,
    repeated,
    ...scopes,
  };
}

/** Return what is wrong with the number of arguments, and hints. @param hasData whether --data may provide one */
function argumentProblem(
  { area, name, arguments: all, endpoints, tail }: Command,
  words: readonly string[],
  hasData: boolean,
): [string, ...string[]] | undefined {
  const inBody = (field: string) => endpoints.some(({ takes }) => takes[field] !== undefined);
  const required = all.filter((one) => one.required && !(hasData && inBody(one.field)));
  // An optional argument may precede a required one, as in `api [METHOD] <path>`.
  const count = words.length;
  const missing = required[count];
  if (missing) {
    const values = choicesOf(missing.of);
    return [`<${missing.name}> is missing`, ...(values ? [`values: ${values.join(', ')}`] : [])];
  }
  if (count <= all.length || all.some(({ variadic, repeats }) => variadic ?? repeats)) return undefined;
  const expected = all.length === 0 ? 'no arguments' : counted(all.length, 'argument');
  const hints = tail === undefined ? [] : ['put the command after --'];
  // Of several words, one may be a secret.
  const got = all.length === 0 && count === 1 ? quotedWord(words[0] ?? '') : count;
  return [`${pathOf({ area, name })} takes ${expected}, but got ${got}`, ...hints];
}
