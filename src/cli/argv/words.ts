/** Separate the flags of a command line from its arguments. */
import { usage } from '../../errors.ts';
import { type Command, type ProgramFlag, scopesOf } from '../../spec/command.ts';
import type { Field } from '../../spec/field.ts';
import { kebab, rowFlag } from '../../spec/names.ts';
import { plain } from '../../support/literal.ts';
import { suggest } from '../../support/suggest.ts';

/** The value of a flag as typed. */
export type RawValue = string | boolean | readonly string[];

/** A flag that can be typed. */
export interface Flag {
  /** Its value is stored under this name. */
  readonly key: string;
  readonly takes: 'nothing' | 'a value' | 'an optional value';
  /** What it means without a value. */
  readonly implies: boolean;
  /** `--flag=false` means `--no-flag`. */
  readonly negatable?: true;
  /** Convert a value. @param before the value of an earlier flag */
  readonly read: (word: string, before: RawValue | undefined) => RawValue;
}

export type Fail = (message: string, ...hints: string[]) => never;

const only = (word: string): RawValue => word;
const append = (word: string, before: RawValue | undefined): RawValue => [
  ...(typeof before === 'object' ? before : []),
  word,
];
const repeatable = new Set<Field['kind']>(['list', 'hash', 'rows']);

const switchFor = (key: string, implies: boolean): Flag => ({ key, takes: 'nothing', implies, read: only });
const flagFor = (key: string, read: Flag['read']): Flag => ({ key, takes: 'a value', implies: true, read });

/**
 * Return the flags of a command by what is typed: `--output` and `-o`.
 * @param repeated receives the values of flags of the program that may be repeated
 */
export function flagsOf(command: Command, repeated: [string, string][]): Map<string, Flag> {
  const known = new Map<string, Flag>();
  const add = (name: string, flag: Flag, short?: string) => {
    known.set(`--${name}`, flag);
    if (short) known.set(`-${short}`, flag);
  };
  for (const flag of command.flags) add(flag.name, programFlag(flag, repeated), flag.short);
  for (const [name, { kind, short }] of Object.entries(command.fields)) {
    const key = kebab(name);
    if (kind === 'bool') {
      add(key, { ...switchFor(key, true), negatable: true });
      add(`no-${key}`, switchFor(key, false));
      continue;
    }
    add(key, flagFor(key, repeatable.has(kind) ? append : only), short);
    const row = kind === 'rows' ? rowFlag(name) : key;
    if (row !== key) add(row, flagFor(row, append));
  }
  for (const { name } of scopesOf(command)) add(name, flagFor(name, only), name[0]);
  return known;
}

function programFlag({ name, value, choices, repeats }: ProgramFlag, repeated: [string, string][]): Flag {
  if (value === undefined) return switchFor(name, true);
  const read = (word: string) => {
    if (choices && !choices.includes(word))
      throw usage(`--${name}: unknown value ${JSON.stringify(word)}`, [
        ...suggest(word, choices),
        `values: ${choices.join(', ')}`,
      ]);
    if (repeats) repeated.push([name, word]);
    return word;
  };
  return { ...flagFor(name, read), takes: value.startsWith('[') ? 'an optional value' : 'a value' };
}

export interface Words {
  /** The words that are not flags. */
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, RawValue>;
  /** The first flag that the command does not have, as typed. */
  readonly unknown: string | undefined;
}

/**
 * Separate flags from arguments by the conventions of POSIX and GNU: `--flag value`, `--flag=value`, `-f value`, `-fvalue`, `-abc`, and
 * `--` before arguments. `-f=value` and `--flag=false` are accepted too. A number such as `-1` is an argument.
 * @throws Failure `usage` for a missing or invalid value
 */
export function parseWords(given: readonly string[], known: ReadonlyMap<string, Flag>, fail: Fail): Words {
  const words: string[] = [];
  const values = new Map<string, RawValue>();
  const rest = [...given];
  let unknown: string | undefined;
  const set = ({ key, read }: Flag, word: string) => values.set(key, read(word, values.get(key)));
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      words.push(...rest);
      break;
    }
    const { flag, value, others } = findFlag(word, known);
    if (!flag) {
      if (looksLikeFlag(word)) unknown ??= word;
      else words.push(word);
    } else if (flag.takes === 'nothing') {
      values.set(flag.key, value === undefined ? flag.implies : truth(flag, value));
      if (others !== undefined) rest.unshift(`-${others}`);
    } else if (value !== undefined) {
      set(flag, value);
    } else if (flag.takes === 'a value') {
      set(flag, rest.shift() ?? fail(`--${flag.key} requires a value`));
    } else {
      const next = rest[0] === undefined || looksLikeFlag(rest[0]) ? undefined : rest.shift();
      if (next === undefined) values.set(flag.key, flag.implies);
      else set(flag, next);
    }
  }
  return { words, values, unknown };
}

interface Found {
  readonly flag?: Flag | undefined;
  /** The value in the same word. */
  readonly value?: string;
  /** Further short flags in the same word. */
  readonly others?: string;
}

/** Find the flag at the start of a word. */
function findFlag(word: string, known: ReadonlyMap<string, Flag>): Found {
  if (!word.startsWith('-')) return {};
  const exact = known.get(word);
  if (exact) return { flag: exact };
  if (!word.startsWith('--')) {
    const flag = known.get(word.slice(0, 2));
    // kubectl and gh accept `-o=json` too.
    const isAssigned = word[2] === '=' && word.length > 3;
    if (flag?.takes === 'nothing' && !isAssigned)
      return word[2] === '-' ? {} : { flag, others: word.slice(2) };
    return { flag, value: word.slice(isAssigned ? 3 : 2) };
  }
  const equals = word.indexOf('=');
  const flag = equals < 0 ? undefined : known.get(word.slice(0, equals));
  return { flag, value: word.slice(equals + 1) };
}

function looksLikeFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && !/^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/.test(word);
}

/** Read the value of a flag that takes none: `--masked=false`. */
function truth({ key, implies, negatable }: Flag, text: string): boolean {
  // `--no-masked=false` has no clear meaning.
  if (!implies) throw usage(`--no-${key} takes no value`);
  const value = plain(text).toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(value)) return true;
  if (!negatable) throw usage(`--${key} takes no value`, `to leave it off, omit --${key}`);
  if (['false', '0', 'no', 'off'].includes(value)) return false;
  throw usage(`--${key} must be true or false, not ${JSON.stringify(text)}`);
}
