/** Rows of snippets, and changes to their files (sections 2.8, 3). */
import { badRequest, missing } from '../../core/http-error.ts';
import type { Hash } from '../../core/request/params.ts';
import { revisionAfter } from '../../core/revision.ts';
import type { Row, Visibility } from '../../core/rows.ts';
import { isSafePath } from '../../git/names.ts';

export interface SnippetFile {
  readonly path: string;
  readonly content: string;
}

export interface Snippet extends Row {
  project_id: number;
  author_id: number;
  title: string;
  description: string;
  visibility: Visibility;
  created_at: string;
  updated_at: string;
  /** All versions, latest last. Each has at least one file. */
  versions: readonly { readonly sha: string; readonly files: readonly SnippetFile[] }[];
  user_agent: string;
  ip_address: string;
  antispam_submitted: boolean;
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

type Files = Map<string, string>;

interface Change {
  readonly files: Files;
  readonly index: number;
  readonly given: Hash;
}

const invalidFiles = (message: string) => badRequest({ files: [message] });

function textOf({ given, index }: Change, name: string): string {
  const value = given[name];
  if (value === undefined) throw missing(`files[${index}][${name}]`);
  return String(value);
}

function newPath(change: Change): string {
  const path = textOf(change, 'file_path');
  if (!isSafePath(path)) throw invalidFiles(`${path || 'an empty path'} is not a valid path`);
  if (change.files.has(path)) throw invalidFiles(`${path} already exists`);
  return path;
}

function oldPath(change: Change, name: string): string {
  const path = textOf(change, name);
  if (!change.files.has(path)) throw invalidFiles(`${path} does not exist`);
  return path;
}

/** Rename a file without changing the order. */
function rename(files: Files, from: string, to: string, content: string): void {
  const all = [...files];
  files.clear();
  for (const [path, text] of all) files.set(path === from ? to : path, path === from ? content : text);
}

const actions: Readonly<Record<string, (change: Change) => void>> = {
  create(change) {
    change.files.set(newPath(change), textOf(change, 'content'));
  },
  update(change) {
    change.files.set(oldPath(change, 'file_path'), textOf(change, 'content'));
  },
  delete(change) {
    change.files.delete(oldPath(change, 'file_path'));
  },
  move(change) {
    const from = oldPath(change, 'previous_path');
    const { content = change.files.get(from) } = change.given;
    rename(change.files, from, newPath(change), String(content));
  },
};

/**
 * Apply changes to the files of a snippet in order. If one fails, none applies.
 * @param changes hashes with `action`, `file_path`, `content` and `previous_path`
 * @throws HttpError 400
 */
export function applyChanges(
  before: readonly SnippetFile[],
  changes: readonly Hash[],
): readonly SnippetFile[] {
  const files: Files = new Map(before.map(({ path, content }) => [path, content]));
  for (const [index, given] of changes.entries()) {
    actions[String(given['action'])]?.({ files, index, given });
  }
  if (files.size === 0) throw invalidFiles('must have at least one file');
  return [...files].map(([path, content]) => ({ path, content }));
}
