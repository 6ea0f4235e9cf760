import { meaning, palette } from './palette.ts';

/** Colors for text that people read. */
export interface Paint {
  readonly header: (text: string) => string;
  readonly name: (text: string) => string;
  readonly status: (text: string) => string;
}

const plain = (text: string): string => text;

/** Return a painter. Loads chalk only if colors are used. */
export async function painter(color: boolean): Promise<Paint> {
  if (!color) return { header: plain, name: plain, status: plain };
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    header: (text) => chalk.bold(text),
    name: (text) => chalk.bold(text),
    status: (text) => {
      const known = meaning(text);
      return known ? chalk[palette[known]](text) : text;
    },
  };
}
