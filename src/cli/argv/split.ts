import { globalFlags } from './flags.ts';

/** A command line, sorted enough to know which area to load. */
export interface SplitArgv {
  /** The area or built-in group, and the command: the first two words that are no flags. */
  readonly area?: string;
  readonly command?: string;
  /** What follows them, with the flags that stood before. */
  readonly rest: readonly string[];
}

const takesValue = new Map(
  globalFlags.flatMap(({ name, short, value }) =>
    [`--${name}`, ...(short ? [`-${short}`] : [])].map(
      // A value that may be left out is only known as one where a command is parsed.
      (word) => [word, value !== undefined && !value.startsWith('[')] as const,
    ),
  ),
);
for (const scope of ['--project', '-p', '--group', '-g']) takesValue.set(scope, true);

/**
 * Find the first two words, so that `svc --sandbox jobs list` and `svc jobs --json list` work as anybody would expect.
 * Only flags of `svc` itself may stand before the command; an unknown one ends the search.
 */
export function splitArgv(argv: readonly string[]): SplitArgv {
  const found: string[] = [];
  const flags: string[] = [];
  let at = 0;
  while (at < argv.length && found.length < 2) {
    const word = argv[at] as string;
    if (word === '--') break;
    if (!word.startsWith('-') || word === '-') {
      found.push(word);
      at += 1;
      continue;
    }
    const valued = takesValue.get(word.replace(/=.*$/s, ''));
    if (valued === undefined) break;
    const takes = valued && !word.includes('=') && at + 1 < argv.length ? 2 : 1;
    flags.push(...argv.slice(at, at + takes));
    at += takes;
  }
  const [area, command] = found;
  return {
    ...(area === undefined ? {} : { area }),
    ...(command === undefined ? {} : { command }),
    rest: [...flags, ...argv.slice(at)],
  };
}

/** Whether a command line asks for its errors as JSON; read before anything is parsed, since parsing may be what fails. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some(
    (word, at) =>
      word === '--json' ||
      /^(--output=|-o=?)(nd)?json$/.test(word) ||
      ((word === '-o' || word === '--output') && /^(nd)?json$/.test(words[at + 1] ?? '')),
  );
}

/** Whether a command line asks for help, before anything is parsed: what follows `--` is another command's. */
export function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h');
}
