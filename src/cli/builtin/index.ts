/** The commands of the program. Only their names and summaries are loaded at start. */
import type { TaskCommand } from '../../tasks/context.ts';
import type { Builtin, RunnableGroup } from './define.ts';

export interface BuiltinEntry {
  readonly name: string;
  readonly summary: string;
  /** Why `svc each` runs none of its commands. By default, it runs only tasks and commands with `inEach`. */
  readonly notInEach?: string;
  readonly load: () => Promise<{ readonly default: Builtin }>;
}

async function task(command: TaskCommand): Promise<{ default: Builtin }> {
  const { taskCommandOf } = await import('../areas.ts');
  return { default: { commands: [(area) => taskCommandOf(area, command)] } };
}

const ofThisMachine = 'it concerns svc on this machine, and would do the same for each target';
const ofToken = 'it concerns the token, which is the same for all targets';

export const builtins: readonly BuiltinEntry[] = [
  {
    name: 'login',
    summary: 'Verify a token and save it in a profile',
    notInEach: ofToken,
    load: () => import('./auth/login.ts'),
  },
  {
    name: 'whoami',
    summary: 'Show the user, the service and the token in effect',
    notInEach: ofToken,
    load: () => import('./auth/whoami.ts'),
  },
  {
    name: 'auth',
    summary: 'Log in, log out and show the current user',
    notInEach: ofToken,
    load: () => import('./auth/auth.ts'),
  },
  { name: 'profiles', summary: 'Manage named sets of settings', load: () => import('./profiles.ts') },
  {
    name: 'config',
    summary: 'Show the settings in effect and their sources',
    load: () => import('./config.ts'),
  },
  {
    name: 'sandbox',
    summary: 'Start, stop and control the built-in service',
    load: () => import('./sandbox/sandbox.ts'),
  },
  {
    name: 'doctor',
    summary: 'Diagnose settings, network and token',
    load: () => import('./doctor/doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'Set up completion for bash, zsh, fish and PowerShell',
    load: () => import('./completion/completion.ts'),
  },
  {
    name: 'man',
    summary: 'Show the manual',
    load: () => import('./man/man.ts'),
  },
  {
    name: 'export',
    summary: 'Print a state file of the settings of a project or a group',
    load: async () => task((await import('../../tasks/export.ts')).exportCommand),
  },
  {
    name: 'diff',
    summary: 'Compare state files with the service',
    load: async () => task((await import('../../tasks/apply.ts')).diffCommand),
  },
  {
    name: 'apply',
    summary: 'Make the service match state files',
    load: async () => task((await import('../../tasks/apply.ts')).applyCommand),
  },
  {
    name: 'schema',
    summary: 'Print the commands and the API as JSON, for programs',
    load: () => import('./schema/schema.ts'),
  },
  {
    name: 'mcp',
    summary: 'Serve the commands as tools for agents (Model Context Protocol)',
    notInEach: 'it serves a client on standard input and output',
    load: () => import('./mcp/mcp.ts'),
  },
  {
    name: 'each',
    summary: 'Run a command for many projects, groups or rows',
    notInEach: 'it runs another command itself',
    load: async () => {
      const [{ eachBuiltin }, task] = await Promise.all([
        import('./each.ts'),
        import('../../tasks/each/index.ts'),
      ]);
      return { default: eachBuiltin(task) };
    },
  },
  { name: 'api', summary: 'Send any API request', load: () => import('./api/api.ts') },
  { name: 'version', summary: 'Print the version of svc', load: () => import('./version.ts') },
  { name: 'help', summary: 'Show help for a topic, an area or a command', load: () => import('./help.ts') },
];

/** Load a builtin with its commands. */
export async function loadBuiltin(entry: BuiltinEntry): Promise<RunnableGroup> {
  const { name, summary, notInEach = ofThisMachine, load } = entry;
  const { doc, commands } = (await load()).default;
  return {
    name,
    summary,
    ...(doc === undefined ? {} : { doc }),
    commands: commands
      .map((describe) => describe(name))
      .map((command) => (command.task || command.inEach ? command : { ...command, notInEach })),
  };
}
