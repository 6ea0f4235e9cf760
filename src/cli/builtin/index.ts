/** Commands of `svc` itself: names and one line each, all that is loaded at start. */

import type { BuiltinCommand as Described } from '../../docs/model.ts';
import type { GlobalFlag } from '../argv/flags.ts';
import type { SplitArgv } from '../argv/split.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';

export interface BuiltinCommand extends Described {
  readonly flags: readonly GlobalFlag[];
}

/** A group of commands, or one command that stands alone (its only command then has the group's name). */
export interface Builtin {
  readonly doc?: string;
  readonly commands: readonly BuiltinCommand[];
  run(words: SplitArgv, context: Context): Promise<ExitCode>;
}

export interface BuiltinEntry {
  readonly name: string;
  readonly summary: string;
  readonly hidden?: true;
  readonly load: () => Promise<{ readonly default: Builtin }>;
}

export const builtins: readonly BuiltinEntry[] = [
  { name: 'auth', summary: 'Log in, log out, see who you are', load: () => import('./auth/auth.ts') },
  { name: 'profiles', summary: 'Named sets of settings', load: () => import('./profiles.ts') },
  { name: 'config', summary: 'See which settings are in force, and why', load: () => import('./config.ts') },
  {
    name: 'sandbox',
    summary: 'The service inside svc: start, stop, reset',
    load: () => import('./sandbox/sandbox.ts'),
  },
  {
    name: 'doctor',
    summary: 'Find out what keeps svc from working',
    load: () => import('./doctor/doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'Completion for bash, zsh, fish and PowerShell',
    load: () => import('./completion/completion.ts'),
  },
  {
    name: '__complete',
    summary: 'Values for the shell to offer',
    hidden: true,
    load: () => import('./completion/complete.ts'),
  },
  { name: 'api', summary: 'Make any request of the API', load: () => import('./api/api.ts') },
];
