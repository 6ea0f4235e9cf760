/** The flags of the program and the forms of values. */
import type { FlagGroup, ProgramFlag } from '../../spec/command.ts';
import { withNotes } from '../descriptions.ts';
import { type Flag, flagTerm, programFlag } from '../flags.ts';
import type { TopicInput } from '../model.ts';
import type { Block, Page } from '../page.ts';

export function flagBlock(flag: Flag): Block {
  const text = `${withNotes(flag.doc, flag.notes)}.`;
  return { term: flagTerm(flag), text, ...(flag.keys.length > 0 ? { below: flag.keys } : {}) };
}

const groups: Readonly<Record<FlagGroup, string>> = {
  body: 'Body',
  pagination: 'Pagination',
  output: 'Output',
  connection: 'Connection',
  other: 'Other',
};

/** The flags of the program by group. */
export function flagGroups(flags: readonly ProgramFlag[]): { title: string; blocks: Block[] }[] {
  return Object.entries(groups)
    .map(([group, title]) => ({
      title,
      blocks: flags
        .filter((flag) => flag.group === group)
        .map(programFlag)
        .map(flagBlock),
    }))
    .filter(({ blocks }) => blocks.length > 0);
}

export const valueBlocks: readonly Block[] = [
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

export function flagsPage({ programFlags }: TopicInput): Page {
  return {
    name: 'svc-flags',
    section: 7,
    summary: 'flags that many commands accept, and how to write their values',
    sections: [
      {
        title: 'Scope',
        blocks: [
          {
            term: '-p, --project <id|path>',
            text: 'The project of the request, by ID or full path. Commands for projects require it.',
          },
          {
            term: '-g, --group <id|path>',
            text: 'The group of the request, by ID or full path. Commands for groups require it.',
          },
        ],
      },
      ...flagGroups(programFlags),
      { title: 'Values', blocks: valueBlocks },
      {
        title: 'Notes',
        blocks: [
          {
            text: 'Each command accepts the flags that apply to it. `svc <area> <command> --help --all` lists all flags of a command.',
          },
        ],
      },
    ],
  };
}
