/** The commands of the program. Only their names and summaries are loaded at start. */
import { text } from '../../spec/field.ts';
import type { TaskCommand } from '../../tasks/context.ts';
import { version } from '../version.ts';
import { type Builtin, type BuiltinCommand, command, type RunnableGroup } from './define.ts';

export interface BuiltinEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<Builtin>;
}

type Load = BuiltinEntry['load'];
const group = (name: string, summary: string, load: Load): BuiltinEntry => ({ name, summary, load });
const entry = (name: string, summary: string, load: () => Promise<BuiltinCommand>): BuiltinEntry =>
  group(name, summary, async () => ({ commands: [await load()] }));
const task = (name: string, summary: string, load: () => Promise<TaskCommand>): BuiltinEntry =>
  entry(name, summary, async () => {
    const [{ taskCommandOf }, declared] = await Promise.all([import('../areas.ts'), load()]);
    return (area) => taskCommandOf(area, declared);
  });

const versionCommand = command({
  name: 'version',
  args: '',
  summary: 'Print the version of svc',
  flags: {},
  examples: [{ does: 'Print the version', run: 'version' }],
  async run(_, { stdout }) {
    stdout.write(`svc ${version}\n`);
    return 0;
  },
});

const helpCommand = command({
  name: 'help',
  args: '[topic|area] [command]',
  of: { 'topic|area': text('Topic or area') },
  summary: 'Show help for a topic, an area or a command',
  flags: { all: { doc: 'Show all flags, the API request and the exit codes' } },
  examples: [
    { does: 'Show the commands of an area', run: 'help jobs' },
    { does: 'Show every flag of a command', run: 'help jobs list --all' },
    { does: 'Show a topic', run: 'help exit-codes' },
  ],
  run: ({ words, options }, context, services) =>
    services.help({ words, all: options.all === true, topics: true }, context),
});

export const builtins: readonly BuiltinEntry[] = [
  entry('login', 'Verify a token and save it in a profile', async () => {
    return (await import('./auth/auth.ts')).login;
  }),
  entry('whoami', 'Show the user, the service and the token in effect', async () => {
    return (await import('./auth/auth.ts')).whoami;
  }),
  group('auth', 'Log in, log out and show the current user', async () => {
    return (await import('./auth/auth.ts')).auth;
  }),
  group('profiles', 'Manage named sets of settings', async () => (await import('./settings.ts')).profiles),
  group('config', 'Show the settings in effect and their sources', async () => {
    return (await import('./settings.ts')).config;
  }),
  group('sandbox', 'Start, stop and control the built-in service', async () => {
    return (await import('./sandbox/sandbox.ts')).default;
  }),
  entry('doctor', 'Diagnose settings, network and token', async () => {
    return (await import('./doctor/doctor.ts')).doctor;
  }),
  group('completion', 'Set up completion for bash, zsh, fish and PowerShell', async () => {
    return (await import('./completion/completion.ts')).completion;
  }),
  entry('man', 'Show the manual', async () => (await import('./man.ts')).man),
  task('export', 'Print a state file of the settings of a project or a group', async () => {
    return (await import('../../tasks/export.ts')).exportCommand;
  }),
  task('diff', 'Compare state files with the service', async () => {
    return (await import('../../tasks/apply.ts')).diffCommand;
  }),
  task('apply', 'Make the service match state files', async () => {
    return (await import('../../tasks/apply.ts')).applyCommand;
  }),
  entry('schema', 'Print the commands and the API as JSON, for programs', async () => {
    return (await import('./schema.ts')).schema;
  }),
  group('mcp', 'Serve the commands as tools for agents (Model Context Protocol)', async () => {
    return (await import('./mcp/mcp.ts')).default;
  }),
  group('each', 'Run a command for many projects, groups or rows', async () => {
    const { eachBuiltin } = await import('../each/each.ts');
    return eachBuiltin(await import('../../tasks/each/index.ts'));
  }),
  entry('api', 'Send any API request', async () => (await import('./api/api.ts')).api),
  entry('version', 'Print the version of svc', async () => versionCommand),
  entry('help', 'Show help for a topic, an area or a command', async () => helpCommand),
];

const ofToken = 'it concerns the token, which is the same for all targets';
const ofThisMachine = 'it concerns svc on this machine, and would do the same for each target';
/** Why `svc each` runs none of the commands of a group but tasks and those with `inEach`. */
const notInEach: Readonly<Record<string, string>> = {
  login: ofToken,
  whoami: ofToken,
  auth: ofToken,
  mcp: 'it serves a client on standard input and output',
  each: 'it runs another command itself',
};

/** Load a builtin with its commands. */
export async function loadBuiltin({ name, summary, load }: BuiltinEntry): Promise<RunnableGroup> {
  const { doc, commands } = await load();
  const reason = { notInEach: notInEach[name] ?? ofThisMachine };
  return {
    name,
    summary,
    ...(doc === undefined ? {} : { doc }),
    commands: commands
      .map((describe) => describe(name))
      .map((one) => (one.task || one.inEach ? one : { ...one, ...reason })),
  };
}
