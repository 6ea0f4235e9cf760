import type { ColumnKind } from '../../support/column.ts';
import type { Tone } from '../../support/text/pen.ts';
import { meaning, palette } from './palette.ts';

/** Only colors that are readable on dark and light backgrounds. */
const tones = { added: 'green', removed: 'red', changed: 'cyan', warning: 'magenta' } as const;

/** Return a painter for lists of changes. Loads chalk only if colors are used. */
export async function tonePainter(color: boolean): Promise<(tone: Tone, text: string) => string> {
  if (!color) return (_, text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (tone, text) => (tone === 'plain' ? text : chalk[tones[tone]](text));
}

export interface Paint {
  readonly header: (text: string) => string;
  readonly name: (text: string) => string;
  /** Color of a cell by its kind. Color never carries a meaning alone. */
  readonly cell: (kind: ColumnKind | undefined, text: string) => string;
}

const plain = (text: string): string => text;

/** Return a painter. Loads chalk only if colors are used. */
export async function painter(color: boolean): Promise<Paint> {
  if (!color) return { header: plain, name: plain, cell: (_, text) => text };
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    header: (text) => chalk.bold(text),
    name: (text) => chalk.bold(text),
    cell(kind, text) {
      if (kind === 'time') return chalk.dim(text);
      const known = kind === 'state' ? meaning(text) : undefined;
      return known ? chalk[palette[known]](text) : text;
    },
  };
}
