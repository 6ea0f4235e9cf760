/** The page of the manual about the sandbox. */

import type { CommandGroup, ProgramFlag } from '../../spec/command.ts';
import { commandBlocks } from './blocks.ts';
import type { Block, Page } from './roff.ts';

const sandboxTokens: readonly Block[] = [
  {
    text: 'Its tokens are documented, so that scripts can name them: they protect nothing. `svc --sandbox` uses the first.',
  },
  { term: 'sandbox-admin', text: 'root, an administrator.' },
  { term: 'sandbox-owner', text: 'olivia, Owner of the group acme.' },
  { term: 'sandbox-maintainer', text: 'mia, Maintainer.' },
  { term: 'sandbox-developer', text: 'devon, Developer.' },
  { term: 'sandbox-reporter', text: 'rita, Reporter.' },
  { term: 'sandbox-guest', text: 'gus, Guest.' },
  { term: 'sandbox-outsider', text: 'xavier, who is no member of anything.' },
  { term: 'sandbox-readonly', text: 'mia, with the scope read_api.' },
  { term: 'sandbox-job', text: 'The job token of the running job 5280.' },
  {
    text: '`svc sandbox exec` gives its command an access token of its own, and this job token.',
  },
];

const seedFile: readonly Block[] = [
  {
    text: '`--seed` lays rows over those of a new state. A row with the id of one that exists changes the attributes that it names; any other is added. An unknown table or attribute is an error. It counts only where the state is new: `svc sandbox reset` makes it so.',
  },
  {
    lines: [
      '{ "tables": {',
      '    "variables": [ { "project_id": 100, "key": "REGION", "value": "north" } ],',
      '    "projects":  [ { "id": 101, "visibility": "public" } ] } }',
    ],
  },
];

const spamCheck: readonly Block[] = [
  { text: '`--spam` says what happens to content that a service would check, such as a snippet:' },
  { term: 'off', text: 'It is taken. The default.' },
  { term: 'reject', text: 'It is refused, and discarded.' },
  {
    term: 'captcha',
    text: 'It is refused with a number, and taken once it comes again with `--spam-log-id` and `--captcha-response`.',
  },
];

const tiers: readonly Block[] = [
  {
    text: 'The sandbox has a license for Ultimate. Without a license in force, the commands that need Premium or Ultimate get 403:',
  },
  { lines: ['svc --sandbox license delete 2 --yes', 'svc --sandbox epics list --group acme'] },
  {
    text: '`svc --sandbox license add TEXT` adds one again: for Premium if the text contains the word premium, otherwise for Ultimate.',
  },
];

const sandboxFiles: readonly Block[] = [
  {
    text: 'The state is kept in $XDG_STATE_HOME/svc/sandbox, or the folder that `--data` names, readable by its user only. `--memory` keeps none of it on disk.',
  },
  {
    term: 'state.jsonl, files, repositories',
    text: 'The tables, uploaded files, git repositories. Every write is flushed to the disk before it is answered.',
  },
  {
    term: 'state.jsonl.damaged-1',
    text: 'A state that could not be read completely. The sandbox prints a warning and continues with the readable part.',
  },
  {
    term: 'server.json',
    text: 'Where the sandbox that runs over this folder listens, its tokens and its process, while it runs: `svc --sandbox` then asks that one.',
  },
  { term: 'server-<pid>.json', text: 'The same for a sandbox that was started with `--memory`.' },
  { term: 'server.log', text: 'What a sandbox that was started with `--detach` printed.' },
  { term: 'lock', text: 'Which process works on the folder.' },
];

/** `svc-sandbox.1` */
export function sandboxPage(builtins: readonly CommandGroup[], programFlags: readonly ProgramFlag[]): Page {
  const sandbox = builtins.find(({ name }) => name === 'sandbox');
  const flag = programFlags.find(({ name }) => name === 'sandbox');
  const blocks: Block[] = sandbox ? sandbox.commands.flatMap(commandBlocks) : [];
  return {
    name: 'svc-sandbox',
    section: 1,
    summary: 'a service of this API inside svc, to try and to test',
    sections: [
      {
        title: 'Synopsis',
        blocks: [
          {
            lines: ['svc --sandbox <area> <command> [arguments] [flags]', 'svc sandbox <command> [flags]'],
          },
        ],
      },
      {
        title: 'Description',
        blocks: [
          {
            text: 'The sandbox is a service that answers the same API on a loopback port of this machine, with a small world that is the same each time: users of each role, the group acme, the project acme/rocket with its jobs, variables and files. It listens to this machine only and sends nothing elsewhere, but to the addresses of webhooks that you give it.',
          },
          ...(flag
            ? [
                {
                  text: `\`--sandbox\` before or behind any command: ${flag.doc.toLowerCase()}. What the command changes is there for the next one.`,
                },
              ]
            : []),
          {
            text: 'Other clients of this API can use it too: `svc sandbox status --json` gives its base URL and a token for each role.',
          },
        ],
      },
      ...(blocks.length > 0 ? [{ title: 'Commands', blocks }] : []),
      { title: 'Who can ask', blocks: sandboxTokens },
      { title: 'Seed file', blocks: seedFile },
      { title: 'Spam check', blocks: spamCheck },
      { title: 'Licenses and tiers', blocks: tiers },
      { title: 'Files', blocks: sandboxFiles },
      {
        title: 'Examples',
        blocks: [
          { text: 'Look around:' },
          { lines: ['svc --sandbox jobs list --project acme/rocket'] },
          { text: 'Run the tests of a program against a fresh service:' },
          { lines: ['svc sandbox exec -- npm test'] },
        ],
      },
      { title: 'See also', blocks: [{ text: 'svc(1), svc-config(5), svc-exit-codes(7).' }] },
    ],
  };
}
