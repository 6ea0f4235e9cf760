/** The manual: one page for the program, one for each area, and the topics. */
import { themes } from '../../api/index.ts';
import type { CommandGroup } from '../../spec/command.ts';
import { lowerFirst } from '../../spec/command.ts';
import { programFlag } from '../flags.ts';
import type { AreaGroup, Catalogue } from '../model.ts';
import { commandBlocks, flagBlock } from './blocks.ts';
import { type Block, type Edition, type Page, render } from './roff.ts';
import { sandboxPage } from './sandbox.ts';
import { configPage, exitCodesPage } from './topics.ts';

export interface Manual extends Catalogue, Edition {
  /** How the pages came to be: their first line. */
  readonly origin: string;
}

/**
 * Every page of the manual.
 * @returns sources by file name: `svc-jobs.1`
 */
export function manPages(manual: Manual): Map<string, string> {
  const pages = [
    rootPage(manual),
    ...manual.areas.map(areaPage),
    configPage(),
    exitCodesPage(manual),
    sandboxPage(manual.builtins, manual.programFlags),
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
      ...found.map(({ name, summary }) => ({ term: name, text: `${summary}; see svc-${name}(1).` })),
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
    summary: 'every endpoint of a project-hosting and CI API from the command line',
    sections: [
      {
        title: 'Synopsis',
        blocks: [{ lines: ['svc <area> <command> [arguments] [flags]'] }],
      },
      {
        title: 'Description',
        blocks: [
          {
            text: 'svc calls version 4 of the REST API of a project-hosting and CI service. Each area of the API is a group of commands; each call is one command, and each of its parameters is an argument or a flag with the name that the API gives it, in kebab-case.',
          },
          {
            text: 'Where a call lives in a project or a group, `--project` or `--group` says in which one. `svc --sandbox` answers a command from a service inside svc, with nothing installed and nothing sent; see svc-sandbox(1).',
          },
        ],
      },
      { title: 'Areas', blocks: byTheme },
      { title: 'Commands of svc itself', blocks: builtins.flatMap(builtinBlocks) },
      {
        title: 'Flags',
        blocks: [
          { text: 'A command has those of these that make sense for it; its help lists them.' },
          ...flags,
        ],
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
  { term: '--name value, --name=value', text: 'Text, a number or a time. An empty text is a value.' },
  {
    term: '--created-after 2026-01-31T08:30:00Z',
    text: 'A time: a day, or a day and a time with its zone, in ISO 8601.',
  },
  { term: '--masked, --no-masked, --masked=false', text: 'A switch of the API. Left out, it is not sent.' },
  {
    term: '--scope failed --scope running',
    text: 'A list: the flag is repeated. Where no value can hold a comma, `failed,running` says the same.',
  },
  { term: '--not labels=bug --not author_id=4', text: 'A hash: one key a flag.' },
  {
    term: '--file action=update,file_path=a.txt,content=@a.txt',
    text: 'A list of hashes: one hash a flag; or the whole list as JSON, `--files @files.json`.',
  },
  {
    term: '@path, -, @@text',
    text: 'For long text and for secrets: the content of a file, standard input, the text that begins with an at sign.',
  },
];

function seeAlso(names: readonly string[]): string {
  return [...names, 'svc-config(5)', 'svc-exit-codes(7)', 'svc-sandbox(1)'].join(', ');
}

function areaPage(area: AreaGroup): Page {
  const names = [area.name, ...(area.aliases ?? [])];
  const doc = area.doc ?? `The commands for: ${lowerFirst(area.summary)}.`;
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
            text: 'The flags for output, connection and pagination are the same for all commands; see svc(1).',
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
