/** Errors for unknown names, with suggestions. */
import { areas } from '../api/index.ts';
import { type Failure, usage } from '../errors.ts';
import { type Command, type CommandGroup, pathOf } from '../spec/command.ts';
import { findArea } from './areas.ts';
import { builtins } from './builtin/index.ts';

/** Words of other programs, and the command of `svc` for the same purpose. */
const commandGuesses: Readonly<Record<string, string>> = {
  logout: 'auth logout',
  signin: 'login',
  status: 'auth status',
  token: 'auth status',
  user: 'users',
  me: 'whoami',
  context: 'profiles',
  contexts: 'profiles',
  account: 'profiles',
  job: 'jobs',
  var: 'variables',
  env: 'variables',
  secret: 'variables',
  secrets: 'variables',
  file: 'files',
  repository: 'files',
  blame: 'files blame',
  branch: 'branches',
  review: 'approvals',
  reviews: 'approvals',
  gist: 'snippets',
  gists: 'snippets',
  hook: 'hooks',
  webhook: 'hooks',
  request: 'api',
  curl: 'api',
};

/** Resources that other programs cover, and the path of their list. */
const otherResources: Readonly<Record<string, string>> = {
  project: 'projects',
  repo: 'projects',
  group: 'groups',
  runner: 'runners',
  issue: "'projects/{project}/issues'",
  mr: "'projects/{project}/merge_requests'",
  pr: "'projects/{project}/merge_requests'",
  'merge-request': "'projects/{project}/merge_requests'",
  pipeline: "'projects/{project}/pipelines'",
  ci: "'projects/{project}/pipelines'",
  run: "'projects/{project}/pipelines'",
  workflow: "'projects/{project}/pipelines'",
  schedule: "'projects/{project}/pipeline_schedules'",
  environment: "'projects/{project}/environments'",
  deployment: "'projects/{project}/deployments'",
  milestone: "'projects/{project}/milestones'",
  label: "'projects/{project}/labels'",
  tag: "'projects/{project}/repository/tags'",
  commit: "'projects/{project}/repository/commits'",
  package: "'projects/{project}/packages'",
};

/** Commands that other programs put before the resource: `kubectl get pods`. */
const verbs: Readonly<Record<string, string>> = {
  get: 'list',
  list: 'list',
  ls: 'list',
  show: 'get',
  describe: 'get',
  create: 'create',
  edit: 'update',
  update: 'update',
  set: 'set',
  delete: 'delete',
  rm: 'delete',
};

const entryOf = (table: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

function guessesFor(name: string, next: string | undefined): string[] {
  const right = entryOf(commandGuesses, name);
  if (right !== undefined) return [`Did you mean ${right}?`];
  const path = entryOf(otherResources, name) ?? entryOf(otherResources, name.replace(/s$/, ''));
  if (path !== undefined) return [`svc has no commands for this; send the request itself: svc api ${path}`];
  const verb = entryOf(verbs, name);
  const area = verb && next !== undefined ? (findArea(next) ?? findArea(`${next}s`)) : undefined;
  return area ? [`put the area first: svc ${area.name} ${verb}`] : [];
}

/** Return the error for an unknown first word of a command line. @param next the second word */
export async function unknownName(name: string, next?: string): Promise<Failure> {
  const { unknownWord } = await import('./argv/parse.ts');
  const { suggest } = await import('../support/suggest.ts');
  const { topics } = await import('../docs/topics.ts');
  const known = [...areas, ...builtins].map((one) => one.name);
  const topicNames = topics.map((topic) => topic.name).filter((topic) => !known.includes(topic));
  const shown = (one: string) => (topicNames.includes(one) ? `svc help ${one}` : one);
  const guesses = guessesFor(name, next);
  if (guesses.length === 0) guesses.push(...suggest(name, [...known, ...topicNames], '', shown));
  const failure = unknownWord('command', name, known, 'svc', guesses);
  return guesses.length > 0
    ? failure
    : failure.withHints('use "svc api" for requests that no command covers');
}

/** Commands of other programs, and the commands of `svc` for the same purpose, the first that the area has. */
const subcommandGuesses: Readonly<Record<string, readonly string[]>> = {
  view: ['get', 'show', 'explain', 'list'],
  get: ['show', 'explain', 'list'],
  show: ['explain'],
  info: ['get', 'show', 'status'],
  describe: ['get', 'show'],
  inspect: ['get', 'show'],
  add: ['create'],
  new: ['create'],
  edit: ['update', 'set'],
  modify: ['update', 'set'],
  patch: ['update'],
  put: ['update'],
  upsert: ['set'],
  remove: ['delete'],
  del: ['delete', 'remove'],
  destroy: ['delete', 'remove'],
  unset: ['delete', 'remove'],
  all: ['list'],
  list: ['explain'],
  cat: ['raw'],
  download: ['raw', 'get'],
  switch: ['use'],
  select: ['use'],
  'use-context': ['use'],
  token: ['status'],
  refresh: ['login'],
  up: ['start'],
  run: ['start', 'exec'],
  down: ['stop'],
  kill: ['stop'],
};

/** Guesses whose command is in another group. */
const elsewhere: Readonly<Record<string, string>> = {
  'auth switch': 'profiles use',
  'auth list': 'profiles list',
  'auth whoami': 'whoami',
  'config set': 'profiles set',
  'config use-context': 'profiles use',
  'profiles create': 'login --profile <name>',
  'profiles add': 'login --profile <name>',
  'profiles unset': 'profiles set <setting> ""',
  'users me': 'whoami',
};

/** Return the error for an unknown second word of a command line. */
export async function unknownCommand(group: CommandGroup, name: string): Promise<Failure> {
  const { unknownWord } = await import('./argv/parse.ts');
  const known = group.commands.map((one) => one.name);
  const own = Object.hasOwn(subcommandGuesses, name) ? subcommandGuesses[name] : undefined;
  const other = entryOf(elsewhere, `${group.name} ${name}`);
  const right = other === undefined ? own?.find((one) => known.includes(one)) : `svc ${other}`;
  return unknownWord(
    'command',
    name,
    known,
    `svc ${group.name}`,
    right === undefined ? [] : [`Did you mean ${right}?`],
  );
}

/** The error for `--web` of a command that shows no object with a web page; names the commands of the group that do. */
export function withoutPage({ commands }: CommandGroup, command: Command): Failure {
  const showing = commands.filter(({ flags }) => flags.some(({ name }) => name === 'web'));
  const usages = showing.map((one) =>
    ['use svc', pathOf(one), ...one.arguments.map(({ name }) => `<${name}>`), '--web'].join(' '),
  );
  return usage(`--web: svc ${pathOf(command)} does not show an object with a web page`, usages);
}
