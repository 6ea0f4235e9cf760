/** The sandbox. */
import { features } from '../../api/features.ts';
import type { Block, Page } from '../page.ts';

const sandboxTokens: readonly Block[] = [
  {
    text: 'The tokens are public, so that scripts can use them. They protect nothing. `svc --sandbox` uses the first one.',
  },
  { term: 'sandbox-admin', text: 'root, an administrator.' },
  { term: 'sandbox-owner', text: 'olivia, Owner of the group acme.' },
  { term: 'sandbox-maintainer', text: 'mia, Maintainer.' },
  { term: 'sandbox-developer', text: 'devon, Developer.' },
  { term: 'sandbox-reporter', text: 'rita, Reporter.' },
  { term: 'sandbox-guest', text: 'gus, Guest.' },
  { term: 'sandbox-outsider', text: 'xavier, without any membership.' },
  { term: 'sandbox-readonly', text: 'mia, with the read_api scope.' },
  { term: 'sandbox-job', text: 'The job token of the running job 5280.' },
  {
    text: '`svc sandbox exec` creates a new access token for its command. The job token is the same.',
  },
];

const seedTables: readonly Block[] = [
  {
    text: '`--seed` changes and adds rows in a new state. A row with an existing id changes the attributes that it contains. Any other row is added. An unknown table or attribute is an error. This and `--seed-file` apply only to a new state: use `svc sandbox reset` first.',
  },
  {
    lines: [
      '{ "tables": {',
      '  "variables": [{ "project_id": 100, "key": "REGION", "value": "north" }],',
      '  "projects": [{ "id": 101, "visibility": "public" }] } }',
    ],
  },
];

const scale: readonly Block[] = [
  {
    text: '`--scale` generates rows in a new state, to test large lists. The numbers include the rows that the sandbox always has. The same numbers generate the same rows. `--seed` and `--seed-file` can change them.',
  },
  { lines: ['svc sandbox start --memory --scale projects=3000,jobs=100000'] },
  { term: 'users, groups, projects', text: 'Of the instance. The projects are in the group acme/scale.' },
  { term: 'jobs, variables, badges, snippets', text: 'Of the project acme/rocket.' },
  { term: 'epics, hooks', text: 'Of the group acme.' },
];

const worldFile: readonly Block[] = [
  {
    text: '`--seed-file` adds users, groups and projects to a new state, from a YAML or JSON file. A user, group or project that exists is changed. A token gives a user access to the API.',
  },
  {
    text: 'State documents follow after a line `---`, one for each project, group or instance. They are those of `svc apply`, and may refer to variables and files: `{ env: NAME }`, `{ file: path }`. They are applied before `--tier` and `--spam`, and call no webhooks.',
  },
  {
    lines: [
      'users:',
      '  - { username: ada, name: Ada Lovelace, token: ada-token }',
      'groups:',
      '  - full_path: tools',
      '    members: [{ username: ada, access_level: 50 }]',
      'projects:',
      '  - { path_with_namespace: tools/hammer, visibility: private }',
      '---',
      'svc: 1',
      'project: tools/hammer',
      'variables:',
      '  - { key: REGION, value: north }',
    ],
  },
  {
    text: 'An unknown key, a missing variable or file, and a project or group that does not exist are errors with file, line and column. The sandbox then does not start.',
  },
];

const spamCheck: readonly Block[] = [
  { text: '`--spam` sets the result of the spam check of content such as snippets:' },
  { term: 'off', text: 'The content is accepted. This is the default.' },
  { term: 'reject', text: 'The content is rejected.' },
  {
    term: 'captcha',
    text: 'The content is rejected with a spam log ID. A request that repeats it with `--spam-log-id` and `--captcha-response` is accepted.',
  },
];

const tiers: readonly Block[] = [
  {
    text: 'The sandbox starts with an Ultimate license, or with that of `--tier free`, `premium` or `ultimate`. Without an active license, commands that require Premium or Ultimate get status 403:',
  },
  { lines: ['svc --sandbox license delete 2 --yes', 'svc --sandbox epics list --group acme'] },
  {
    text: '`svc --sandbox license add TEXT` adds a license: Premium if the text contains the word premium, otherwise Ultimate.',
  },
];

const flags: readonly Block[] = [
  {
    text: 'All feature flags are on in a new state. `--without-feature` turns one off, and may be repeated. Commands that depend on it get status 404, and the service ignores parameters that depend on it:',
  },
  ...features.map(({ name, doc }) => ({ term: name, text: `${doc}.` })),
];

const events: readonly Block[] = [
  {
    text: 'Webhooks get an event when a request changes files, branches, releases, wiki pages, epics, subgroups or jobs. `svc sandbox emit` sends samples of all events.',
  },
  {
    text: 'A job can be played, retried and canceled, which the specification does not describe. It runs after 5 seconds and succeeds after 35, by the clock of the sandbox:',
  },
  {
    lines: ['svc --sandbox api POST projects/acme%2Frocket/jobs/5234/retry', 'svc sandbox clock advance 1m'],
  },
];

const testing: readonly Block[] = [
  {
    text: 'These commands control the running sandbox, or the saved state if none is running. In a command of `svc sandbox exec`, they control the sandbox of that command.',
  },
  {
    term: 'svc sandbox faults',
    text: 'Delays, replaces or interrupts responses to matching requests.',
  },
  { term: 'svc sandbox clock', text: 'Sets or advances the time of the sandbox.' },
  {
    term: 'svc sandbox snapshot',
    text: 'Saves and restores the whole state, including git repositories.',
  },
  { term: 'svc sandbox requests', text: 'Lists the requests that the sandbox received.' },
  { term: 'svc sandbox emit', text: 'Sends a sample of a webhook event to the hooks of a project.' },
  {
    text: 'Programs control a running sandbox as JSON over HTTP, at /-/sandbox on its port: faults, clock, snapshots, requests, emit, reset and ready. Requests with an Origin header are rejected. Tests in JavaScript start a sandbox with createSandbox from svc-cli/sandbox.',
  },
];

const sandboxFiles: readonly Block[] = [
  {
    text: 'The state is stored in $XDG_STATE_HOME/svc/sandbox, or in the folder given with `--data`. Only the user can read it. With `--memory`, nothing is stored on disk.',
  },
  {
    term: 'state.jsonl, files, repositories',
    text: 'The tables, the uploaded files and the git repositories. Each write is flushed to disk before the response is sent.',
  },
  { term: 'snapshots', text: 'The snapshots. `svc sandbox reset` keeps them.' },
  {
    term: 'state.jsonl.damaged-1',
    text: 'A state file that could not be read completely. The sandbox prints a warning and continues with the readable part.',
  },
  {
    term: 'server.json',
    text: 'The address, the tokens and the process ID of the sandbox that is running with this folder. `svc --sandbox` sends its requests to that sandbox.',
  },
  { term: 'server-<pid>.json', text: 'The same for a sandbox started with `--memory`.' },
  { term: 'server.log', text: 'The output of a sandbox started with `--detach`.' },
  { term: 'lock', text: 'The process that uses the folder.' },
];

/** The page of `svc help sandbox`, where `svc sandbox --help` describes the commands. */
export function sandboxTopic(): Page {
  return sandboxPage([{ text: '`svc sandbox --help` lists the commands that start, stop and control it.' }]);
}

/** `svc-sandbox.1` */
export function sandboxPage(commands: readonly Block[]): Page {
  return {
    name: 'svc-sandbox',
    section: 1,
    summary: 'local service with the same API, for trying and testing',
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
            text: 'The sandbox is a service that implements the same API on a loopback port of this machine. Its initial data is always the same: users of each role, the group acme, and the project acme/rocket with jobs, variables and files. It accepts connections from this machine only. It sends requests only to the URLs of webhooks that you create.',
          },
          {
            text: 'Add `--sandbox` to any command to run it against the sandbox. Changes are kept for the next command.',
          },
          {
            text: 'Other clients of this API can use the sandbox too. `svc sandbox status --json` prints the base URL and a token for each role.',
          },
        ],
      },
      { title: 'Commands', blocks: commands },
      { title: 'Tokens', blocks: sandboxTokens },
      { title: 'Seed file', blocks: worldFile },
      { title: 'Tables', blocks: seedTables },
      { title: 'Large lists', blocks: scale },
      { title: 'Spam check', blocks: spamCheck },
      { title: 'Licenses and tiers', blocks: tiers },
      { title: 'Feature flags', blocks: flags },
      { title: 'Jobs and webhook events', blocks: events },
      { title: 'Control in tests', blocks: testing },
      { title: 'Files', blocks: sandboxFiles },
      {
        title: 'Examples',
        blocks: [
          { text: 'List jobs:' },
          { lines: ['svc --sandbox jobs list --project acme/rocket'] },
          { text: 'Run the tests of a program against a new sandbox:' },
          { lines: ['svc sandbox exec -- npm test'] },
        ],
      },
      { title: 'See also', blocks: [{ text: 'svc(1), svc-config(5), svc-exit-codes(7).' }] },
    ],
  };
}
