/** The lines of errors, warnings and hints: prefix, color and word wrap. */

import type { Env } from '../../config/paths.ts';
import { Measure } from '../../output/table/width.ts';
import { minWrapWidth, wrapWords } from '../../output/table/wrap.ts';
import type { Sink } from '../context.ts';

export interface MessageStyle {
  /** Columns of a terminal; undefined for a pipe or a file, where lines are not wrapped. */
  readonly width: number | undefined;
  readonly color: boolean;
}

/** The style for a stream. @param choice the value of `--color` */
export function styleOf(stream: Sink, env: Env, choice: string | undefined): MessageStyle {
  const { isTTY, columns = 0 } = stream;
  return {
    width: isTTY === true && columns >= minWrapWidth ? columns : undefined,
    color: isColored(choice, env, stream),
  };
}

export const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

/** Whether text on a stream is colored: `--color`, NO_COLOR, CLICOLOR_FORCE, CLICOLOR, TERM=dumb, then whether it is a terminal. */
export function isColored(choice: string | undefined, env: Env, stream: Pick<Sink, 'isTTY'>): boolean {
  if (choice === 'always') return true;
  if (choice === 'never' || isSet(env['NO_COLOR'])) return false;
  if (isSet(env['CLICOLOR_FORCE']) && env['CLICOLOR_FORCE'] !== '0') return true;
  if (env['CLICOLOR'] === '0' || env['TERM'] === 'dumb') return false;
  return stream.isTTY === true;
}

/** The kinds of lines, with colors as SGR codes. Continuation lines are aligned with the text after the prefix. */
const kinds = {
  error: { prefix: 'error: ', color: '31;1' },
  warning: { prefix: 'warning: ', color: '33;1' },
  hint: { prefix: 'hint: ', color: '36' },
  detail: { prefix: '  ' },
  request: { prefix: '  ', textColor: '2' },
} as const satisfies Record<string, { prefix: string; color?: string; textColor?: string }>;

/** Format one message: `error: …`, wrapped between words and colored as the style says. A request stays on one line, to be copied. */
export function messageLines(kind: keyof typeof kinds, text: string, style: MessageStyle): string[] {
  const { prefix, color, textColor }: { prefix: string; color?: string; textColor?: string } = kinds[kind];
  const paint = (part: string, code: string | undefined) =>
    style.color && code !== undefined ? `\u001b[${code}m${part}\u001b[0m` : part;
  const lines =
    style.width === undefined || kind === 'request'
      ? [text]
      : wrapWords(text, style.width - prefix.length, new Measure(), 'keep');
  const title = prefix.trimEnd();
  const first = paint(title, color) + prefix.slice(title.length);
  return lines.map((line, at) => (at === 0 ? first : ' '.repeat(prefix.length)) + paint(line, textColor));
}

/** Wait for the end of a command, then ring the bell of a terminal and show a notification (OSC 9). */
export async function notifying<T>(
  running: Promise<T>,
  command: string,
  { stderr, env }: { readonly stderr: Sink; readonly env: Env },
): Promise<T> {
  const notify = (outcome: string) => {
    const text = env['TERM'] === 'dumb' ? '' : `\u001b]9;${command} ${outcome}\u001b\\`;
    if (stderr.isTTY) stderr.write(`\u0007${text}`);
  };
  try {
    const code = await running;
    notify(code === 0 ? 'finished' : `failed (exit ${code})`);
    return code;
  } catch (error) {
    notify('failed');
    throw error;
  }
}
