/** Who may read a project's code, and push to its branches (sections 4.11, 5). */
import type { RequestContext, World } from '../../core/behavior.ts';
import type { Project, Row } from '../../core/rows.ts';

/** A row of the table `protected_branches`. Levels: 0 nobody, 30 Developer, 40 Maintainer, 60 administrator. */
export interface ProtectedBranch extends Row {
  project_id: number;
  /** A branch, or a pattern with `*`. */
  name: string;
  push_access_level: number;
  merge_access_level: number;
  unprotect_access_level: number;
  allow_force_push: boolean;
}

const levelRoles = { 30: 'developer', 40: 'maintainer', 60: 'administrator' } as const;
const levelNames: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Administrators',
};

/** Whether a pattern covers a branch: each `*` stands for any text. Takes time in line with both lengths. */
function covers(pattern: string, branch: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return first === branch;
  if (!branch.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = branch.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return branch.length - last.length >= at && branch.endsWith(last);
}

/** All rules of a project, those for patterns too. */
export const protections = (world: World, project: Project): ProtectedBranch[] =>
  world.table<ProtectedBranch>('protected_branches').filter((row) => row.project_id === project.id);

/** What protects a branch of a project: of several, the most generous holds. */
export const protecting = (world: World, project: Project, branch: string): ProtectedBranch[] =>
  protections(world, project).filter((row) => covers(row.name, branch));

/** Whether the caller is who an access level lets in; level 0 lets in nobody. */
export function hasLevel(ctx: RequestContext, level: number): boolean {
  const role = levelRoles[level as keyof typeof levelRoles];
  return role !== undefined && ctx.hasRole(role);
}

/** Whether the caller may push to a branch: a Developer, unless a rule says otherwise. */
export function mayPush(ctx: RequestContext, branch: string): boolean {
  if (!ctx.hasRole('developer')) return false;
  const rules = protecting(ctx, ctx.project, branch);
  return rules.length === 0 || rules.some((rule) => hasLevel(ctx, rule.push_access_level));
}

/** @throws HttpError 401, 403 */
export function needPush(ctx: RequestContext, branch: string): void {
  ctx.requireRole('developer');
  if (!mayPush(ctx, branch)) throw ctx.forbidden('You are not allowed to push into this branch');
}

/**
 * Code of a private project is for Reporters; that of any other for all who see the project.
 * @throws HttpError 401, 403
 */
export function needRead(ctx: RequestContext): void {
  if (ctx.project.visibility === 'private') ctx.requireRole('reporter');
}

/** A protection as the API shows it. */
export function protectionView(row: ProtectedBranch) {
  const levels = (kind: 'push' | 'merge' | 'unprotect', place: number) => {
    const level = row[`${kind}_access_level`];
    return [{ id: row.id * 3 + place, access_level: level, access_level_description: levelNames[level] }];
  };
  return {
    ...row,
    push_access_levels: levels('push', 0),
    merge_access_levels: levels('merge', 1),
    unprotect_access_levels: levels('unprotect', 2),
    code_owner_approval_required: false,
    inherited: false,
  };
}
