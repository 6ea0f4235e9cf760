import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const src = resolve(import.meta.dirname, '../../src');

/** A source without the lines that are comments. */
export const withoutComments = (text: string): string => text.replace(/^\s*(\/\*\*?|\*|\/\/).*$/gm, '');

/** The files of src with their content, by their path in it, with slashes. */
export const sources: ReadonlyMap<string, string> = new Map(
  (readdirSync(src, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name.replaceAll('\\', '/'), readFileSync(resolve(src, name), 'utf8')]),
);
