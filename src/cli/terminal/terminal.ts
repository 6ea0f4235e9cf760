import type { Env } from '../../config/paths.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';
import { isColored, isSet, styleOf } from './message.ts';

export type Terminal = ReturnType<typeof createTerminal>;

export function createTerminal(options: Options, context: Context) {
  const { env, stdout, stderr } = context;
  const color = isColored(options.color, env, stdout);
  const unicode = showsUnicode(env);
  const accessible = env['SVC_ACCESSIBLE'] === '1';
  const screen = {
    get width() {
      return stdout.columns || 80;
    },
    ...{ color, accessible, unicode, links: color && showsLinks(env) },
  };
  return {
    /** Set if standard output is a terminal. */
    ...(stdout.isTTY ? { screen } : {}),
    color,
    accessible,
    progress: progressOn(options, context, accessible),
    unicode,
    messages: styleOf(stderr, env, options.color),
  };
}

/** Whether the locale supports more than ASCII. Assumed without a locale, as most terminals support it. */
function showsUnicode(env: Env): boolean {
  const locale = (env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'])?.toLowerCase();
  return !locale || ((locale.includes('utf-8') || locale.includes('utf8')) && env['TERM'] !== 'linux');
}

/** Whether the terminal is known to show links (OSC 8). A multiplexer hides which terminal it is. */
function showsLinks(env: Env): boolean {
  const { TERM = '', TERM_PROGRAM = '', VTE_VERSION } = env;
  if (isSet(env['TMUX']) || /^(?:screen|tmux)/.test(TERM)) return false;
  return (
    /^(?:iTerm\.app|WezTerm|vscode|ghostty)$/.test(TERM_PROGRAM) ||
    /^(?:xterm-kitty|xterm-ghostty|alacritty|foot)/.test(TERM) ||
    Number(VTE_VERSION) >= 5000 ||
    isSet(env['WT_SESSION'] ?? env['KONSOLE_VERSION'])
  );
}

/** The start of a confirmation: a check mark if the terminal shows it. The sentence after it carries the meaning. */
export function doneMark({ env, stderr }: Pick<Context, 'env' | 'stderr'>): string {
  return stderr.isTTY && showsUnicode(env) && env['SVC_ACCESSIBLE'] !== '1' ? '✓ ' : '';
}

/** How progress is shown on standard error: with a spinner, with a line every few seconds, or not at all. */
function progressOn(options: Options, { env, stderr }: Context, accessible: boolean) {
  // A spinner moves the cursor, which the screen of --watch cannot do.
  const canMove = stderr.isTTY === true && 'cursorTo' in stderr;
  if (!canMove || options.quiet === true || isSet(env['CI'])) return 'none';
  return accessible || env['TERM'] === 'dumb' ? 'lines' : 'spinner';
}
