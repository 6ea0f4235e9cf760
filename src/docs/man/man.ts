/** The manual: a page for the program, for each area and for each topic. */
import { themes } from '../../api/index.ts';
import { type CommandGroup, lowerFirst } from '../../spec/command.ts';
import { programFlag } from '../flags.ts';
import type { AreaGroup, Catalogue } from '../model.ts';
import { commandBlocks, flagBlock } from './blocks.ts';
import { type Block, type Edition, type Page, render } from './roff.ts';
import { sandboxPage } from './sandbox.ts';
import { configPage, exitCodesPage } from './topics.ts';

export interface Manual extends Catalogue, Edition {
  /** The first line of each page, which says how it was generated. */
  readonly origin: string;
}

/** Return the source of each page by file name: `svc-jobs.1`. */
export function manPages(manual: Manual): Map<string, string> {
  const pages = [
    rootPage(manual),
    ...manual.areas.map(areaPage),
    configPage(),
    exitCodesPage(manual),
    sandboxPage(manual.builtins),
  ];
  return new Map(
    pages.map((page) => [`${page.name}.${page.section}`, render(page, manual, manual.origin)] as const),
  );
}

function rootPage({ areas, builtins, programFlags }: Manual): Page {
  const byTheme = Object.entries(themes).flatMap(([theme, title]): Block[] => {
    const found = areas.filter((area) => area.theme === theme);
    if (found.length === 0) return [];
    return [
      { title },
      ...found.map(({ name, summary }) => ({ term: name, text: `${summary}. See svc-${name}(1).` })),
    ];
  });
  const groups = {
    body: 'Body',
    pagination: 'Pagination',
    output: 'Output',
    connection: 'Connection',
    other: 'Other',
  };
  const flags = Object.entries(groups).flatMap(([group, title]): Block[] => {
    const found = programFlags.filter((flag) => flag.group === group);
    return found.length === 0 ? [] : [{ title }, ...found.map(programFlag).map(flagBlock)];
  });
  return {
    name: 'svc',
    section: 1,
    summary: 'command-line client for a project-hosting and CI/CD REST API',
    sections: [
      {
        title: 'Synopsis',
        blocks: [{ lines: ['svc <area> <command> [arguments] [flags]'] }],
      },
      {
        title: 'Description',
        blocks: [
          {
            text: 'svc calls version 4 of the REST API of a project-hosting and CI/CD service. Each area of the API is a group of commands, and each endpoint is a command. Its parameters are arguments and flags, with the names of the API in kebab case.',
          },
          {
            text: '`--project` and `--group` select the project or group of a request. `svc --sandbox` runs a command against a service inside svc: it needs no server and no network access. See svc-sandbox(1).',
          },
        ],
      },
      { title: 'Areas', blocks: byTheme },
      { title: 'Other commands', blocks: builtins.flatMap(builtinBlocks) },
      {
        title: 'Flags',
        blocks: [{ text: 'Each command accepts the flags that apply to it. Its help lists them.' }, ...flags],
      },
      { title: 'Values', blocks: valueBlocks },
      { title: 'Exit status', blocks: [{ text: 'See svc-exit-codes(7).' }] },
      {
        title: 'See also',
        blocks: [{ text: `${seeAlso(areas.map(({ name }) => `svc-${name}(1)`))}.` }],
      },
    ],
  };
}

const valueBlocks: readonly Block[] = [
  { term: '--name value, --name=value', text: 'Text, a number or a time. Empty text is a valid value.' },
  {
    term: '--created-after 2026-01-31T08:30:00Z',
    text: 'A date, or a date and time with a time zone, in ISO 8601 format.',
  },
  {
    term: '--masked, --no-masked, --masked=false',
    text: 'A boolean parameter of the API. It is sent only if the flag is present.',
  },
  {
    term: '--scope failed --scope running',
    text: 'A list. Repeat the flag for each value. If no value can contain a comma, `failed,running` is accepted too.',
  },
  { term: '--not labels=bug --not author_id=4', text: 'A hash. Repeat the flag for each key.' },
  {
    term: '--file action=update,file_path=a.txt,content=@a.txt',
    text: 'A list of hashes. Repeat the flag for each hash, or pass the list as JSON: `--files @files.json`.',
  },
  {
    term: '@path, -, @@text',
    text: 'For long text and secrets: the content of a file, standard input, or literal text that starts with @.',
  },
];

function seeAlso(names: readonly string[]): string {
  return [...names, 'svc-config(5)', 'svc-exit-codes(7)', 'svc-sandbox(1)'].join(', ');
}

function areaPage(area: AreaGroup): Page {
  const names = [area.name, ...(area.aliases ?? [])];
  const doc = area.doc ?? `Commands for this area of the API: ${lowerFirst(area.summary)}.`;
  return {
    name: `svc-${area.name}`,
    section: 1,
    summary: lowerFirst(area.summary),
    sections: [
      {
        title: 'Synopsis',
        blocks: [{ lines: names.map((name) => `svc ${name} <command> [arguments] [flags]`) }],
      },
      {
        title: 'Description',
        blocks: [
          { text: doc },
          {
            text: 'The flags for output, connection and pagination are common to all commands. See svc(1).',
          },
        ],
      },
      { title: 'Commands', blocks: area.commands.flatMap(commandBlocks) },
      { title: 'Exit status', blocks: [{ text: 'See svc-exit-codes(7).' }] },
      { title: 'See also', blocks: [{ text: 'svc(1), svc-config(5), svc-exit-codes(7), svc-sandbox(1).' }] },
    ],
  };
}

function builtinBlocks(builtin: CommandGroup): Block[] {
  const about = builtin.doc ? [{ title: `svc ${builtin.name}` }, { text: builtin.doc }] : [];
  return [...about, ...builtin.commands.flatMap(commandBlocks)];
}
