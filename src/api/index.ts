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

/** Headings of the front page, in display order. */
export const themes = {
  ci: 'Work with CI/CD',
  code: 'Code and releases',
  projects: 'Projects and people',
  instance: 'Administration',
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
  {
    name: 'dependency-exports',
    theme: 'ci',
    aliases: ['sbom'],
    summary: 'Software bills of materials (SBOM)',
    load: () => import('./dependency-exports.ts'),
  },
  { name: 'files', theme: 'code', summary: 'Files in a repository', load: () => import('./files.ts') },
  {
    name: 'branches',
    theme: 'code',
    summary: 'Branches and branch protection',
    load: () => import('./branches.ts'),
  },
  {
    name: 'releases',
    theme: 'code',
    summary: 'Releases in a group',
    load: () => import('./releases.ts'),
  },
  {
    name: 'approvals',
    theme: 'code',
    summary: 'Approval settings of merge requests',
    load: () => import('./approvals.ts'),
  },
  {
    name: 'approval-rules',
    theme: 'code',
    summary: 'Approval rules of merge requests',
    load: () => import('./approval-rules.ts'),
  },
  {
    name: 'context-commits',
    theme: 'code',
    summary: 'Context commits of a merge request',
    load: () => import('./context-commits.ts'),
  },
  {
    name: 'epics',
    theme: 'projects',
    summary: 'Epics of a group (deprecated)',
    load: () => import('./epics.ts'),
  },
  {
    name: 'wikis',
    theme: 'projects',
    aliases: ['wiki'],
    summary: 'Wiki pages of a group',
    load: () => import('./wikis.ts'),
  },
  {
    name: 'snippets',
    theme: 'projects',
    summary: 'Snippets of a project',
    load: () => import('./snippets.ts'),
  },
  {
    name: 'uploads',
    theme: 'projects',
    summary: 'Uploads of a project',
    load: () => import('./uploads.ts'),
  },
  {
    name: 'badges',
    theme: 'projects',
    summary: 'Badges of a project or a group',
    load: () => import('./badges.ts'),
  },
  {
    name: 'notifications',
    theme: 'projects',
    summary: 'Notification settings',
    load: () => import('./notifications.ts'),
  },
  {
    name: 'hooks',
    theme: 'projects',
    aliases: ['webhooks'],
    summary: 'Webhooks of a group',
    load: () => import('./hooks.ts'),
  },
  {
    name: 'error-tracking',
    theme: 'projects',
    aliases: ['errors'],
    summary: 'Error tracking of a project',
    load: () => import('./error-tracking.ts'),
  },
  {
    name: 'client-keys',
    theme: 'projects',
    summary: 'Client keys of error tracking',
    load: () => import('./client-keys.ts'),
  },
  { name: 'users', theme: 'instance', summary: 'Users of the instance', load: () => import('./users.ts') },
  {
    name: 'broadcasts',
    theme: 'instance',
    summary: 'Broadcast messages of the instance',
    load: () => import('./broadcasts.ts'),
  },
  {
    name: 'migrations',
    theme: 'instance',
    summary: 'Migrations of groups and projects from other instances',
    load: () => import('./migrations.ts'),
  },
  {
    name: 'appearance',
    theme: 'instance',
    summary: 'Appearance of the instance',
    load: () => import('./appearance.ts'),
  },
  {
    name: 'license',
    theme: 'instance',
    aliases: ['licenses'],
    summary: 'Licenses of the instance',
    load: () => import('./license.ts'),
  },
];
