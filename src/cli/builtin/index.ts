/** The commands of the program. Only their names and summaries are loaded at start. */
import type { CommandGroup } from '../../spec/command.ts';
import type { TaskCommand } from '../../tasks/context.ts';
import type { Builtin } from './define.ts';

export interface BuiltinEntry {
  readonly name: string;
  readonly summary: string;
  /** Not shown in help, man pages and completion. */
  readonly hidden?: true;
  readonly load: () => Promise<{ readonly default: Builtin }>;
}

async function task(command: TaskCommand): Promise<{ default: Builtin }> {
  return { default: (await import('../tasks.ts')).taskBuiltin(command) };
}

export const builtins: readonly BuiltinEntry[] = [
  {
    name: 'login',
    summary: 'Verify a token and save it in a profile',
    load: () => import('./auth/login.ts'),
  },
  {
    name: 'whoami',
    summary: 'Show the user, the service and the token in effect',
    load: () => import('./auth/whoami.ts'),
  },
  {
    name: 'auth',
    summary: 'Log in, log out and show the current user',
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
    name: '__complete',
    summary: 'Print values for shell completion',
    hidden: true,
    load: () => import('./completion/complete.ts'),
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
    load: () => import('./mcp/mcp.ts'),
  },
  {
    name: 'each',
    summary: 'Run a command for many projects, groups or rows',
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

/** A builtin with the descriptions of its commands. */
export async function describeBuiltin({ name, summary, load }: BuiltinEntry): Promise<CommandGroup> {
  const { doc, commands } = (await load()).default;
  return {
    name,
    summary,
    ...(doc === undefined ? {} : { doc }),
    commands: commands.map((one) => one.describe(name)),
  };
}
