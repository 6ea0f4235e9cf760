/** The terminal of the user, and how text is made safe for it. */
import { readFileSync } from 'node:fs';
import { redactor, redactValue } from '../../http/redact.ts';
import { printable } from '../../support/text/printable.ts';
import type { Options } from '../argv/flags.ts';
import type { Context, Env } from '../context.ts';
import { isColored, isSet, type MessageStyle, styleOf } from './message.ts';

/** Makes text safe to show: on a terminal, in a note, a plan or a dry run. */
export interface Cleaner {
  /** The tokens of the environment, used or not, and those that became known. */
  readonly tokens: readonly string[];
  addToken(token: string): void;
  /** Make a text one line, without control characters and with known tokens masked. */
  clean(text: string): string;
  /** Copy a value that is shown before it is sent, as in a dry run or a plan, with known tokens masked. */
  withoutTokens<T>(value: T): T;
}

export interface Terminal extends Cleaner {
  /** Standard output, if it is a terminal. */
  readonly screen?: {
    readonly width: number;
    readonly color: boolean;
    readonly accessible: boolean;
    readonly unicode: boolean;
  };
  /** Whether text on standard output is colored. */
  readonly color: boolean;
  /** How progress is shown on standard error: with a spinner, with a line every few seconds, or not at all. */
  readonly progress: 'spinner' | 'lines' | 'none';
  /** Whether the locale supports more than ASCII. */
  readonly unicode: boolean;
  /** The style of errors, warnings and hints on standard error. */
  readonly messages: MessageStyle;
}

/** A shorter text is a placeholder such as `token`, which many messages contain. */
const minTokenLength = 8;

export function createCleaner({ SVC_TOKEN, SVC_JOB_TOKEN, CI_JOB_TOKEN }: Env): Cleaner {
  const tokens: string[] = [];
  const addToken = (token = '') => void (token.length >= minTokenLength && tokens.push(token));
  for (const token of [SVC_TOKEN, SVC_JOB_TOKEN, CI_JOB_TOKEN]) addToken(token);
  const redact = redactor(tokens);
  return {
    tokens,
    addToken,
    clean: (text) => printable(redact(text)),
    withoutTokens: <T>(value: T) => redactValue(value, redact) as T,
  };
}

/** Derive the terminal from `--color`, the streams and the environment. */
export function createTerminal(options: Options, context: Context): Terminal {
  const { env, stdout, stderr } = context;
  const color = isColored(options.color, env, stdout);
  const unicode = showsUnicode(env);
  const accessible = env['SVC_ACCESSIBLE'] === '1';
  const width = stdout.columns ?? 80;
  return {
    ...createCleaner(env),
    ...(stdout.isTTY ? { screen: { width, color, accessible, unicode } } : {}),
    color,
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

/** The start of a confirmation: a check mark if the terminal shows it. The sentence after it carries the meaning. */
export function doneMark({ env, stderr }: Pick<Context, 'env' | 'stderr'>): string {
  return stderr.isTTY && showsUnicode(env) && env['SVC_ACCESSIBLE'] !== '1' ? '✓ ' : '';
}

function progressOn(options: Options, { env, stderr }: Context, accessible: boolean): Terminal['progress'] {
  // A spinner moves the cursor, which the screen of --watch cannot do.
  const canMove = stderr.isTTY === true && 'cursorTo' in stderr;
  if (!canMove || options.quiet === true || isSet(env['CI'])) return 'none';
  return accessible || env['TERM'] === 'dumb' ? 'lines' : 'spinner';
}

/** Whether the terminal belongs to this process group. After `bg`, the shell has it. Known on Linux only. */
export function isForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // -1 without a terminal.
    return foreground === '-1' || group === foreground;
  } catch {
    return true;
  }
}
