/** Text in columns: wrapping, two-column lists, headings. Widths are counted in UTF-16 units: our own texts hold no wide characters. */

export interface Style {
  /** Columns of the screen; pages never use more than 80. */
  readonly width: number;
  readonly color: boolean;
}

export interface Ink {
  readonly width: number;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly underline: (text: string) => string;
}

/** The few marks that pages use; none where color is off. */
export function inkOf(style: Style): Ink {
  const mark = (on: number, off: number) => (text: string) =>
    style.color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    width: Math.max(40, Math.min(80, style.width)),
    bold: mark(1, 22),
    dim: mark(2, 22),
    underline: mark(4, 24),
  };
}

/** A blank that no line is broken at, until `settled`. */
export const tie = '\u00a0';

/** Ties become blanks: the last step of a page. */
export function settled(text: string): string {
  return text.replaceAll(tie, ' ');
}

/** Lines of at most `width` columns. A word that is longer stands alone; one with commas or bars is cut behind them. */
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

/** A paragraph, wrapped and indented. */
export function paragraph(text: string, width: number, indent = 0): string[] {
  return wrap(text, width - indent).map((line) => ' '.repeat(indent) + line);
}

export interface Row {
  readonly left: string;
  readonly right: string;
  /** Lines below, as wide as the right column. */
  readonly below?: readonly string[];
}

/**
 * Two columns: what it is called, what it does. A left part that is too long has its right part on the next line.
 * @param paint colors the left part; must not change its width
 */
export function columns(
  rows: readonly Row[],
  options: {
    readonly width: number;
    readonly indent?: number;
    /** Widest left part that still shares its line with the right part. */
    readonly most?: number;
    readonly paint?: (left: string) => string;
  },
): string[] {
  const { width, indent = 2, most = 28, paint = (left) => left } = options;
  const at = indent + 2 + leftWidth(rows, most);
  const pad = ' '.repeat(at);
  const start = ' '.repeat(indent);
  return rows.flatMap(({ left, right, below = [] }) => {
    const rights = [...wrap(right, width - at), ...below.flatMap((text) => hanging(text, width - at))];
    if (left.length <= at - indent - 2 && rights.length > 0) {
      const [first = '', ...rest] = rights;
      const gap = ' '.repeat(at - indent - left.length);
      return [start + paint(left) + gap + first, ...rest.map((line) => pad + line)];
    }
    return [start + paint(left), ...rights.map((line) => pad + line)];
  });
}

/** The width of a left column: its widest part, but for those that are wider than `most`. */
export function leftWidth(rows: readonly Row[], most: number): number {
  return Math.max(4, ...rows.map((row) => row.left.length).filter((length) => length <= most));
}

/** A wrapped line whose continuation stands further in. */
export function hanging(text: string, width: number, by = 2): string[] {
  return wrap(text, width - by).map((line, index) => (index > 0 ? ' '.repeat(by) + line : line));
}

/**
 * A shell command line, broken with backslashes where it is too long, so that it may be pasted as it stands. A flag stays with its
 * value. A single word that is too long is broken behind a comma and goes on in the first column, where a shell joins it again.
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
