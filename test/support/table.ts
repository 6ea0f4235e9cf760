import { readFileSync } from 'node:fs';

/** The lines of a text file without empty lines and comments. */
export function linesOf(file: URL): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

/** The endpoints of the specification, each with the name of its command. */
export const routes = linesOf(new URL('../routes.txt', import.meta.url)).map((line) => {
  const [command = '', route = ''] = line.split('\t');
  return { command, route };
});

/** The rows of a CSV file with a header (RFC 4180, without line breaks in cells). */
export function rowsOf<K extends string>(file: URL, ...names: K[]): Record<K, string>[] {
  const [head, ...rows] = linesOf(file).map(cellsOf) as [string[], ...string[][]];
  return rows.map((cells) => {
    const row = {} as Record<K, string>;
    for (const name of names) row[name] = cells[head.indexOf(name)] as string;
    return row;
  });
}

function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
