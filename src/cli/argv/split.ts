/** The first pass over argv: find the command, and the flags that apply before it is loaded. */
import type { Command } from '../../spec/command.ts';
import { allFlags } from './flags.ts';
import { type FlagForm, readFlag, takesNextWord } from './words.ts';

export interface SplitArgv {
  /** The first two words that are not flags. */
  readonly area?: string;
  readonly command?: string;
  /** All other words, in order. */
  readonly rest: readonly string[];
  /** `--help` or `-h` is given. */
  readonly help: boolean;
  /** `--version`, `-V` or `-v` is given. */
  readonly version: boolean;
  /** The output format and the value of `--color`, which also apply to errors of parsing. */
  readonly format?: string;
  readonly color?: string;
}

const scopes = ['project', 'group'].map((name) => ({ name: `--${name}`, short: `-${name[0]}`, value: '' }));
/** The flags that may precede the command. */
const flags: readonly FlagForm[] = [...allFlags.map(formOf), ...scopes];

function formOf([name, { short, kind, optional }]: (typeof allFlags)[number]): FlagForm {
  const value = optional ? '[]' : '';
  return {
    name: `--${name}`,
    ...(short ? { short: `-${short}` } : {}),
    ...(kind === undefined ? {} : { value }),
  };
}

/**
 * Split argv into the command and the rest, so that `svc --sandbox jobs list` and `svc jobs --json list` work too.
 * Only flags of the program may precede the command; an unknown flag ends the search for it.
 */
export function splitArgv(argv: readonly string[]): SplitArgv {
  const found: string[] = [];
  const rest: string[] = [];
  let searching = true;
  let help = false;
  let version = false;
  let format: string | undefined;
  let color: string | undefined;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') {
      rest.push(...argv.slice(at));
      // The words after it are a command line of svc, and its format applies to errors too.
      if (found[0] === 'each') format ??= splitArgv(argv.slice(at + 1)).format;
      break;
    }
    if (searching && found.length < 2 && (!word.startsWith('-') || word === '-')) {
      found.push(word);
      continue;
    }
    rest.push(word);
    if (!word.startsWith('-')) continue;
    version ||= word === '--version' || word === '-V' || word === '-v';
    const read = readFlag(word, flags);
    if (!read) searching = false;
    const name = read?.flag.name.slice(2);
    help ||= name === 'help';
    if (name === 'json' || name === 'csv') format = name;
    let value = read?.value;
    // An optional value is recognized only once the command is known.
    if (read && value === undefined && takesNextWord(read.flag) && at + 1 < argv.length) {
      at += 1;
      value = argv[at] ?? '';
      rest.push(value);
    }
    if (name === 'output') format = value || format;
    if (name === 'color') color = value ?? color;
  }
  const [area, command] = found;
  return {
    ...(area === undefined ? {} : { area }),
    ...(command === undefined ? {} : { command }),
    rest,
    help,
    version,
    ...(format === undefined ? {} : { format }),
    ...(color === undefined ? {} : { color }),
  };
}

/** The words after the name of a command. For a command of one word, the second one is an argument. */
export function restOf({ command, rest }: SplitArgv, { area, name }: Command): readonly string[] {
  return area === name && command !== undefined ? [command, ...rest] : rest;
}
