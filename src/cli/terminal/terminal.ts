import { printable } from '../../output/text.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';

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

const set = (value: string | undefined): boolean => value !== undefined && value !== '';

/** `--color`, then NO_COLOR, CLICOLOR_FORCE, CLICOLOR, TERM=dumb, then whether standard output is a terminal (interface section 3). */
function wantsColor(options: Options, context: Context): boolean {
  const { env } = context;
  if (options.color === 'always') return true;
  if (options.color === 'never' || set(env['NO_COLOR'])) return false;
  if (set(env['CLICOLOR_FORCE']) && env['CLICOLOR_FORCE'] !== '0') return true;
  if (env['CLICOLOR'] === '0' || env['TERM'] === 'dumb') return false;
  return context.stdout.isTTY === true;
}

/** Whether the locale supports more than ASCII. Assumed without a locale, as most terminals support it. */
function showsUnicode(env: Context['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return !locale || (/utf-?8/i.test(locale) && env['TERM'] !== 'linux');
}

/** Derive the terminal from `--color`, the streams and the environment. */
export function createTerminal(options: Options, context: Context): Terminal {
  const { env, stdout, stderr } = context;
  const color = wantsColor(options, context);
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
      !set(env['CI']),
    clean: (text) => printable(text, { multiline: true }),
  };
}
