import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { commandHelp, groupHelp, rootHelp } from '../../src/docs/help.ts';
import { type Command, isSingle, pathOf } from '../../src/spec/command.ts';
import { loadManual } from './catalogue.ts';

const manual = await loadManual();
const groups = [...manual.areas, ...manual.builtins];
const plain = { width: 80, color: false };
const folder = new URL('../golden/help/', import.meta.url);

/** Golden files by name: pages, each with its command. */
const pages = new Map<string, [command: string, page: string][]>([
  ['svc', [['svc', rootHelp(manual.areas, manual.builtins, plain)]]],
  ...groups.map((group): [string, [string, string][]] => [
    group.name,
    [
      [`svc ${group.name}`, groupHelp(group, plain, manual)],
      ...(isSingle(group) ? [] : group.commands).map((command): [string, string] => [
        `svc ${pathOf(command)}`,
        commandHelp(command, plain, manual),
      ]),
    ],
  ]),
]);
/** The headings of flag sections. */
const headings = new Set([
  'Required flags:',
  'Filters:',
  'Body:',
  'Pagination:',
  'Output:',
  'Connection:',
  'Other:',
  'Flags:',
]);
const all = [...pages.values()].flat();

/** Compare with a golden file. UPDATE_GOLDEN=1 writes it; review the difference before you commit. */
async function golden(name: string, text: string): Promise<void> {
  const file = new URL(`${name}.txt`, folder);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    await mkdir(folder, { recursive: true });
    await writeFile(file, text);
  }
  expect(text).toBe(await readFile(file, 'utf8'));
}

describe('golden help files', () => {
  test.each([...pages])('%s', async (name, list) => {
    await golden(name, list.map(([command, page]) => `$ ${command} --help\n${page}`).join('\n'));
  });

  test('there are no unused files', async () => {
    const names = (await readdir(folder)).map((file) => file.replace(/\.txt$/, ''));
    expect(names.sort()).toEqual([...pages.keys()].sort());
  });
});

describe('every page', () => {
  test.each(all)('%s --help has no line over 80 columns', (_, page) => {
    expect(page.split('\n').filter((line) => [...line].length > 80)).toEqual([]);
  });

  test.each(all)('%s --help has no trailing space, tab or escape sequence', (_, page) => {
    expect(page).not.toMatch(/[ \t]\n|\t|\u001b|\u00a0/);
    expect(page.endsWith('\n')).toBe(true);
    expect(page.endsWith('\n\n')).toBe(false);
  });

  test.each(all)('%s --help describes each flag', (_, page) => {
    let flags = false;
    const lines = page.split('\n');
    for (const [index, line] of lines.entries()) {
      if (/^\S.*:$/.test(line)) flags = headings.has(line);
      if (!flags || !/^ {2,6}(-\w, )?--/.test(line)) continue;
      const described = /\S {2,}\S/.test(line.trim()) || /^ {8,}\S/.test(lines[index + 1] ?? '');
      expect(described, line).toBe(true);
    }
  });

  test.each(all)('%s --help lists each flag once', (_, page) => {
    const sections = page.split(/\n(?=\S)/).filter((text) => headings.has(text.split('\n')[0] ?? ''));
    const flags = sections.flatMap((text) => text.match(/^ {2,6}(?:-\w, )?--[^ ]+/gm) ?? []);
    expect(flags.length).toBe(new Set(flags).size);
  });

  test.each(all)('%s --help prints no undefined value', (_, page) => {
    expect(page).not.toMatch(/undefined|\[object|NaN/);
  });
});

describe('the root page', () => {
  test('fits a terminal of 80x24 with a prompt below it', () => {
    const lines = rootHelp(manual.areas, manual.builtins, plain).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(23);
  });

  test('lists every area and every built-in command', () => {
    const page = rootHelp(manual.areas, manual.builtins, plain);
    for (const { name } of groups) {
      expect(page).toMatch(new RegExp(`(^|[ ,])${name}(,|\\s|$)`, 'm'));
    }
  });

  test('fits the terminal with many built-in commands', () => {
    const many = Array.from({ length: 20 }, (_, i) => ({ name: `extra${i}`, summary: 'More', commands: [] }));
    const lines = rootHelp(manual.areas, many, plain).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(lines.join('\n')).toContain('extra19');
  });
});

describe('color', () => {
  test('highlights headings and flags without changing widths', () => {
    const command = manual.areas[0]?.commands[0] as Command;
    const color = commandHelp(command, { width: 80, color: true }, manual);
    expect(color).toContain('\u001b[1mUsage:\u001b[22m');
    expect(color.replace(/\u001b\[\d+m/g, '')).toBe(commandHelp(command, plain, manual));
  });
});

describe('narrow terminals', () => {
  test.each([40, 60])('every area fits %i columns', (width) => {
    for (const area of manual.areas) {
      const page = groupHelp(area, { width, color: false }, manual);
      expect(page.split('\n').filter((line) => line.length > width)).toEqual([]);
    }
  });
});
