/** The areas: the only part of the catalogue that is loaded at start. */
import type { Area } from '../spec/endpoint.ts';

export interface Entry {
  readonly name: string;
  /** One line for `svc --help`. */
  readonly summary: string;
  readonly theme: Theme;
  readonly aliases?: readonly string[];
  readonly load: () => Promise<{ readonly default: Area }>;
}

export const themes = {
  ci: 'Pipelines',
  code: 'Repositories',
  review: 'Review and planning',
  content: 'Pages and files',
  people: 'People',
  events: 'Events and errors',
  instance: 'The instance',
} as const;
export type Theme = keyof typeof themes;

export const areas: readonly Entry[] = [
  { name: 'jobs', theme: 'ci', summary: 'CI/CD jobs', load: () => import('./jobs.ts') },
  {
    name: 'variables',
    theme: 'ci',
    aliases: ['vars'],
    summary: 'CI/CD variables',
    load: () => import('./variables.ts'),
  },
  { name: 'files', theme: 'code', summary: 'Files in a repository', load: () => import('./files.ts') },
  {
    name: 'license',
    theme: 'instance',
    aliases: ['licenses'],
    summary: 'Licenses of the instance',
    load: () => import('./license.ts'),
  },
];
