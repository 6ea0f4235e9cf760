/** Flags as words of a command line, before anything is validated. */

/** How a flag is written. */
export interface FlagForm {
  /** `--scope` */
  readonly name: string;
  /** `-o` */
  readonly short?: string;
  /** Placeholder of the value, in brackets if it is optional; absent for a switch. */
  readonly value?: string;
  /** Another flag for the same parameter: `--files` for `--file`. */
  readonly listFlag?: string;
  /** Accepts a `--no-` form. */
  readonly negatable?: true;
}

/** A flag in a word. */
export interface FlagWord<F extends FlagForm> {
  readonly flag: F;
  /** The value in the same word: `x` in `--scope=x`, `acme/rocket` in `-pacme/rocket`. */
  readonly value?: string;
  /** The part of the word before its value: `--scope=`. */
  readonly lead: string;
}

/** Whether the next word is the value of a flag that has none in its own word. */
export function takesNextWord({ value }: FlagForm): boolean {
  return value !== undefined && !value.startsWith('[');
}

/** Find the flag that a word contains. For a group of short switches such as `-yq`, this is the last one. */
export function readFlag<F extends FlagForm>(word: string, flags: readonly F[]): FlagWord<F> | undefined {
  return word.startsWith('--') ? readLong(word, flags) : readShort(word, flags);
}

/** Whether a flag is given, and not as the value of another one. Unknown flags have no value. */
export function isGiven(name: string, words: readonly string[], flags: readonly FlagForm[]): boolean {
  for (let at = 0; at < words.length && words[at] !== '--'; at++) {
    const word = words[at] ?? '';
    const found = word.startsWith('-') ? readFlag(word, flags) : undefined;
    if (found?.flag.name === name) return true;
    if (found && found.value === undefined && takesNextWord(found.flag)) at++;
  }
  return false;
}

function readLong<F extends FlagForm>(word: string, flags: readonly F[]): FlagWord<F> | undefined {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  const flag = flags.find(
    (one) =>
      one.name === name ||
      one.listFlag === name ||
      (one.negatable === true && name === `--no-${one.name.slice(2)}`),
  );
  if (!flag) return undefined;
  const lead = equals < 0 ? word : word.slice(0, equals + 1);
  return equals < 0 ? { flag, lead } : { flag, lead, value: word.slice(lead.length) };
}

function readShort<F extends FlagForm>(word: string, flags: readonly F[]): FlagWord<F> | undefined {
  let last: FlagWord<F> | undefined;
  for (let at = 1; at < word.length; at++) {
    const flag = flags.find(({ short }) => short === `-${word[at]}`);
    if (!flag) return undefined;
    const end = word[at + 1] === '=' ? at + 2 : at + 1;
    if (flag.value !== undefined && end < word.length)
      return { flag, lead: word.slice(0, end), value: word.slice(end) };
    last = { flag, lead: word };
  }
  return last;
}
