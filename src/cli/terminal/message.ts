/** The lines of errors, warnings and hints: prefix, color and word wrap. */

import { Measure } from '../../output/table/width.ts';
import { minWrapWidth, wrapWords } from '../../output/table/wrap.ts';
import type { Env, Sink } from '../context.ts';
import { isColored } from './color.ts';

/** How lines are written to a stream. */
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

const red = '31;1';
const yellow = '33;1';
const cyan = '36';
const dim = '2';

/** The kinds of lines. Continuation lines are aligned with the text after the prefix. */
const kinds = {
  error: { prefix: 'error: ', color: red },
  warning: { prefix: 'warning: ', color: yellow },
  hint: { prefix: 'hint: ', color: cyan },
  detail: { prefix: '  ' },
  request: { prefix: '  ', textColor: dim },
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
  const margin = ' '.repeat(prefix.length);
  return lines.map(
    (line, at) =>
      `${at === 0 ? paint(prefix.trimEnd(), color) + gapOf(prefix) : margin}${paint(line, textColor)}`,
  );
}

const gapOf = (prefix: string): string => prefix.slice(prefix.trimEnd().length);
