/** The words of a command line. Every reader of argv uses this module, so that a value is never mistaken for a flag. */
import type { FlagForm } from '../../spec/command-flags.ts';
import { allFlags } from './flags.ts';

export interface FlagToken<F> {
  readonly kind: 'flag';
  readonly flag: F;
  /** The long name as typed, or that of a short flag: `no-masked`, `files`. */
  readonly name: string;
  readonly value?: string;
}

export type Token<F> =
  | FlagToken<F>
  | { readonly kind: 'unknown'; readonly word: string }
  | { readonly kind: 'argument'; readonly word: string; readonly at: number }
  /** `--`, and the words after it. */
  | { readonly kind: 'end'; readonly rest: readonly string[] };

const isFlag = (word: string): boolean => word.length > 1 && word.startsWith('-');

/** Read words one by one. Unknown flags have no value. @param flags the known flags */
export function* tokensOf<F extends FlagForm>(
  words: readonly string[],
  flags: readonly F[],
): Generator<Token<F>, void> {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return yield { kind: 'end', rest: words.slice(at + 1) };
    if (!isFlag(word)) yield { kind: 'argument', word, at };
    else
      for (const token of flagsIn(word, flags)) {
        const next = words[at + 1];
        const isValue =
          token.kind === 'flag' && token.value === undefined && next !== undefined && takes(token.flag, next);
        if (isValue) at++;
        yield isValue ? { ...token, value: next } : token;
      }
  }
}

function takes({ value }: FlagForm, next: string): boolean {
  return value === 'required' || (value === 'optional' && !isFlag(next));
}

/** The flags in one word: `--scope=x`, `-pacme/rocket`, or a group such as `-yq`. */
export function* flagsIn<F extends FlagForm>(word: string, flags: readonly F[]): Generator<Token<F>, void> {
  if (word.startsWith('--')) {
    const [name = ''] = word.slice(2).split('=', 1);
    const flag = flags.find((one) => namesOf(one).includes(name));
    const value = word.includes('=') ? { value: word.slice(word.indexOf('=') + 1) } : {};
    return yield flag ? { kind: 'flag', flag, name, ...value } : { kind: 'unknown', word };
  }
  for (let at = 1; at < word.length; at++) {
    const flag = flags.find(({ short }) => short === word[at]);
    if (!flag) return yield { kind: 'unknown', word: `-${word.slice(at)}` };
    const { name } = flag;
    const rest = word.slice(at + 1);
    if (rest.startsWith('=') || (flag.value && rest !== ''))
      return yield { kind: 'flag', flag, name, value: rest.replace(/^=/, '') };
    yield { kind: 'flag', flag, name };
  }
}

/** The long names of a flag, without dashes. */
export function namesOf({ name, alias, negatable }: FlagForm): string[] {
  return [name, ...(alias === undefined ? [] : [alias]), ...(negatable ? [`no-${name}`] : [])];
}

/** The flags that words contain, with dashes, unknown ones included. */
export function givenIn(words: readonly string[], flags: readonly FlagForm[]): ReadonlySet<string> {
  const given = new Set<string>();
  for (const token of tokensOf(words, flags))
    if (token.kind === 'flag') given.add(`--${token.flag.name}`);
    else if (token.kind === 'unknown') given.add(token.word);
  return given;
}

/** The flags that may precede the command. An optional value is recognized only once the command is known. */
const leadingFlags: readonly FlagForm[] = [
  ...allFlags.map(([name, { short, kind, optional }]): FlagForm => {
    return { name, short, ...(kind === undefined || optional ? {} : { value: 'required' }) };
  }),
  { name: 'project', short: 'p', value: 'required' },
  { name: 'group', short: 'g', value: 'required' },
];

const versionFlags: readonly FlagForm[] = ['V', 'v'].map((short) => ({ name: 'version', short }));

export interface SplitArgv {
  /** The first two words that are not flags. */
  readonly area?: string | undefined;
  readonly command?: string | undefined;
  readonly rest: readonly string[];
  /** `--version`, `-V` or `-v` is given before a command. */
  readonly version: boolean;
  /** The output format and the value of `--color`, which also apply to errors of parsing. */
  readonly format?: string | undefined;
  readonly color?: string | undefined;
}

/** Split argv into the command and the rest. Only flags of the program may precede the command. */
export function splitArgv(argv: readonly string[]): SplitArgv {
  const places: number[] = [];
  let searching = true;
  let version = false;
  let format: string | undefined;
  let color: string | undefined;
  for (const token of tokensOf(argv, [...leadingFlags, ...versionFlags])) {
    if (token.kind === 'argument' && searching && places.length < 2) places.push(token.at);
    // The words after `svc each … --` are a command line of svc, and its format applies to errors too.
    if (token.kind === 'end' && argv[places[0] ?? -1] === 'each') format ??= splitArgv(token.rest).format;
    if (token.kind === 'unknown') searching = false;
    if (token.kind !== 'flag') continue;
    const { name, value } = token;
    if (name === 'version') {
      version ||= places.length === 0;
      searching = false;
    }
    if (name === 'json' || name === 'csv') format = name;
    if (name === 'output') format = value || format;
    if (name === 'color') color = value ?? color;
  }
  const [area, command] = places.map((at) => argv[at]);
  return { area, command, rest: argv.filter((_, at) => !places.includes(at)), version, format, color };
}

/** The words after the name of a command. For a command of one word, the second one is an argument. */
export function restOf(
  { command, rest }: SplitArgv,
  { area, name }: { readonly area: string; readonly name: string },
): readonly string[] {
  return area === name && command !== undefined ? [command, ...rest] : rest;
}
