/** The tasks of each area, loaded with it. */
import type { AreaTasks } from './context.ts';

export const tasks: Readonly<Record<string, () => Promise<AreaTasks>>> = {
  'dependency-exports': () => import('./dependency-exports.ts'),
  'error-tracking': () => import('./error-tracking/index.ts'),
  files: () => import('./files/index.ts'),
  hooks: () => import('./hooks/index.ts'),
  jobs: () => import('./jobs/index.ts'),
  license: () => import('./license.ts'),
  migrations: () => import('./migrations/index.ts'),
  snippets: () => import('./snippets.ts'),
  variables: () => import('./variables/index.ts'),
};
