/** Text layout: wrapping, two-column lists, shell lines. Widths count UTF-16 units, because help contains no wide characters. */

export interface Style {
  /** Columns of the terminal; pages use at most 100. */
  readonly width: number;
  readonly color: boolean;
}

export interface Ink {
  readonly width: number;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** Return the text styles of a page. They change nothing if color is off. */
export function inkOf(style: Style): Ink {
  const mark = (on: number, off: number) => (text: string) =>
    style.color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    width: Math.max(40, Math.min(100, style.width)),
    bold: mark(1, 22),
    dim: mark(2, 22),
  };
}

/** A space at which no line is broken. `untie` turns it into an ordinary space. */
export const tie = '\u00a0';

export function untie(text: string): string {
  return text.replaceAll(tie, ' ');
}

export function page(lines: readonly string[]): string {
  return untie(`${lines.map((line) => line.trimEnd()).join('\n')}\n`);
}

/** Wrap text at `width` columns. A longer word gets a line for itself, or is split after its commas or bars. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/[ \n\t]+/).filter(Boolean)) {
    for (const [index, piece] of pieces(word, width).entries()) {
      const gap = line === '' || index > 0 ? '' : ' ';
      if (line.length + gap.length + piece.length <= width) {
        line += gap + piece;
      } else {
        if (line !== '') lines.push(line);
        line = piece;
      }
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

function pieces(word: string, width: number): string[] {
  return word.length <= width ? [word] : (word.match(/[^,|]+[,|]*|[,|]+/g) ?? [word]);
}

export function paragraph(text: string, width: number, indent = 0): string[] {
  return wrap(text, width - indent).map((line) => ' '.repeat(indent) + line);
}

export interface Row {
  readonly left: string;
  readonly right: string;
  readonly below?: readonly string[] | undefined;
}

/**
 * Return rows in two columns. The right part moves to the next line if the left part is wider than the column.
 * @param options.left width of the left column; by default the one that gives the fewest lines
 */
export function columns(
  rows: readonly Row[],
  options: {
    readonly width: number;
    readonly indent?: number;
    readonly left?: number;
    /** Styles the left part; must not change its width. */
    readonly paint?: (left: string) => string;
  },
): string[] {
  const { width, indent = 2, paint = (left) => left } = options;
  const at = indent + 2 + (options.left ?? leftWidth(rows, width, indent));
  const pad = ' '.repeat(at);
  const start = ' '.repeat(indent);
  return rows.flatMap(({ left, right, below = [] }) => {
    const rights = [...wrap(right, width - at), ...below.flatMap((text) => hanging(text, width - at))];
    if (left.length <= at - indent - 2 && rights.length > 0) {
      const [first = '', ...rest] = rights;
      const gap = ' '.repeat(at - indent - left.length);
      return [start + paint(left) + gap + first, ...rest.map((line) => pad + line)];
    }
    const lefts = left.length <= width - indent ? [left] : hanging(left, width - indent);
    return [...lefts.map((line) => start + paint(line)), ...rights.map((line) => pad + line)];
  });
}

/** Return the width of the left column with which rows take the fewest lines. Rows whose left part is wider count as longer. */
export function leftWidth(rows: readonly Row[], width: number, indent = 2): number {
  const limit = Math.max(4, Math.floor(width / 2) - indent - 2);
  const widths = [...new Set(rows.map(({ left }) => left.length))].filter((one) => one <= limit);
  const scored = widths.map((left) => {
    const wider = rows.filter((row) => row.left.length > left).length;
    return { left, lines: columns(rows, { width, indent, left }).length + wider / 2 };
  });
  const [best] = scored.sort((a, b) => a.lines - b.lines || b.left - a.left);
  return best?.left ?? 4;
}

export function hanging(text: string, width: number, by = 2): string[] {
  return wrap(text, width - by).map((line, index) => (index > 0 ? ' '.repeat(by) + line : line));
}

/**
 * Return a shell command, wrapped with backslashes so that it can be pasted. A flag stays on one line with its value. A word that is
 * too long is split after a comma and continues in the first column, so that the shell joins it.
 */
export function shellLines(command: string, width: number, indent: number): string[] {
  const words = command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? [];
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  let fresh = true;
  const flush = (next: string) => {
    lines.push(`${line}\\`);
    line = next;
  };
  for (const group of withValues(words)) {
    if (!fresh && line.length + 1 + group.length > width - 2) {
      line += ' ';
      flush(' '.repeat(indent + 4));
      fresh = true;
    }
    for (const [index, piece] of pieces(group, width - line.length - 2).entries()) {
      if (index > 0 && line.length + piece.length > width - 1) flush('');
      line += fresh || index > 0 ? piece : ` ${piece}`;
      fresh = false;
    }
  }
  return [...lines, line];
}

function withValues(words: readonly string[]): string[] {
  const groups: string[] = [];
  let open = false;
  for (const word of words) {
    if (open && !word.startsWith('-')) groups.push(`${groups.pop()} ${word}`);
    else groups.push(word);
    open = word.startsWith('-') && !word.includes('=');
  }
  return groups;
}
