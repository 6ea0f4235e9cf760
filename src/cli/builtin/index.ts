/** The commands of the program. Only their names and summaries are loaded at start. */
import { text } from '../../spec/field.ts';
import { version } from '../../support/installation.ts';
import type { TaskCommand } from '../../tasks/context.ts';
import { type Builtin, type BuiltinCommand, command, type RunnableGroup } from './define.ts';

interface BuiltinEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<Builtin | BuiltinCommand>;
}

const entry = (name: string, summary: string, load: BuiltinEntry['load']): BuiltinEntry => {
  return { name, summary, load };
};
const task = (name: string, summary: string, load: () => Promise<TaskCommand>): BuiltinEntry =>
  entry(name, summary, async () => {
    const [{ taskCommandOf }, declared] = await Promise.all([import('../areas.ts'), load()]);
    return () => taskCommandOf(name, declared);
  });

const versionCommand = command({
  flags: {},
  examples: { 'Print the version': 'version' },
  async run(_, { stdout }) {
    stdout.write(`svc ${version}\n`);
    return 0;
  },
});

const helpCommand = command({
  args: '[topic|area] [command]',
  of: { 'topic|area': text('Topic or area') },
  flags: { all: { doc: 'Show all flags, the API request and the exit codes' } },
  examples: {
    'Show the commands of an area': 'help jobs',
    'Show every flag of a command': 'help jobs list --all',
    'Show a topic': 'help exit-codes',
  },
  run: ({ words, options }, context, services) =>
    services.help({ words, all: options.all === true, topics: true }, context),
});

const auth = () => import('./auth/auth.ts');
const settings = () => import('./settings.ts');
const apply = () => import('../../tasks/apply.ts');

export const builtins: readonly BuiltinEntry[] = [
  entry('login', 'Verify a token and save it in a profile', async () => (await auth()).login),
  entry('whoami', 'Show the user, the service and the token in effect', async () => (await auth()).whoami),
  entry('auth', 'Log in, log out and show the current user', async () => (await auth()).auth),
  entry('profiles', 'Manage named sets of settings', async () => (await settings()).profiles),
  entry('config', 'Show the settings in effect and their sources', async () => (await settings()).config),
  entry('sandbox', 'Start, stop and control the built-in service', async () => {
    return (await import('./sandbox/sandbox.ts')).default;
  }),
  entry('doctor', 'Diagnose settings, network and token', async () => {
    return (await import('./doctor/doctor.ts')).doctor;
  }),
  entry('completion', 'Set up completion for bash, zsh, fish and PowerShell', async () => {
    return (await import('./completion/completion.ts')).completion;
  }),
  entry('man', 'Show the manual', async () => (await import('./man.ts')).man),
  task('export', 'Print a state file of the settings of a project or a group', async () => {
    return (await import('../../tasks/export.ts')).exportCommand;
  }),
  task('diff', 'Compare state files with the service', async () => (await apply()).diffCommand),
  task('apply', 'Make the service match state files', async () => (await apply()).applyCommand),
  task('copy', 'Copy the settings of a project or a group to others', async () => {
    return (await import('../../tasks/copy.ts')).copyCommand;
  }),
  task('status', 'Show the state of a project: pipelines, webhooks, migrations and license', async () => {
    return (await import('../../tasks/status.ts')).statusCommand;
  }),
  task('find', 'Find rows of lists over many projects, such as variables, webhooks and files', async () => {
    return (await import('../../tasks/find/index.ts')).findCommand;
  }),
  entry('schema', 'Print the commands and the API as JSON, for programs', async () => {
    return (await import('./schema.ts')).schema;
  }),
  entry('mcp', 'Serve the commands as tools for agents (Model Context Protocol)', async () => {
    return (await import('./mcp/mcp.ts')).mcp;
  }),
  entry('each', 'Run a command for many projects, groups or rows', async () => {
    const { eachBuiltin } = await import('../each/each.ts');
    return eachBuiltin(await import('../../tasks/each/index.ts'));
  }),
  entry('api', 'Send any API request', async () => (await import('./api/api.ts')).api),
  entry('version', 'Print the version of svc', async () => versionCommand),
  entry('help', 'Show help for a topic, an area or a command', async () => helpCommand),
];

export async function loadBuiltin({ name, summary, load }: BuiltinEntry): Promise<RunnableGroup> {
  const loaded = await load();
  const { commands, ...doc } = typeof loaded === 'function' ? { commands: [loaded] } : loaded;
  return {
    name,
    summary,
    ...doc,
    commands: commands.map((describe) => describe({ name, summary })),
  };
}
