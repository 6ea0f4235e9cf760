/** Pages of a wiki, and their history. */

import { revisionAfter } from '../../core/revision.ts';
import type { Row } from '../../core/rows.ts';
import { isSafePath } from '../../git/names.ts';

export interface PageState {
  readonly title: string;
  readonly format: string;
  readonly content: string;
}

export interface Page extends Row {
  group_id: number;
  slug: string;
  /** What it was and is, the latest last. */
  versions: readonly (PageState & { readonly sha: string })[];
}

/** The path that follows from a title; undefined where none can. */
export function slugOf(title: string): string | undefined {
  const slug = title
    .trim()
    .normalize('NFC')
    .split('/')
    .map((part) => part.trim().replace(/\s+/g, '-'))
    .join('/');
  return isSafePath(slug) ? slug : undefined;
}

export const latest = (page: Pick<Page, 'versions'>) => page.versions.at(-1) as Page['versions'][number];

/** A page in its next state. */
export function changed(page: Partial<Page>, state: PageState, time: string): Pick<Page, 'versions'> {
  const versions = page.versions ?? [];
  return { versions: [...versions, { ...state, sha: revisionAfter(versions.at(-1)?.sha, state, time) }] };
}
