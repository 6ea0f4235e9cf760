import { printable } from '../../output/text.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';
import { isColored, isSet } from './color.ts';

/** The terminal of the user. */
export interface Terminal {
  /** Standard output, if it is a terminal. */
  readonly screen?: {
    readonly width: number;
    readonly color: boolean;
    readonly accessible: boolean;
    readonly unicode: boolean;
  };
  /** Whether text on standard output is colored. */
  readonly color: boolean;
  /** Whether spinners and progress indicators are shown on standard error. */
  readonly animate: boolean;
  /** Remove control characters from text for standard error. */
  clean(text: string): string;
}

/** Whether the locale supports more than ASCII. Assumed without a locale, as most terminals support it. */
function showsUnicode(env: Context['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return !locale || (/utf-?8/i.test(locale) && env['TERM'] !== 'linux');
}

/** Derive the terminal from `--color`, the streams and the environment. */
export function createTerminal(options: Options, context: Context): Terminal {
  const { env, stdout, stderr } = context;
  const color = isColored(options.color, env, stdout);
  const accessible = env['SVC_ACCESSIBLE'] === '1';
  const width = stdout.columns || Number(env['COLUMNS']) || 80;
  return {
    ...(stdout.isTTY ? { screen: { width, color, accessible, unicode: showsUnicode(env) } } : {}),
    color,
    animate:
      stderr.isTTY === true &&
      // A spinner has to move the cursor.
      'cursorTo' in stderr &&
      !accessible &&
      env['TERM'] !== 'dumb' &&
      options.quiet !== true &&
      !isSet(env['CI']),
    clean: (text) => printable(text, { multiline: true }),
  };
}
