/** The commands of the program. Only their names and summaries are loaded at start. */
import type { TaskCommand } from '../../tasks/context.ts';
import type { Builtin, RunnableGroup } from './define.ts';

export interface BuiltinEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly default: Builtin }>;
}

type Load = BuiltinEntry['load'];
const entry = (name: string, summary: string, load: Load): BuiltinEntry => ({ name, summary, load });
const task = (name: string, summary: string, load: () => Promise<TaskCommand>): BuiltinEntry =>
  entry(name, summary, async () => {
    const [{ taskCommandOf }, command] = await Promise.all([import('../areas.ts'), load()]);
    return { default: { commands: [(area) => taskCommandOf(area, command)] } };
  });

export const builtins: readonly BuiltinEntry[] = [
  entry('login', 'Verify a token and save it in a profile', async () => ({
    default: (await import('./auth/auth.ts')).login,
  })),
  entry('whoami', 'Show the user, the service and the token in effect', async () => ({
    default: (await import('./auth/auth.ts')).whoami,
  })),
  entry('auth', 'Log in, log out and show the current user', () => import('./auth/auth.ts')),
  entry('profiles', 'Manage named sets of settings', async () => ({
    default: (await import('./settings.ts')).profiles,
  })),
  entry('config', 'Show the settings in effect and their sources', async () => ({
    default: (await import('./settings.ts')).config,
  })),
  entry('sandbox', 'Start, stop and control the built-in service', () => import('./sandbox/sandbox.ts')),
  entry('doctor', 'Diagnose settings, network and token', () => import('./doctor/doctor.ts')),
  entry(
    'completion',
    'Set up completion for bash, zsh, fish and PowerShell',
    () => import('./completion/completion.ts'),
  ),
  entry('man', 'Show the manual', () => import('./man.ts')),
  task('export', 'Print a state file of the settings of a project or a group', async () => {
    return (await import('../../tasks/export.ts')).exportCommand;
  }),
  task('diff', 'Compare state files with the service', async () => {
    return (await import('../../tasks/apply.ts')).diffCommand;
  }),
  task('apply', 'Make the service match state files', async () => {
    return (await import('../../tasks/apply.ts')).applyCommand;
  }),
  entry('schema', 'Print the commands and the API as JSON, for programs', () => import('./schema.ts')),
  entry(
    'mcp',
    'Serve the commands as tools for agents (Model Context Protocol)',
    () => import('./mcp/mcp.ts'),
  ),
  entry('each', 'Run a command for many projects, groups or rows', async () => {
    const { eachBuiltin } = await import('../each/each.ts');
    return { default: eachBuiltin(await import('../../tasks/each/index.ts')) };
  }),
  entry('api', 'Send any API request', () => import('./api/api.ts')),
  entry('version', 'Print the version of svc', async () => {
    return { default: (await import('./help.ts')).version };
  }),
  entry('help', 'Show help for a topic, an area or a command', async () => {
    return { default: (await import('./help.ts')).help };
  }),
];

const ofToken = 'it concerns the token, which is the same for all targets';
/** Why `svc each` runs none of the commands of a group but tasks and those with `inEach`. */
const notInEach: ReadonlyMap<string, string> = new Map([
  ['login', ofToken],
  ['whoami', ofToken],
  ['auth', ofToken],
  ['mcp', 'it serves a client on standard input and output'],
  ['each', 'it runs another command itself'],
]);
const ofThisMachine = 'it concerns svc on this machine, and would do the same for each target';

/** Load a builtin with its commands. */
export async function loadBuiltin({ name, summary, load }: BuiltinEntry): Promise<RunnableGroup> {
  const { doc, commands } = (await load()).default;
  const reason = { notInEach: notInEach.get(name) ?? ofThisMachine };
  return {
    name,
    summary,
    ...(doc === undefined ? {} : { doc }),
    commands: commands
      .map((describe) => describe(name))
      .map((command) => (command.task || command.inEach ? command : { ...command, ...reason })),
  };
}
