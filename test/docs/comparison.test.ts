/** The comparison of the README has the lines and figures of docs/comparison.md, which come from one run. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string) => readFile(resolve(import.meta.dirname, '../..', path), 'utf8');

/** The cells of each line of the tables in a section, by the first one. */
function tableIn(text: string, heading: string): Map<string, readonly string[]> {
  const [, section = ''] = text.split(`## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  const lines = own.split('\n').filter((line) => line.startsWith('| ') && !/^[|\s-]+$/.test(line));
  return new Map(
    lines.map((line) => {
      const [name = '', ...cells] = line
        .slice(2, -2)
        .split(/ \| |\| /)
        .map((cell) => cell.trim());
      return [name, cells] as const;
    }),
  );
}

const [summary, features, speed] = await Promise.all([
  read('README.md').then((text) => tableIn(text, 'How it compares')),
  read('docs/comparison.md').then((text) => tableIn(text, 'Features')),
  read('docs/comparison.md').then((text) => tableIn(text, 'Speed')),
]);

test('each line of the README is one of the page', () => {
  const own = [...summary].filter(([name]) => !name.startsWith('CPU time'));
  expect(own.length).toBeGreaterThan(8);
  for (const [name, cells] of own) expect(features.get(name), name).toEqual(cells);
});

test('the processor time is that of the page', () => {
  const time = (name: string) => speed.get(name)?.[0];
  expect(summary.get('CPU time to list 280 jobs')).toEqual([
    `${time('svc with Node.js 20')}, executable ${time('svc executable')}`,
    ...['python-gitlab', 'gitbeaker', 'gh', 'curl'].map(time),
  ]);
});

test('has no question marks', () => {
  for (const [name, cells] of features) expect(cells, name).not.toContain('?');
});
