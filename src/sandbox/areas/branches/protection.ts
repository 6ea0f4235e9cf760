/** Access to the code and the branches of a project (sections 4.11, 5). */

import type { Role } from '../../../spec/field.ts';
import { matchesWildcard } from '../../../support/text/wildcard.ts';
import { zeroSha } from '../../../webhooks/payloads.ts';
import { hasRoleIn } from '../../core/access.ts';
import type { Context } from '../../core/context.ts';
import { forbidden } from '../../core/http-error.ts';
import type { Project, Row } from '../../core/rows.ts';
import type { World } from '../../core/world.ts';
import type { Repository } from '../../git/repository.ts';

/** A row of the table `protected_branches`. Levels: 0 no one, 30 Developer, 40 Maintainer, 60 administrator. */
export interface ProtectedBranch extends Row {
  project_id: number;
  name: string;
  push_access_level: number;
  merge_access_level: number;
  unprotect_access_level: number;
  allow_force_push: boolean;
  code_owner_approval_required: boolean;
}

const levelRoles: Readonly<Record<number, Role>> = { 30: 'developer', 40: 'maintainer', 60: 'administrator' };
const levelNames: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Administrators',
};

export const protections = (world: World, project: Project): ProtectedBranch[] =>
  world.table<ProtectedBranch>('protected_branches').filter((row) => row.project_id === project.id);

export const protecting = (world: World, project: Project, branch: string): ProtectedBranch[] =>
  protections(world, project).filter((row) => matchesWildcard(row.name, branch));

/** Whether the caller has an access level. No caller has level 0. */
export function hasLevel(ctx: Context, level: number): boolean {
  const role = levelRoles[level];
  return role !== undefined && ctx.hasRole(role);
}

/** Whether the caller can push to a branch. Without a protection, Developers can. */
export function canPush(ctx: Context, branch: string): boolean {
  if (!ctx.hasRole('developer')) return false;
  const rules = protecting(ctx, ctx.project, branch);
  return rules.length === 0 || rules.some((rule) => hasLevel(ctx, rule.push_access_level));
}

/** @throws HttpError 401, 403 */
export function requirePush(ctx: Context, branch: string): void {
  ctx.requireRole('developer');
  if (!canPush(ctx, branch)) throw forbidden('You are not allowed to push into this branch');
}

/** Whether the caller can read the code of a project. Code of a private project requires the Reporter role. */
export const canReadCode = (ctx: Context, project: Project): boolean =>
  project.visibility !== 'private' || hasRoleIn(ctx, project, 'reporter');

/** Open the repository of the project. @throws HttpError 401, 403 unless the caller can read its code */
export async function openForReading(ctx: Context): Promise<Repository> {
  if (ctx.project.visibility === 'private') ctx.requireRole('reporter');
  return ctx.repository(ctx.project.id);
}

/** Report a change of a branch to hooks, by its commit before and after; undefined if it did not or does not exist. */
export async function emitPush(
  ctx: Context,
  repository: Repository,
  branch: string,
  before?: string,
  after?: string,
): Promise<void> {
  const since = before ?? ctx.project.default_branch;
  const pushed = after === undefined ? [] : await repository.between(since, after);
  ctx.emit({
    kind: 'push',
    project_id: ctx.project.id,
    user_id: ctx.requireUser().id,
    ref: `refs/heads/${branch}`,
    before: before ?? zeroSha,
    after: after ?? zeroSha,
    commits: await Promise.all(
      pushed.map(async (commit) => ({ ...commit, ...(await repository.changedPaths(commit.id)) })),
    ),
  });
}

export function protectionView(_: Context, row: ProtectedBranch) {
  const levels = (kind: 'push' | 'merge' | 'unprotect', offset: number) => {
    const level = row[`${kind}_access_level`];
    return [{ id: row.id * 3 + offset, access_level: level, access_level_description: levelNames[level] }];
  };
  return {
    ...row,
    push_access_levels: levels('push', 0),
    merge_access_levels: levels('merge', 1),
    unprotect_access_levels: levels('unprotect', 2),
    inherited: false,
  };
}
