/** Commands that are more than one call, beside the general path: by area, loaded with it. */
import type { Endpoint } from '../spec/endpoint.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exits.ts';
import type { Leaf } from './leaf.ts';
import type { CommandLine } from './parse.ts';

export type Runner = (leaf: Leaf, line: CommandLine, context: Context) => Promise<ExitCode>;

export interface Addition {
  /** The area's calls with what is added to them, in the order of its help; left out where they stay as they are. */
  weave?(endpoints: readonly Endpoint[]): readonly Endpoint[];
  /** By command name: what runs instead of the general path. */
  readonly runners: Readonly<Record<string, Runner>>;
}

export const additions: Readonly<Record<string, () => Promise<Addition>>> = {
  'dependency-exports': () => import('./builtin/dependency-exports.ts'),
  files: () => import('./builtin/files.ts'),
  license: () => import('./builtin/license.ts'),
  migrations: () => import('./builtin/migrations.ts'),
  snippets: () => import('./builtin/snippets.ts'),
  variables: () => import('./builtin/variables.ts'),
};
