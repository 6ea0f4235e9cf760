/** The manual: a page for the program, for each area and for each topic. */
import { themes } from '../../api/index.ts';
import { type Command, type CommandGroup, lowerFirst, pathOf } from '../../spec/command.ts';
import type { Example } from '../../spec/endpoint.ts';
import { accessFacts, argumentText, confirmationNotes, requestOf } from '../descriptions.ts';
import { apiFlags, programFlag } from '../flags.ts';
import { deprecation } from '../help.ts';
import { hanging, shellLines, untie } from '../layout.ts';
import { type AreaGroup, argumentTerm, type Catalogue, scopeNote, usageLines } from '../model.ts';
import { type Block, flagBlock, type Page, topicPage, topics } from '../topics.ts';

interface Edition {
  readonly version: string;
  /** The date of the release, in ISO 8601 format. */
  readonly date: string;
  /** The first line of each page, which says how it was generated. */
  readonly origin: string;
}

export type Manual = Catalogue & Edition;

const glyphs: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};

/** Escape text for a line or a macro argument, so that a formatter reads nothing in it as a request. */
function escaped(text: string): string {
  const plain = untie(text).replace(/[\\\-'`^~"]/g, (glyph) => glyphs[glyph] ?? glyph);
  const ascii = plain.replace(/[^\n -~]/gu, (glyph) => {
    const code = (glyph.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `\\[u${code}]`;
  });
  return ascii.replace(/^\./gm, '\\&.');
}

function term(text: string): string {
  return text
    .split(/(<[^>]*>(?:=<[^>]*>)?[.,]*)/)
    .filter((part) => part !== '')
    .map((part) => {
      const font = part.startsWith('<') ? 'I' : 'B';
      return part.replace(/\S(?:.*\S)?/s, (inner) => `\\f${font}${escaped(inner)}\\fR`);
    })
    .join('');
}

function prose(text: string): string {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? `\\fB${escaped(part)}\\fR` : escaped(part)))
    .join('');
}

function block(item: Block, first: boolean): string[] {
  if ('title' in item) return [`.SS ${quoted(item.title)}`];
  if ('lines' in item)
    return [...(first ? [] : ['.PP']), '.in +4', '.nf', ...item.lines.map(verbatim), '.fi', '.in'];
  if ('term' in item) {
    const below = (item.below ?? []).flatMap((text) => ['.br', prose(text)]);
    return ['.TP', term(item.term), prose(item.text), ...below];
  }
  return [...(first ? [] : ['.PP']), prose(item.text)];
}

function verbatim(line: string): string {
  return line === '' ? '\\&' : escaped(line);
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

export function render(page: Page, { version, date, origin }: Edition): string {
  const lines = [
    `.\\" ${origin}`,
    `.TH ${quoted(page.name.toUpperCase())} ${page.section} ${date} ${quoted(`svc ${version}`)} ${quoted('Manual of svc')}`,
    // Flags must not be hyphenated.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${escaped(page.name)} \\- ${escaped(page.summary)}`,
  ];
  for (const { title, blocks } of page.sections) {
    lines.push(`.SH ${quoted(title.toUpperCase())}`);
    let first = true;
    for (const item of blocks) {
      lines.push(...block(item, first));
      first = 'title' in item;
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Return the source of each page by file name: `svc-jobs.1`. */
export function manPages(manual: Manual): Map<string, string> {
  const pages = pagesOf(manual);
  return new Map(pages.map((page) => [`${page.name}.${page.section}`, render(page, manual)]));
}

export function pagesOf(manual: Catalogue): Page[] {
  const sandbox = manual.builtins.find(({ name }) => name === 'sandbox')?.commands ?? [];
  const input = { ...manual, sandbox: sandbox.flatMap(commandBlocks) };
  const pages = topics.map((topic) => topicPage(topic, input));
  pages.sort((a, b) => (a.name < b.name ? -1 : 1));
  return [rootPage(manual, pages), ...manual.areas.map(areaPage), ...pages];
}

const section = (title: string, ...blocks: readonly Block[]) => ({ title, blocks });
const exitStatus = section('Exit status', { text: 'See svc-exit-codes(7).' });

function rootPage({ areas, builtins }: Catalogue, topics: readonly Page[]): Page {
  const byTheme = Object.entries(themes).flatMap(([theme, title]): Block[] => {
    const found = areas.filter((area) => area.theme === theme);
    const terms = found.map(({ name, summary }) => ({
      term: name,
      text: `${summary}. See svc-${name}(1).`,
    }));
    return found.length === 0 ? [] : [{ title }, ...terms];
  });
  const others = [
    ...areas.map(({ name }) => `svc-${name}(1)`),
    ...topics.map(({ name, section }) => `${name}(${section})`),
  ];
  return {
    name: 'svc',
    section: 1,
    summary: 'command-line client for a project-hosting and CI/CD REST API',
    sections: [
      section('Synopsis', { lines: ['svc <area> <command> [arguments] [flags]'] }),
      section(
        'Description',
        {
          text: 'svc calls version 4 of the REST API of a project-hosting and CI/CD service. Each area of the API is a group of commands, and each endpoint is a command. Its parameters are arguments and flags, with the names of the API in kebab case.',
        },
        {
          text: '`--project` and `--group` select the project or group of a request. `svc --sandbox` runs a command against a service inside svc: it needs no server and no network access. See svc-sandbox(1).',
        },
      ),
      section('Areas', ...byTheme),
      section('Other commands', ...builtins.flatMap(builtinBlocks)),
      section('Flags', {
        text: 'See svc-flags(7) for flags that many commands accept, and how to write their values.',
      }),
      exitStatus,
      section('See also', { text: `${others.join(', ')}.` }),
    ],
  };
}

function areaPage(area: AreaGroup): Page {
  const names = [area.name, ...(area.aliases ?? [])];
  const doc = area.doc ?? `Commands for this area of the API: ${lowerFirst(area.summary)}.`;
  return {
    name: `svc-${area.name}`,
    section: 1,
    summary: lowerFirst(area.summary),
    sections: [
      section('Synopsis', { lines: names.map((name) => `svc ${name} <command> [arguments] [flags]`) }),
      section(
        'Description',
        { text: doc },
        {
          text: 'The flags for output, connection and pagination are common to all commands. See svc-flags(7).',
        },
      ),
      section('Commands', ...area.commands.flatMap(commandBlocks)),
      exitStatus,
      section('See also', {
        text: 'svc(1), svc-config(5), svc-exit-codes(7), svc-flags(7), svc-sandbox(1).',
      }),
    ],
  };
}

function builtinBlocks(builtin: CommandGroup): Block[] {
  const about = builtin.doc ? [{ title: `svc ${builtin.name}` }, { text: builtin.doc }] : [];
  return [...about, ...builtin.commands.flatMap(commandBlocks)];
}

function exampleBlocks(examples: readonly Example[]): Block[] {
  return examples.flatMap(({ does, run }) => [
    { text: `${does}:` },
    { lines: shellLines(`svc ${run}`, 74, 0) },
  ]);
}

/** Return the blocks of one command. The common flags of API commands are only in svc-flags(7). */
function commandBlocks(command: Command): Block[] {
  const { endpoints } = command;
  const isBuiltin = endpoints.length === 0;
  const flags = isBuiltin ? command.flags.map(programFlag) : apiFlags(command);
  const args = isBuiltin ? [] : command.arguments;
  return [
    { title: isBuiltin ? `svc ${pathOf(command)}` : command.name },
    { lines: usageLines(command).flatMap((line) => hanging(line, 72, 4)) },
    { text: `${command.summary}.` },
    ...command.deprecated.map((text) => ({ text: deprecation(text) })),
    ...command.docs.map((text) => ({ text })),
    ...confirmationNotes(endpoints).map((text) => ({ text })),
    ...args.map((argument) => ({
      term: argumentTerm(argument),
      text: argumentText(argument),
    })),
    ...flags.map(flagBlock),
    ...endpoints.map((endpoint) => ({
      term: requestOf(endpoint) + scopeNote(endpoint, endpoints),
      text: accessFacts(endpoint.access),
    })),
    ...exampleBlocks(command.examples),
  ];
}
