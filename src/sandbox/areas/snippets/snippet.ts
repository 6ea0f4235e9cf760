/** Rows of snippets, and changes to their files (sections 2.8, 3). */
import { badRequest, missing } from '../../core/http-error.ts';
import { revisionAfter } from '../../core/lookup.ts';
import type { Hash } from '../../core/request/params.ts';
import type { AnyRow, Visibility } from '../../core/rows.ts';
import { isSafePath } from '../../git/names.ts';

export interface SnippetFile {
  readonly path: string;
  readonly content: string;
}

export interface Snippet extends AnyRow {
  author_id: number;
  visibility: Visibility;
  /** All versions, latest last. Each has at least one file. */
  versions: readonly { readonly sha: string; readonly files: readonly SnippetFile[] }[];
}

export const filesOf = ({ versions }: Pick<Snippet, 'versions'>): readonly SnippetFile[] =>
  versions.at(-1)?.files ?? [];

/** Add a version to the history of a snippet, unless no file changes. */
export function withFiles(
  before: Snippet['versions'],
  files: readonly SnippetFile[],
  time: string,
): Snippet['versions'] {
  const last = before.at(-1);
  if (last && JSON.stringify(last.files) === JSON.stringify(files)) return before;
  return [...before, { sha: revisionAfter(last?.sha, files, time), files }];
}

/** Return the files at `main`, `HEAD` or a commit, given by at least 7 characters of its SHA. */
export function filesAt({ versions }: Snippet, ref: string): readonly SnippetFile[] | undefined {
  if (ref === 'main' || ref === 'HEAD') return versions.at(-1)?.files;
  if (!/^[0-9a-f]{7,40}$/.test(ref)) return undefined;
  return versions.find(({ sha }) => sha.startsWith(ref))?.files;
}

const invalidFiles = (message: string) => badRequest({ files: [message] });

/** Apply the elements of `files` in a request, in order. If one fails, none applies. @throws HttpError 400 */
export function applyChanges(
  before: readonly SnippetFile[],
  changes: readonly Hash[],
): readonly SnippetFile[] {
  let files = before;
  for (const [index, given] of changes.entries()) {
    const text = (name: string): string => {
      if (given[name] === undefined) throw missing(`files[${index}][${name}]`);
      return String(given[name]);
    };
    const find = (name: string): SnippetFile => {
      const file = files.find(({ path }) => path === text(name));
      if (!file) throw invalidFiles(`${text(name)} does not exist`);
      return file;
    };
    const newPath = (): string => {
      const path = text('file_path');
      if (!isSafePath(path)) throw invalidFiles(`${path || 'an empty path'} is not a valid path`);
      if (files.some((file) => file.path === path)) throw invalidFiles(`${path} already exists`);
      return path;
    };
    const replace = (old: SnippetFile, file: SnippetFile) => files.map((one) => (one === old ? file : one));
    if (given['action'] === 'create') files = [...files, { path: newPath(), content: text('content') }];
    else if (given['action'] === 'update') {
      const old = find('file_path');
      files = replace(old, { ...old, content: text('content') });
    } else if (given['action'] === 'delete') {
      const old = find('file_path');
      files = files.filter((file) => file !== old);
    } else {
      const old = find('previous_path');
      files = replace(old, { path: newPath(), content: String(given['content'] ?? old.content) });
    }
  }
  if (files.length === 0) throw invalidFiles('must have at least one file');
  return files;
}
