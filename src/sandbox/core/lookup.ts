/** Functions for rows that several areas share. */

import { createHash } from 'node:crypto';
import type { Rows } from '../store/store.ts';
import type { Context } from './context.ts';
import { notFound } from './http-error.ts';
import type { Row } from './rows.ts';

/** Return a value that the catalogue or the state guarantees. @throws Error if it is missing, which is a bug */
export function defined<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('a required value is missing');
  return value;
}

/** Return the row that a request names. @throws HttpError 404 with the title of its kind */
export function orNotFound<T>(row: T | undefined, title?: string): T {
  if (row === undefined) throw notFound(title);
  return row;
}

/** The columns that tie a row to the scope of the request. Both are null on the instance. */
export const scopeColumns = (ctx: Context): { project_id: number | null; group_id: number | null } => ({
  project_id: ctx.scope === 'project' ? ctx.project.id : null,
  group_id: ctx.scope === 'group' ? ctx.group.id : null,
});

export function removeWhere<T extends Row>(table: Rows<T>, test: (row: T) => boolean): void {
  for (const row of table.filter(test)) table.remove(row);
}

/** Return the commit SHA of a new version of a wiki page or snippet. */
export function revisionAfter(before: string | undefined, state: unknown, time: string): string {
  return createHash('sha1')
    .update(JSON.stringify([before ?? null, state, time]))
    .digest('hex');
}
