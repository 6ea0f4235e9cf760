import type { ColumnKind } from '../../support/column.ts';
import type { Tone } from '../../support/text/pen.ts';

/**
 * Meanings of status words and their colors. Only colors that are readable on dark and light backgrounds are used, which
 * excludes yellow and bright colors. Color never replaces the word. `waiting` includes statuses that require an action; `idle` is the end
 * without a result.
 */
export const palette = { good: 'green', bad: 'red', busy: 'cyan', waiting: 'magenta', idle: 'dim' } as const;
export type Meaning = keyof typeof palette;

export const statuses: Readonly<Record<Meaning, string>> = {
  good: 'success successful passed finished complete completed done active enabled merged opened open ok valid delivered executable online',
  bad: 'failed failure fail error blocked banned broken invalid expired timeout deactivated offline',
  busy: 'running started in_progress canceling',
  waiting:
    'pending created preparing scheduled manual queued waiting_for_resource waiting_for_callback awaiting warn',
  idle: 'canceled cancelled skipped closed disabled inactive archived stale locked temporarily_disabled',
};

const httpStatus = /^[1-5]\d\d$/;

/** Return the meaning of a status word in any case, or of an HTTP status; undefined if unknown. */
export function meaning(word: string): Meaning | undefined {
  if (httpStatus.test(word)) return word < '400' ? 'good' : 'bad';
  const plain = word.toLowerCase();
  const meanings = Object.keys(statuses) as Meaning[];
  return meanings.find((key) => statuses[key].split(' ').includes(plain));
}

const tones = { added: 'green', removed: 'red', changed: 'cyan', warning: 'magenta' } as const;

export interface Paint {
  /** A header, or the name of a field. */
  readonly name: (text: string) => string;
  /** Color of a cell by its kind. Color never carries a meaning alone. */
  readonly cell: (kind: ColumnKind | undefined, text: string) => string;
  /** Color of a line in a list of changes. */
  readonly line: (tone: Tone, text: string) => string;
}

/** Return a painter. Loads chalk only if colors are used. */
export async function painter(color: boolean): Promise<Paint> {
  if (!color) return { name: (text) => text, cell: (_, text) => text, line: (_, text) => text };
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    name: (text) => chalk.bold(text),
    cell(kind, text) {
      if (kind === 'time') return chalk.dim(text);
      const known = kind === 'state' ? meaning(text) : undefined;
      return known ? chalk[palette[known]](text) : text;
    },
    line: (tone, text) => (tone === 'plain' ? text : chalk[tones[tone]](text)),
  };
}
