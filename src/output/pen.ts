/** Draws the parts of pictures. */
import { showDuration } from '../support/number.ts';
import { type Pen, scaleTimes } from '../support/text/pen.ts';
import { printable } from '../support/text/printable.ts';
import type { Terminal } from './model.ts';
import { meaning, painter } from './table/paint.ts';
import { Measure } from './table/width.ts';
import { wrapWords } from './table/wrap.ts';

const levels = { unicode: '▁▂▃▄▅▆▇█', ascii: '_.-~=+*#' };
const cells = { unicode: { waiting: '░', running: '█' }, ascii: { waiting: '.', running: '#' } };
const marks = {
  unicode: { good: '✓', bad: '✗', busy: '●', waiting: '○', idle: '–' },
  ascii: { good: '+', bad: 'x', busy: '*', waiting: 'o', idle: '-' },
};

/** Columns between the starts of two labels. */
const labelWidth = 9;

function drawScale(seconds: number, width: number): string {
  let line = '';
  for (const at of scaleTimes(seconds, width / labelWidth)) {
    const label = at === 0 ? '0' : showDuration(at);
    const column = seconds === 0 ? 0 : Math.round((at / seconds) * width);
    if (column + label.length > width) break;
    line = `${line.padEnd(column)}${label}`;
  }
  return line;
}

/** The parts of pictures in words and numbers, for a screen reader. Nothing is cut or aligned. */
const spokenParts: Pick<Pen, 'fit' | 'wrap' | 'bar' | 'sparkline' | 'mark' | 'scale' | 'axis'> = {
  fit: (text) => printable(text),
  wrap: (text) => [printable(text)],
  bar: (spans) =>
    spans
      .filter(({ from, to }) => to > from)
      .map(({ kind, from, to }) => `${kind} ${showDuration(to - from)} from ${showDuration(from)}`)
      .join(', '),
  sparkline: (values, { show = String } = {}) =>
    values.flatMap((value, at) => (value === null ? [] : `${at}: ${show(value)}`)).join(', '),
  mark: (status) => `${status}: `,
  scale: () => '',
  axis: () => '',
};

/** @param width columns */
export async function createPen(
  width: number,
  { unicode, color, accessible }: Pick<Terminal, 'unicode' | 'color' | 'accessible'>,
): Promise<Pen> {
  const form = unicode ? 'unicode' : 'ascii';
  const [paint, measure] = [await painter(color), new Measure()];
  await measure.prepare([levels.unicode]);
  return {
    width,
    paint: (tone, text) => paint.line(tone, printable(text)),
    widest: (texts) => Math.max(0, ...texts.map((text) => measure.width(printable(text)))),
    fit(text, columns) {
      const cut = measure.cut(printable(text), columns, unicode ? '…' : '~');
      return cut + ' '.repeat(Math.max(0, columns - measure.width(cut)));
    },
    wrap: (text) => wrapWords(printable(text), width, measure, 'split'),
    bar(spans, total, columns) {
      const drawn = Array.from({ length: columns }, () => ' ');
      const scale = total > 0 ? columns / total : 0;
      for (const kind of ['waiting', 'running'] as const)
        for (const { from, to } of spans.filter((span) => span.kind === kind && span.to > span.from)) {
          const first = Math.max(0, Math.min(Math.floor(from * scale), columns - 1));
          drawn.fill(cells[form][kind], first, Math.max(first + 1, Math.round(to * scale)));
        }
      return drawn.join('').trimEnd();
    },
    sparkline(values, { range } = {}) {
      const known = values.filter((value) => value !== null);
      const [low, high] = range ?? [Math.min(...known), Math.max(...known)];
      const share = (value: number) => (high > low ? (value - low) / (high - low) : 0);
      const level = (value: number) => levels[form][Math.round(Math.min(1, share(value)) * 7)];
      return values.map((value) => (value === null ? ' ' : level(value))).join('');
    },
    mark: (status) => marks[form][meaning(status) ?? 'idle'],
    scale: drawScale,
    axis: (text) => text,
    ...(accessible ? spokenParts : {}),
  };
}
