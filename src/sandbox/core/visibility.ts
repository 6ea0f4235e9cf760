/** Groups and projects around a call's own scope, and whether the caller may see them. */

import type { Role } from '../../spec/field.ts';
import type { Store } from '../store/store.ts';
import { findScope, reaches, roleIn } from './access.ts';
import type { Context } from './behavior.ts';
import { HttpError } from './http-error.ts';
import type { Group, Project } from './rows.ts';

/** A group and all the groups in it, the outermost first. */
export function groupsBelow(store: Store, group: Group): Group[] {
  const found = [group];
  for (const at of found) {
    found.push(
      ...store.table<Group>('groups').filter((row) => row.parent_id === at.id && !found.includes(row)),
    );
  }
  return found;
}

/** Whether the caller may see a project or group that is not the call's own scope. */
export function isVisible(ctx: Context, kind: 'project' | 'group', id: number): boolean {
  try {
    findScope(ctx.store, kind, String(id), ctx.user, (path) => path);
    return true;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

/** Whether the caller has at least this role in a project or group that is not the call's own scope. */
export function canIn(ctx: Context, place: Project | Group | undefined, role: Role): boolean {
  return place !== undefined && reaches(roleIn(ctx.store, ctx.user, place), role);
}
