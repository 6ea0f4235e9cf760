/** One bare git repository, real to every other tool where it lies in a folder. */
import { createHash } from 'node:crypto';
import { type Blamed, blame, clip, type Range } from './blame.ts';
import { type CommitInfo, toCommitInfo } from './commit.ts';
import { GitError, isRefName } from './names.ts';
import { Objects, type RepositoryStorage, type Signature } from './objects.ts';
import { resolve } from './revision.ts';
import { type Changes, changesBetween } from './trees.ts';
import { lastChange, reaches, walk } from './walk.ts';
import { commitFiles, type FileCommit, refuseBranch } from './writing.ts';

export interface FileContent {
  readonly bytes: Uint8Array;
  readonly size: number;
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  readonly blobId: string;
  /** The commit that the ref names. */
  readonly commitId: string;
  /** The last commit that changed the file, seen from there. */
  readonly lastCommitId: string;
  readonly executable: boolean;
}

export interface Ref {
  readonly name: string;
  /** The commit that it names. */
  readonly sha: string;
}

export interface BlameRange {
  readonly commit: CommitInfo;
  readonly lines: readonly string[];
}

export class Repository {
  readonly #objects: Objects;
  readonly #blames = new Map<string, Promise<Blamed[]>>();
  #writing: Promise<unknown> = Promise.resolve();

  /** Nothing is read, and the git engine is not loaded, before the first call. */
  constructor(storage: RepositoryStorage) {
    this.#objects = new Objects(storage);
  }

  /** The branch that HEAD names, whether it has a commit or not. */
  async defaultBranch(): Promise<string> {
    return this.#objects.head();
  }

  /**
   * The commit that a ref names: a branch, a tag, a full or short SHA (4 digits and more), `HEAD`, each with any number of
   * `~n` and `^n` after it. A branch goes before a tag, and a full SHA before both.
   */
  async resolve(ref: string): Promise<string | undefined> {
    return resolve(this.#objects, ref);
  }

  /** @returns nothing where the ref or the file does not exist (`resolve` tells which) */
  async readFile(ref: string, path: string): Promise<FileContent | undefined> {
    const commitId = await this.resolve(ref);
    const entry = commitId && (await this.#objects.file(commitId, path));
    if (!commitId || !entry) return undefined;
    const bytes = await this.#objects.blob(entry.oid);
    return {
      bytes,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      blobId: entry.oid,
      commitId,
      lastCommitId: await lastChange(this.#objects, commitId, path),
      executable: entry.mode === '100755',
    };
  }

  /**
   * Blame a file, in ranges of lines that follow each other and have one commit.
   * @returns nothing where the ref or the file does not exist
   */
  async blame(ref: string, path: string, range?: Range): Promise<BlameRange[] | undefined> {
    const sha = await this.resolve(ref);
    if (!sha || !(await this.#objects.file(sha, path))) return undefined;
    const ranges = await this.#blame(sha, path);
    return Promise.all(
      clip(ranges, range).map(async ({ commitId, lines }) => ({
        commit: await this.#facts(commitId),
        lines,
      })),
    );
  }

  /** A blame is a matter of commit and path, and never changes. */
  #blame(sha: string, path: string): Promise<Blamed[]> {
    const key = `${sha}:${path}`;
    const known = this.#blames.get(key);
    if (known) return known;
    const made = blame(this.#objects, sha, path);
    if (this.#blames.size >= 200) this.#blames.clear();
    this.#blames.set(key, made);
    // One that failed is tried again.
    made.catch(() => this.#blames.delete(key));
    return made;
  }

  async #facts(sha: string): Promise<CommitInfo> {
    return toCommitInfo(sha, await this.#objects.commit(sha), await this.#objects.message(sha));
  }

  /** @param ref anything that `resolve` takes */
  async commit(ref: string): Promise<CommitInfo | undefined> {
    const sha = await this.resolve(ref);
    return sha ? this.#facts(sha) : undefined;
  }

  /** Commits that can be reached from a ref, newest first; none where the ref does not exist. */
  async log(ref: string, { limit = 20 }: { readonly limit?: number } = {}): Promise<CommitInfo[]> {
    const sha = await this.resolve(ref);
    const found: CommitInfo[] = [];
    if (!sha) return found;
    for await (const at of walk(this.#objects, sha)) {
      if (found.length >= limit) break;
      found.push(await this.#facts(at));
    }
    return found;
  }

  /** Commits that `to` reaches and `from` does not, oldest first, as a push lists them. */
  async between(from: string, to: string): Promise<CommitInfo[]> {
    const [start, end] = [await this.resolve(from), await this.resolve(to)];
    const known = new Set<string>();
    if (start) for await (const at of walk(this.#objects, start)) known.add(at);
    const found: CommitInfo[] = [];
    if (end)
      for await (const at of walk(this.#objects, end)) if (!known.has(at)) found.push(await this.#facts(at));
    return found.reverse();
  }

  /** Files that a commit changes against a parent (the first one, unless another commit is given). */
  async changedPaths(ref: string, parent?: string): Promise<Changes> {
    const sha = await this.resolve(ref);
    if (!sha) throw new GitError('ref-missing', `no commit ${ref}`);
    const commit = await this.#objects.commit(sha);
    const before = parent === undefined ? commit.parent[0] : await this.resolve(parent);
    return changesBetween(this.#objects, before && (await this.#objects.commit(before)).tree, commit.tree);
  }

  /** All branches, by name in the order of bytes. */
  async branches(): Promise<Ref[]> {
    return this.#list('heads');
  }

  async branch(name: string): Promise<Ref | undefined> {
    const sha = await this.#objects.ref('heads', name);
    return sha ? { name, sha } : undefined;
  }

  /** All tags, by name in the order of bytes. */
  async tags(): Promise<Ref[]> {
    return this.#list('tags');
  }

  async #list(kind: 'heads' | 'tags'): Promise<Ref[]> {
    const refs: Ref[] = [];
    for (const name of await this.#objects.refs(kind)) {
      const oid = await this.#objects.ref(kind, name);
      const sha = oid && (await this.#objects.peel(oid));
      if (sha) refs.push({ name, sha });
    }
    return refs;
  }

  /**
   * @param ref where it starts: anything that `resolve` takes
   * @throws GitError `branch-name`, `branch-exists`, `ref-missing`
   */
  async createBranch(name: string, ref: string): Promise<string> {
    return this.#exclusive(async () => {
      await refuseBranch(this.#objects, name);
      const sha = await this.resolve(ref);
      if (!sha) throw new GitError('ref-missing', `no commit ${ref}`);
      await this.#objects.writeRef('heads', name, sha);
      return sha;
    });
  }

  /** @throws GitError `branch-missing` */
  async deleteBranch(name: string): Promise<void> {
    await this.#exclusive(async () => {
      if (!(await this.branch(name))) throw new GitError('branch-missing', `no branch ${name}`);
      await this.#objects.deleteRef('heads', name);
    });
  }

  /** An annotated tag where a message is given, else a plain one. Replaces a tag of this name. */
  async createTag(
    name: string,
    ref: string,
    annotation?: { readonly message: string; readonly tagger: Signature; readonly time: Date },
  ): Promise<void> {
    await this.#exclusive(async () => {
      if (!isRefName(name)) throw new GitError('branch-name', `not a name for a tag: ${name}`);
      const sha = await this.resolve(ref);
      if (!sha) throw new GitError('ref-missing', `no commit ${ref}`);
      const oid = annotation
        ? await this.#objects.writeTag(name, sha, annotation.message, annotation.tagger, annotation.time)
        : sha;
      await this.#objects.writeRef('tags', name, oid);
    });
  }

  /** Whether all of a branch (or any ref) is in another one. */
  async isMerged(branch: string, into: string): Promise<boolean> {
    const [tip, target] = [await this.resolve(branch), await this.resolve(into)];
    return tip !== undefined && target !== undefined && reaches(this.#objects, target, tip);
  }

  /**
   * Commit files to a branch. The first commit of an empty repository makes its branch.
   * @returns the new commit's SHA
   * @throws GitError `unsafe-path`, `file-exists`, `file-missing`, `file-changed`, `empty-commit`, `branch-missing`, `branch-exists`,
   *   `branch-name` (section 4.4)
   */
  async commitFiles(wanted: FileCommit): Promise<string> {
    return this.#exclusive(() => commitFiles(this.#objects, wanted));
  }

  /** Writes go one after the other: a branch is read, judged and moved as one step. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writing.then(work, work);
    this.#writing = done.catch(() => undefined);
    return done;
  }
}
