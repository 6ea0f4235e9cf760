import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { flagsOf } from '../../src/docs/flags.ts';
import { commandHelp, groupHelp, rootHelp } from '../../src/docs/help.ts';
import { topicHelp } from '../../src/docs/topic.ts';
import { topicPage, topics } from '../../src/docs/topics.ts';
import { type Command, ownCommand, pathOf } from '../../src/spec/command.ts';
import { loadManual } from './catalogue.ts';

const manual = await loadManual();
const groups = [...manual.areas, ...manual.builtins];
const plain = { width: 80, color: false };
const folder = new URL('../golden/help/', import.meta.url);

/** The default pages, each with its command. */
const brief: [command: string, page: string][] = [
  ['svc', rootHelp(manual.areas, manual.builtins, plain)],
  ...groups.flatMap((group): [string, string][] => [
    [`svc ${group.name}`, groupHelp(group, plain, manual)],
    ...group.commands
      .filter((command) => command !== ownCommand(group))
      .map((command): [string, string] => [`svc ${pathOf(command)}`, commandHelp(command, plain, manual)]),
  ]),
];
/** The pages of `--help --all`. */
const complete = groups.flatMap(({ commands }) =>
  commands.map((command): [string, string, Command] => [
    `svc ${pathOf(command)}`,
    commandHelp(command, plain, manual, { all: true }),
    command,
  ]),
);
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
const all = [
  ...brief,
  ...complete.map(([name, page]): [string, string] => [`${name} --all`, page]),
  ['svc --all', rootHelp(manual.areas, manual.builtins, plain, { all: true })] as [string, string],
];
const length = (page: string) => page.split('\n').length - 1;
const pageOf = (name: string) => brief.find(([path]) => path === `svc ${name}`)?.[1] as string;

/** Compare with a golden file. UPDATE_GOLDEN=1 writes it; review the difference before you commit. */
async function golden(name: string, text: string): Promise<void> {
  const file = new URL(`${name}.txt`, folder);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    await mkdir(folder, { recursive: true });
    await writeFile(file, text);
  }
  expect(text).toBe(await readFile(file, 'utf8'));
}

/** The pages that are compared with a committed file: each form of page once. */
const goldenPages = [
  'svc',
  'svc jobs',
  'svc jobs list',
  'svc jobs list --all',
  'svc variables create',
  'svc branches delete',
  'svc files raw',
  'svc each',
  'svc apply',
];

describe('golden help files', () => {
  test.each(goldenPages)('%s', async (name) => {
    await golden(name.replaceAll(/[ -]+/g, '-'), all.find(([path]) => path === name)?.[1] ?? 'no such page');
  });

  test('there are no unused files', async () => {
    const names = (await readdir(folder)).map((file) => file.replace(/\.txt$/, ''));
    const wanted = [...goldenPages.map((name) => name.replaceAll(/[ -]+/g, '-')), 'topic-exit-codes'];
    expect(names.sort()).toEqual(wanted.sort());
  });
});

/** The names of the pages for which a law does not hold. */
const offenders = <T extends [name: string, page: string, ...rest: unknown[]]>(
  list: T[],
  holds: (...entry: T) => boolean,
) => list.filter((entry) => !holds(...entry)).map(([name]) => name);

describe('every page', () => {
  test('has no line over 80 columns', () => {
    expect(offenders(all, (_, page) => page.split('\n').every((line) => [...line].length <= 80))).toEqual([]);
  });

  test('has no trailing space, tab, escape sequence or undefined value, and ends with one line break', () => {
    const unwanted = /[ \t]\n|\t|\u001b|\u00a0|undefined|\[object|NaN|\n\n$/;
    expect(offenders(all, (_, page) => page.endsWith('\n') && !unwanted.test(page))).toEqual([]);
  });

  test('describes each flag', () => {
    const describesFlags = (_: string, page: string) => {
      let flags = false;
      const lines = page.split('\n');
      return lines.every((line, index) => {
        if (/^\S.*:$/.test(line)) flags = headings.has(line);
        if (!flags || !/^ {2,6}(-\w, )?--/.test(line)) return true;
        return /\S {2,}\S/.test(line.trim()) || /^ {8,}\S/.test(lines[index + 1] ?? '');
      });
    };
    expect(offenders(all, describesFlags)).toEqual([]);
  });

  test('lists each flag once', () => {
    const listsOnce = (_: string, page: string) => {
      const sections = page.split(/\n(?=\S)/).filter((text) => headings.has(text.split('\n')[0] ?? ''));
      const flags = sections.flatMap((text) => text.match(/^ {2,6}(?:-\w, )?--[^ ]+/gm) ?? []);
      return flags.length === new Set(flags).size;
    };
    expect(offenders(all, listsOnce)).toEqual([]);
  });
});

describe('a default page', () => {
  test('has at most 70 lines; a command has at most 40 lines on average', () => {
    expect(offenders(brief, (_, page) => length(page) <= 70)).toEqual([]);
    const lengths = complete.map(([path]) => length(pageOf(path.slice(4))));
    expect(lengths.reduce((sum, one) => sum + one, 0) / lengths.length).toBeLessThanOrEqual(40);
  });

  test('lists the required flags and those of its examples', () => {
    const missing = complete.flatMap(([name, _, command]) => {
      const page = pageOf(name.slice(4));
      const [flags = ''] = page.split('\nExamples:');
      const listed = new Set(flags.match(/(?<![\w-])--?[a-z][a-z-]*/g));
      const used = page.match(/^ {2}svc .*(\n {6}.*)*/gm)?.flatMap((line) => {
        const own = line.replace(/ -- .*/s, '').replace(/'[^']*'|"[^"]*"/g, '');
        return own.match(/(?<=\s)(?:--[a-z][a-z-]*|-[a-z](?=\s|$))/g) ?? [];
      });
      const required = flagsOf(command).flatMap((flag) => (flag.heading === 'required' ? [flag.name] : []));
      const named = (used ?? []).map((flag) => flag.replace(/^--no-(?!secrets|header|input)/, '--'));
      return [...named, ...required].filter((flag) => !listed.has(flag)).map((flag) => `${name} ${flag}`);
    });
    expect(missing).toEqual([]);
  });

  test('states how to list everything', () => {
    const states = (name: string) =>
      pageOf(name.slice(4)).replace(/\s+/g, ' ').includes(`Use "${name} --help --all"`);
    expect(offenders(complete, states)).toEqual([]);
  });
});

describe('a page of --help --all', () => {
  test('has every flag of the command', () => {
    const missing = complete.flatMap(([path, page, command]) =>
      flagsOf(command).flatMap(({ name, field }) => {
        const term = field?.kind === 'bool' ? `--[no-]${name.slice(2)}` : name;
        const pattern = new RegExp(`^ {2,6}(-\\w, )?${term.replace(/[[\]]/g, '\\$&')}( |$)`, 'm');
        return pattern.test(page) ? [] : [`${path} ${term}`];
      }),
    );
    expect(missing).toEqual([]);
  });

  test('has the exit codes and the requests of the command', () => {
    const hasBoth = (_: string, page: string, command: Command) =>
      page.includes('\nExit codes:\n') &&
      command.endpoints.every(({ method, path }) => page.includes(`${method} ${path}`));
    expect(offenders(complete, hasBoth)).toEqual([]);
  });
});

describe('the topics', () => {
  const sandbox = [{ text: '`svc sandbox --help` lists the commands that start, stop and control it.' }];
  const input = { ...manual, sandbox };
  test('fit 80 columns, and one equals its golden file', async () => {
    for (const topic of topics) {
      const page = topicHelp(await topicPage(topic, input), plain);
      expect(page.split('\n').filter((line) => [...line].length > 80)).toEqual([]);
      expect(page).not.toMatch(/[ \t]\n|\t|\u001b|\u00a0|undefined/);
      if (topic.name === 'exit-codes') await golden('topic-exit-codes', page);
    }
  });
  test('exist if another page mentions them', () => {
    const known = [...topics, ...groups].map(({ name }) => name);
    const texts = all.map(([, page]) => page.replace(/\s+/g, ' '));
    const mentioned = texts.flatMap((text) =>
      [...text.matchAll(/svc help ([a-z][a-z-]*)/g)].map(([, name]) => name),
    );
    expect(new Set(mentioned).size).toBeGreaterThan(1);
    for (const name of mentioned) expect(known).toContain(name);
  });
  test('flags has every flag of the program', async () => {
    const [flags] = topics;
    const page = flags ? topicHelp(await topicPage(flags, input), plain) : '';
    for (const { name } of manual.programFlags) expect(page).toMatch(new RegExp(`--${name}\\b`));
  });
});

describe('the root page', () => {
  test('fits a terminal of 80x24 with a prompt below it; lists every area and every built-in command', () => {
    const lines = rootHelp(manual.areas, manual.builtins, plain).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(23);
    const page = rootHelp(manual.areas, manual.builtins, plain);
    for (const { name } of groups) {
      expect(page).toMatch(new RegExp(`(^|[ ,])${name}(,|\\s|$)`, 'm'));
    }
  });

  test('has three first commands, which exist', () => {
    const page = rootHelp(manual.areas, manual.builtins, plain);
    const first = /First commands:\n((?: {2}.*\n)+)/.exec(page)?.[1]?.match(/^ {2}svc .*?(?= {2})/gm) ?? [];
    expect(first).toHaveLength(3);
    for (const line of first) {
      const [area, name = area] = line
        .trim()
        .split(' ')
        .filter((word) => !/^(svc|-.*)$/.test(word));
      const group = groups.find((one) => one.name === area);
      expect(
        group?.commands.map((one) => one.name),
        line,
      ).toContain(name);
    }
  });

  test('has a description of each area, command of the program and topic with --all', () => {
    const page = rootHelp(manual.areas, manual.builtins, plain, { all: true });
    for (const { name, summary } of [...groups, ...topics])
      expect(page.replace(/ {2,}/g, ' ')).toContain(`\n ${name} ${summary.slice(0, 20)}`);
  });
});

test('color highlights headings and flags without changing widths', () => {
  const command = manual.areas[0]?.commands[0] as Command;
  const color = commandHelp(command, { width: 80, color: true }, manual);
  expect(color).toContain('\u001b[1mUsage:\u001b[22m');
  expect(color.replace(/\u001b\[\d+m/g, '')).toBe(commandHelp(command, plain, manual));
});

test.each([100, 250])('wide terminals: pages use at most 100 of %i columns', (width) => {
  const widths = groups.flatMap(({ commands }) =>
    commands.map((command) => {
      const lines = commandHelp(command, { width, color: false }, manual, { all: true }).split('\n');
      return Math.max(...lines.map((line) => line.length));
    }),
  );
  expect(Math.max(...widths)).toBeGreaterThan(90);
  expect(Math.max(...widths)).toBeLessThanOrEqual(100);
});

test.each([40, 60])('narrow terminals: every area fits %i columns', (width) => {
  for (const area of manual.areas) {
    const page = groupHelp(area, { width, color: false }, manual);
    expect(page.split('\n').filter((line) => line.length > width)).toEqual([]);
  }
});
