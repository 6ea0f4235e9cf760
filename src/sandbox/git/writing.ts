/** New commits and new branches: what they are made of, and why they are refused. */
import { GitError, isRefName, isSafePath } from './names.ts';
import type { Entry, Objects, Signature } from './objects.ts';
import { resolve } from './revision.ts';
import { rewrite } from './trees.ts';
import { lastChange } from './walk.ts';

export interface Action {
  readonly action: 'create' | 'update' | 'delete';
  readonly path: string;
  /** The new content; needed but for `delete`. */
  readonly bytes?: Uint8Array;
  /** Left out: not executable when it is created, as it was when it is updated. */
  readonly executable?: boolean;
}

export interface FileCommit {
  readonly branch: string;
  /** Where the branch starts that this commit makes; only for a branch that does not exist. */
  readonly startBranch?: string;
  readonly message: string;
  readonly committer: Signature;
  /** Left out: the committer's. */
  readonly authorName?: string;
  readonly authorEmail?: string;
  readonly actions: readonly Action[];
  /** Refuse when another commit was the last to change one of the files. */
  readonly expectLastCommitId?: string;
  readonly time: Date;
  /** Further parents: the branches that are merged. */
  readonly alsoParents?: readonly string[];
}

/** See `Repository.commitFiles`. */
export async function commitFiles(objects: Objects, wanted: FileCommit): Promise<string> {
  const { branch, actions, message, committer, time } = wanted;
  const start = await startOf(objects, wanted);
  if (start && wanted.expectLastCommitId) await refuseChanged(objects, start, wanted);
  const before = start && (await objects.commit(start)).tree;
  const tree = (await act(objects, before, actions)) ?? (await objects.writeTree(new Map()));
  const author = { name: wanted.authorName || committer.name, email: wanted.authorEmail || committer.email };
  const parents = [...(start ? [start] : []), ...(wanted.alsoParents ?? [])];
  const sha = await objects.writeCommit({ tree, parents, message, author, committer, time });
  await objects.writeRef('heads', branch, sha);
  return sha;
}

/** The commit that a new one is put on; nothing where it is the first of all. */
async function startOf(objects: Objects, { branch, startBranch }: FileCommit): Promise<string | undefined> {
  const tip = await objects.ref('heads', branch);
  if (tip) {
    if (startBranch && startBranch !== branch)
      throw new GitError('branch-exists', `the branch exists: ${branch}`);
    return tip;
  }
  const first = !startBranch && (await objects.refs('heads')).length === 0;
  const start = startBranch ? await objects.ref('heads', startBranch) : undefined;
  if (!first && !start) throw new GitError('branch-missing', `no branch ${startBranch || branch}`);
  await refuseBranch(objects, branch);
  return start;
}

/** A push came between: the file is no longer as the caller saw it. */
async function refuseChanged(
  objects: Objects,
  start: string,
  { actions, expectLastCommitId }: FileCommit,
): Promise<void> {
  const expected = await resolve(objects, expectLastCommitId as string);
  for (const { path } of actions) {
    if (!(await objects.file(start, path))) continue;
    if ((await lastChange(objects, start, path)) !== expected)
      throw new GitError('file-changed', `the file has changed since: ${path}`);
  }
}

/**
 * A name may be taken, or be the folder of another branch, or lie below one.
 * @throws GitError `branch-name`, `branch-exists`
 */
export async function refuseBranch(objects: Objects, name: string): Promise<void> {
  if (!isRefName(name)) throw new GitError('branch-name', `not a name for a branch: ${name}`);
  for (const other of await objects.refs('heads')) {
    if (other === name) throw new GitError('branch-exists', `the branch exists: ${name}`);
    if (other.startsWith(`${name}/`) || name.startsWith(`${other}/`))
      throw new GitError('branch-name', `the branch ${other} is in the way of ${name}`);
  }
}

/**
 * Do a list of actions to a tree.
 * @param tree the tree to start from; nothing for the first commit
 * @returns the new tree
 * @throws GitError `unsafe-path`, `file-exists`, `file-missing`, `empty-commit` (section 4.4)
 */
export async function act(
  objects: Objects,
  tree: string | undefined,
  actions: readonly Action[],
): Promise<string | undefined> {
  const files = new Map<string, Entry | undefined>();
  for (const action of actions) {
    const { path } = action;
    if (!isSafePath(path)) throw new GitError('unsafe-path', `not a path for a file: ${path}`);
    const old = files.has(path) ? files.get(path) : await at(objects, tree, path);
    if (action.action === 'create') {
      if (old || (await runsThroughFile(objects, tree, path)))
        throw new GitError('file-exists', `a file with this name exists: ${path}`);
    } else if (old?.type !== 'blob') {
      throw new GitError('file-missing', `no file with this name exists: ${path}`);
    }
    files.set(path, action.action === 'delete' ? undefined : await entryFor(objects, action, old));
  }
  const next = await rewrite(objects, tree, files);
  if (next === tree) throw new GitError('empty-commit', 'nothing would change');
  return next;
}

async function at(objects: Objects, tree: string | undefined, path: string): Promise<Entry | undefined> {
  return tree === undefined ? undefined : objects.entry(tree, path);
}

async function entryFor(objects: Objects, action: Action, old: Entry | undefined): Promise<Entry> {
  const executable = action.executable ?? old?.mode === '100755';
  const oid = await objects.writeBlob(action.bytes ?? new Uint8Array());
  return { mode: executable ? '100755' : '100644', oid, type: 'blob' };
}

/** Whether a folder that the path needs is a file in this tree. */
async function runsThroughFile(objects: Objects, tree: string | undefined, path: string): Promise<boolean> {
  const parts = path.split('/').slice(0, -1);
  for (let depth = 1; tree && depth <= parts.length; depth++) {
    const entry = await objects.entry(tree, parts.slice(0, depth).join('/'));
    if (entry && entry.type !== 'tree') return true;
  }
  return false;
}
