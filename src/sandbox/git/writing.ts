/** Creation of commits, and their checks. */
import { GitError, isRefName, isSafePath } from './names.ts';
import type { Entry, Objects, Signature } from './objects.ts';

export interface Action {
  readonly action: 'create' | 'update' | 'delete';
  readonly path: string;
  readonly bytes?: Uint8Array;
  /** By default new files are not executable, and updates do not change the mode. */
  readonly executable?: boolean;
}

export interface FileCommit {
  readonly branch: string;
  readonly startBranch?: string;
  readonly message: string;
  readonly committer: Signature;
  readonly authorName?: string;
  readonly authorEmail?: string;
  readonly change: Action;
  /** Reject the commit if another commit was the last to change the file. */
  readonly expectLastCommitId?: string;
  readonly time: Date;
}

export async function commitFile(objects: Objects, options: FileCommit): Promise<string> {
  const { branch, change, message, committer, time } = options;
  const start = await startOf(objects, options);
  if (start && options.expectLastCommitId) await checkUnchanged(objects, start, options);
  const before = start && (await objects.commitObject(start)).tree;
  const tree = (await applied(objects, before, change)) ?? (await objects.writeTree(new Map()));
  const author = {
    name: options.authorName || committer.name,
    email: options.authorEmail || committer.email,
  };
  const parents = start ? [start] : [];
  const sha = await objects.writeCommit({ tree, parents, message, author, committer, time });
  await objects.writeRef('heads', branch, sha);
  return sha;
}

/** Return the parent of a new commit; undefined for the first commit of the repository. */
async function startOf(objects: Objects, { branch, startBranch }: FileCommit): Promise<string | undefined> {
  const tip = await objects.ref('heads', branch);
  if (tip) {
    if (startBranch && startBranch !== branch) throw new GitError(`the branch exists: ${branch}`);
    return tip;
  }
  const first = !startBranch && (await objects.refs('heads')).length === 0;
  const start = startBranch ? await objects.ref('heads', startBranch) : undefined;
  if (!first && !start) throw new GitError(`no branch ${startBranch || branch}`);
  await checkBranchName(objects, branch);
  return start;
}

/** @throws GitError if another commit was the last to change the file */
async function checkUnchanged(
  objects: Objects,
  start: string,
  { change: { path }, expectLastCommitId = '' }: FileCommit,
): Promise<void> {
  if (!(await objects.file(start, path))) return;
  if ((await objects.lastChange(start, path)) !== (await objects.resolve(expectLastCommitId)))
    throw new GitError(`the file has changed since: ${path}`);
}

/** A branch cannot have the name of a folder of another branch. @throws GitError */
export async function checkBranchName(objects: Objects, name: string): Promise<void> {
  if (!isRefName(name)) throw new GitError('Branch name is invalid');
  for (const other of await objects.refs('heads')) {
    if (other === name) throw new GitError('Branch already exists');
    if (other.startsWith(`${name}/`) || name.startsWith(`${other}/`))
      throw new GitError(`Branch name is invalid: the name ${name} conflicts with the branch ${other}`);
  }
}

/** @param tree undefined for the first commit @returns the new tree @throws GitError */
async function applied(
  objects: Objects,
  tree: string | undefined,
  change: Action,
): Promise<string | undefined> {
  const { action, path } = change;
  if (!isSafePath(path)) throw new GitError(`invalid file path: ${path}`);
  const old = tree ? await objects.entry(tree, path) : undefined;
  if (action === 'create') {
    if (old || (await hasFileAsFolder(objects, tree, path)))
      throw new GitError(`a file with this name exists: ${path}`);
  } else if (old?.type !== 'blob') throw new GitError(`no file with this name exists: ${path}`);
  const entry = action === 'delete' ? undefined : await entryFor(objects, change, old);
  const next = await objects.rewrite(tree, new Map([[path, entry]]));
  if (next === tree) throw new GitError('the commit changes nothing');
  return next;
}

async function entryFor(objects: Objects, action: Action, old: Entry | undefined): Promise<Entry> {
  const executable = action.executable ?? old?.mode === '100755';
  const oid = await objects.writeBlob(action.bytes ?? new Uint8Array());
  return { mode: executable ? '100755' : '100644', oid, type: 'blob' };
}

async function hasFileAsFolder(objects: Objects, tree: string | undefined, path: string): Promise<boolean> {
  const parts = path.split('/').slice(0, -1);
  for (let depth = 1; tree && depth <= parts.length; depth++) {
    const entry = await objects.entry(tree, parts.slice(0, depth).join('/'));
    if (entry && entry.type !== 'tree') return true;
  }
  return false;
}
