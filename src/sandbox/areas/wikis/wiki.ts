/** Rows of wiki pages, and their history. */
import { defined } from '../../core/lookup.ts';
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
  /** All versions, latest last. */
  versions: readonly (PageState & { readonly sha: string })[];
}

/** Return the slug of a title; undefined if the title has no valid slug. */
export function slugOf(title: string): string | undefined {
  const slug = title
    .trim()
    .normalize('NFC')
    .split('/')
    .map((part) => part.trim().replace(/\s+/g, '-'))
    .join('/');
  return isSafePath(slug) ? slug : undefined;
}

export const latest = (page: Pick<Page, 'versions'>) => defined(page.versions.at(-1));

/** Add a version to the history of a page. */
export const withVersion = (versions: Page['versions'], state: PageState, time: string): Page['versions'] => [
  ...versions,
  { ...state, sha: revisionAfter(versions.at(-1)?.sha, state, time) },
];
