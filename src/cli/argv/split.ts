/** The first pass over argv: find the command, and the flags that apply before it is loaded. */
import type { FlagSpec } from '../../spec/flag.ts';
import { programFlags } from './flags.ts';

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

const flags: Readonly<Record<string, FlagSpec>> = programFlags;
const scopes = ['--project', '-p', '--group', '-g'];

/**
 * Whether the value of a flag is the next word; undefined for flags of commands. An optional value is recognized only once the
 * command is known.
 */
function takesValue(flag: string): boolean | undefined {
  if (scopes.includes(flag)) return true;
  const name = flag.startsWith('--')
    ? flag.slice(2)
    : Object.keys(flags).find((one) => flags[one]?.short === flag.slice(1));
  if (name === undefined || !Object.hasOwn(flags, name)) return undefined;
  return flags[name]?.kind !== undefined && !flags[name].optional;
}

/** The rest of a word that starts with a text; undefined for any other word. */
const after = (start: string, word: string): string | undefined =>
  word.startsWith(start) ? word.slice(start.length) : undefined;

function formatIn(word: string): string | undefined {
  if (word === '--json' || word === '--csv') return word.slice(2);
  return (after('--output=', word) ?? after('-o=', word) ?? after('-o', word)) || undefined;
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
    help ||= word === '--help' || word === '-h';
    version ||= word === '--version' || word === '-V' || word === '-v';
    format = formatIn(word) ?? format;
    color = after('--color=', word) ?? color;
    const valued = takesValue(word.split('=', 1)[0] ?? '');
    if (valued === undefined) searching = false;
    if (!valued || word.includes('=') || at + 1 === argv.length) continue;
    at += 1;
    const value = argv[at] ?? '';
    rest.push(value);
    if (word === '-o' || word === '--output') format = value;
    if (word === '--color') color = value;
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
