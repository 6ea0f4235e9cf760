/** The manual: a page for the program, for each area and for each topic. */
import { themes } from '../../api/index.ts';
import { type CommandGroup, lowerFirst } from '../../spec/command.ts';
import { topicPages } from '../../spec/names.ts';
import type { AreaGroup, Catalogue } from '../model.ts';
import type { Block, Page } from '../page.ts';
import { flagGroups, topicPage, topics } from '../topics.ts';
import { commandBlocks } from './blocks.ts';
import { type Edition, render } from './roff.ts';

export interface Manual extends Catalogue, Edition {
  /** The first line of each page, which says how it was generated. */
  readonly origin: string;
}

/** Return the source of each page by file name: `svc-jobs.1`. */
export async function manPages(manual: Manual): Promise<Map<string, string>> {
  return new Map(
    (await pagesOf(manual)).map(
      (page) => [`${page.name}.${page.section}`, render(page, manual, manual.origin)] as const,
    ),
  );
}

/** Return the pages in the order of the manual. */
export async function pagesOf(manual: Catalogue): Promise<Page[]> {
  const input = { ...manual, sandbox: commandsOf('sandbox', manual) };
  const [flags, ...others] = await Promise.all(topics.map((topic) => topicPage(topic, input)));
  const values = flags?.sections.find(({ title }) => title === 'Values')?.blocks ?? [];
  return [rootPage(manual, values), ...manual.areas.map(areaPage), ...others];
}

function commandsOf(name: string, { builtins }: Catalogue): Block[] {
  return builtins
    .filter((one) => one.name === name)
    .flatMap(({ commands }) => commands.flatMap(commandBlocks));
}

/** @param values how values of flags are written */
function rootPage({ areas, builtins, programFlags }: Catalogue, values: readonly Block[]): Page {
  const byTheme = Object.entries(themes).flatMap(([theme, title]): Block[] => {
    const found = areas.filter((area) => area.theme === theme);
    if (found.length === 0) return [];
    return [
      { title },
      ...found.map(({ name, summary }) => ({ term: name, text: `${summary}. See svc-${name}(1).` })),
    ];
  });
  const flags = flagGroups(programFlags).flatMap(({ title, blocks }): Block[] => [{ title }, ...blocks]);
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
      { title: 'Values', blocks: values },
      { title: 'Exit status', blocks: [{ text: 'See svc-exit-codes(7).' }] },
      {
        title: 'See also',
        blocks: [{ text: `${seeAlso(areas.map(({ name }) => `svc-${name}(1)`))}.` }],
      },
    ],
  };
}

function seeAlso(names: readonly string[]): string {
  return [...names, ...topicPages.map(([name, section]) => `svc-${name}(${section})`)].join(', ');
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
