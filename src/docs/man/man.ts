/** The manual: one page for the program, one for each area, and the topics. */
import { themes } from '../../api/index.ts';
import { allFlags, globalFlag } from '../flags.ts';
import { hanging } from '../layout.ts';
import {
  type Builtin,
  type Catalogue,
  type Command,
  commandsOf,
  type Loaded,
  mergedArguments,
  originWords,
  type Program,
  placeNote,
  summaryOf,
  usageLines,
} from '../model.ts';
import { accessFacts, confirmWords, lowerFirst, noted, notesOf, requestOf } from '../words.ts';
import { builtinCommandBlocks, exampleBlocks, flagBlock } from './blocks.ts';
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
    ...manual.areas.map((loaded) => areaPage(loaded, manual)),
    configPage(),
    exitCodesPage(manual),
    sandboxPage(manual.builtins, manual.globals),
  ];
  return new Map(
    pages.map((page) => [`${page.name}.${page.section}`, render(page, manual, manual.origin)] as const),
  );
}

function rootPage({ areas, builtins, globals }: Manual): Page {
  const byTheme = Object.entries(themes).flatMap(([theme, title]): Block[] => {
    const found = areas.filter(({ entry }) => entry.theme === theme);
    if (found.length === 0) return [];
    return [
      { title },
      ...found.map(({ entry }) => ({
        term: entry.name,
        text: `${entry.summary}; see svc-${entry.name}(1).`,
      })),
    ];
  });
  const groups = {
    needs: 'Request',
    lists: 'Lists',
    output: 'Output',
    connection: 'Connection',
    other: 'Other',
  };
  const flags = Object.entries(groups).flatMap(([group, title]): Block[] => {
    const found = globals.filter((flag) => flag.group === group);
    return found.length === 0 ? [] : [{ title }, ...found.map(globalFlag).map(flagBlock)];
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
        blocks: [{ text: `${seeAlso(areas.map(({ entry }) => `svc-${entry.name}(1)`))}.` }],
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

function areaPage({ entry, area }: Loaded, manual: Manual): Page {
  const aliases = entry.aliases ?? [];
  const doc = area.doc ?? `The commands for: ${lowerFirst(entry.summary)}.`;
  return {
    name: `svc-${entry.name}`,
    section: 1,
    summary: lowerFirst(entry.summary),
    sections: [
      {
        title: 'Synopsis',
        blocks: [
          { lines: [entry.name, ...aliases].map((name) => `svc ${name} <command> [arguments] [flags]`) },
        ],
      },
      {
        title: 'Description',
        blocks: [
          { text: doc },
          {
            text: 'Flags for output, connection and lists are the same for all commands: they stand in svc(1).',
          },
        ],
      },
      {
        title: 'Commands',
        blocks: commandsOf(area).flatMap((command) => commandBlocks(entry.name, command, manual)),
      },
      { title: 'Exit status', blocks: [{ text: 'See svc-exit-codes(7).' }] },
      { title: 'See also', blocks: [{ text: 'svc(1), svc-config(5), svc-exit-codes(7), svc-sandbox(1).' }] },
    ],
  };
}

function commandBlocks(area: string, command: Command, program: Program): Block[] {
  const { endpoints } = command;
  const docs = [...new Set(endpoints.map((endpoint) => endpoint.doc).filter((doc) => doc !== undefined))];
  const old = [
    ...new Set(endpoints.map((endpoint) => endpoint.deprecated).filter((text) => text !== undefined)),
  ];
  const globals = new Set(program.flagsOf({ area, ...command }).map(({ name }) => `--${name}`));
  const flags = allFlags({ area, ...command }, program).filter(
    ({ name, field }) => field || !globals.has(name),
  );
  const requests = endpoints.map((endpoint) => {
    return { term: requestOf(endpoint) + placeNote(endpoint, endpoints), text: accessFacts(endpoint.access) };
  });
  return [
    { title: command.name },
    { lines: usageLines(area, endpoints).flatMap((line) => hanging(`svc ${line}`, 72, 4)) },
    { text: `${summaryOf(command)}.` },
    ...old.map((text) => ({ text: `Deprecated: ${text}.` })),
    ...docs.map((text) => ({ text })),
    ...originWords(endpoints).map((text) => ({ text })),
    ...confirmWords(endpoints).map((text) => ({ text })),
    ...mergedArguments(endpoints).map(({ name, field, of }) => ({
      term: `<${name}>`,
      text: noted(
        of.doc,
        notesOf(field, of).filter((note) => note !== 'required'),
      ),
    })),
    ...flags.map(flagBlock),
    ...requests,
    ...exampleBlocks(endpoints.flatMap((endpoint) => endpoint.examples)),
  ];
}

function builtinBlocks(builtin: Builtin): Block[] {
  const about = builtin.doc ? [{ title: `svc ${builtin.name}` }, { text: builtin.doc }] : [];
  return [...about, ...builtin.commands.flatMap((command) => builtinCommandBlocks(builtin, command))];
}
