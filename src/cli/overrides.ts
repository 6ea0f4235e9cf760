/** Commands that are more than one call, beside the general path: by area, loaded with it. */
import type { Endpoint } from '../spec/endpoint.ts';
import type { Leaf } from './argv/command.ts';
import type { CommandLine } from './argv/parse.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';

export type Runner = (leaf: Leaf, line: CommandLine, context: Context) => Promise<ExitCode>;

export interface Addition {
  /** The area's calls with what is added to them, in the order of its help; left out where they stay as they are. */
  weave?(endpoints: readonly Endpoint[]): readonly Endpoint[];
  /** By command name: what runs instead of the general path. */
  readonly runners: Readonly<Record<string, Runner>>;
}

export const additions: Readonly<Record<string, () => Promise<Addition>>> = {
  'dependency-exports': () => import('../tasks/dependency-exports.ts'),
  files: () => import('../tasks/files.ts'),
  license: () => import('../tasks/license.ts'),
  migrations: () => import('../tasks/migrations.ts'),
  snippets: () => import('../tasks/snippets.ts'),
  variables: () => import('../tasks/variables.ts'),
};
