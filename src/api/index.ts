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
  content: 'Planning and content',
  integrations: 'Integrations',
  instance: 'Administration',
} as const;
export type Theme = keyof typeof themes;

const entry = (
  theme: Theme,
  name: string,
  summary: string,
  load: Entry['load'],
  ...aliases: string[]
): Entry => ({ name, summary, theme, load, ...(aliases.length > 0 ? { aliases } : {}) });

export const areas: readonly Entry[] = [
  entry('ci', 'jobs', 'CI/CD jobs', () => import('./jobs.ts')),
  entry('ci', 'pipelines', 'CI/CD pipelines', () => import('./pipelines.ts')),
  entry('ci', 'variables', 'CI/CD variables', () => import('./variables.ts'), 'vars'),
  entry(
    'ci',
    'dependency-exports',
    'Software bills of materials (SBOM)',
    () => import('./dependency-exports.ts'),
    'sbom',
  ),
  entry('code', 'files', 'Files in a repository', () => import('./files.ts')),
  entry('code', 'branches', 'Branches and branch protection', () => import('./branches.ts')),
  entry('code', 'releases', 'Releases in a group', () => import('./releases.ts')),
  entry('code', 'approvals', 'Approval settings of merge requests', () => import('./approvals.ts')),
  entry('code', 'approval-rules', 'Approval rules of merge requests', () => import('./approval-rules.ts')),
  entry(
    'code',
    'context-commits',
    'Context commits of a merge request',
    () => import('./context-commits.ts'),
  ),
  entry('content', 'epics', 'Epics of a group (deprecated)', () => import('./epics.ts')),
  entry('content', 'wikis', 'Wiki pages of a group', () => import('./wikis.ts')),
  entry('content', 'snippets', 'Snippets of a project', () => import('./snippets.ts')),
  entry('content', 'uploads', 'Uploads of a project', () => import('./uploads.ts')),
  entry('content', 'badges', 'Badges of a project or a group', () => import('./badges.ts')),
  entry('integrations', 'notifications', 'Notification settings', () => import('./notifications.ts')),
  entry('integrations', 'hooks', 'Webhooks of a project or a group', () => import('./hooks.ts'), 'webhooks'),
  entry(
    'integrations',
    'error-tracking',
    'Error tracking of a project',
    () => import('./error-tracking.ts'),
    'errors',
  ),
  entry('integrations', 'client-keys', 'Client keys of error tracking', () => import('./client-keys.ts')),
  entry('instance', 'users', 'Users of the instance', () => import('./users.ts')),
  entry('instance', 'broadcasts', 'Broadcast messages of the instance', () => import('./broadcasts.ts')),
  entry(
    'instance',
    'migrations',
    'Migrations of groups and projects from other instances',
    () => import('./migrations.ts'),
  ),
  entry('instance', 'appearance', 'Appearance of the instance', () => import('./appearance.ts')),
  entry('instance', 'license', 'Licenses of the instance', () => import('./license.ts'), 'licenses'),
];
