/** Access to groups and projects other than the scope of a request. */
import type { Role } from '../../spec/field.ts';
import type { Store } from '../store/store.ts';
import { findScope, isAtLeast, roleIn } from './access.ts';
import type { Context } from './context.ts';
import { HttpError } from './http-error.ts';
import type { Group, Project } from './rows.ts';

/** Return a group and its descendants, the outermost first. */
export function descendantGroups(store: Store, group: Group): Group[] {
  const found = [group];
  for (const parent of found) {
    found.push(
      ...store
        .table<Group>('groups')
        .where('parent_id', parent.id)
        .filter((row) => !found.includes(row)),
    );
  }
  return found;
}

/** Whether the caller can see a project or group. */
export function isVisible(ctx: Context, kind: 'project' | 'group', id: number): boolean {
  try {
    findScope(ctx.store, kind, String(id), ctx.user, (path) => path);
    return true;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

/** Return the projects in the group of the request and in the groups below it that the caller can see. */
export function visibleProjects(ctx: Context): Project[] {
  const groups = descendantGroups(ctx.store, ctx.group).map(({ id }) => id);
  return ctx
    .table<Project>('projects')
    .filter(({ id, group_id }) => groups.includes(group_id) && isVisible(ctx, 'project', id));
}

/** Whether the caller's role in a project or group is at least this one. */
export function hasRoleIn(ctx: Context, scope: Project | Group | undefined, role: Role): boolean {
  return scope !== undefined && isAtLeast(roleIn(ctx.store, ctx.user, scope), role);
}
