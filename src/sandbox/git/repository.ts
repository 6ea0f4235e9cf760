/** A bare git repository. In a folder it is compatible with git. */
import { createHash } from 'node:crypto';
import { type CommitInfo, toCommitInfo } from './commit.ts';
import { GitError, isRefName } from './names.ts';
import { type Changes, Objects } from './objects.ts';
import { checkBranchName, commitFile, type FileCommit } from './writing.ts';

/** Line numbers from 1, inclusive. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Split into lines with their line feeds, as Latin-1, so that comparing invalid UTF-8 loses nothing. */
function linesOf(bytes: Uint8Array): string[] {
  return (
    Buffer.from(bytes)
      .toString('latin1')
      .match(/[^\n]*\n|[^\n]+$/g) ?? []
  );
}

const toUtf8 = (line: string): string => Buffer.from(line.replace(/\n$/, ''), 'latin1').toString('utf8');

/** A file in a commit: its lines, and the commit of each. */
interface Version {
  readonly oid: string;
  readonly lines: readonly string[];
  readonly origins: readonly string[];
}

/** Return the origins of new lines: those of the common lines of an older version. */
async function passed(older: Version, lines: readonly string[]): Promise<(string | undefined)[]> {
  const { diffArrays } = await import('diff');
  const origins: (string | undefined)[] = [];
  let from = 0;
  for (const { added, removed, count } of diffArrays([...older.lines], [...lines])) {
    if (added) origins.push(...new Array<undefined>(count));
    else if (!removed) origins.push(...older.origins.slice(from, from + count));
    if (!added) from += count;
  }
  return origins;
}

/** Return the consecutive lines of a file that have the same commit. Renames are not followed. */
async function blame(objects: Objects, sha: string, path: string, range?: Range) {
  const known = new Map<string, Promise<Version | undefined>>();
  const versionAt = (at: string): Promise<Version | undefined> => {
    const version = known.get(at) ?? readVersion(at);
    known.set(at, version);
    return version;
  };
  const readVersion = async (at: string): Promise<Version | undefined> => {
    const file = await objects.file(at, path);
    if (!file) return undefined;
    const parents: Version[] = [];
    for (const parent of (await objects.commitObject(at)).parent) {
      const version = await versionAt(parent);
      if (version?.oid === file.oid) return version;
      if (version) parents.push(version);
    }
    const lines = linesOf(await objects.blob(file.oid));
    const inherited = await Promise.all(parents.map((parent) => passed(parent, lines)));
    const origins = lines.map((_, index) => inherited.find((one) => one[index])?.[index] ?? at);
    return { oid: file.oid, lines, origins };
  };
  const { lines, origins } = (await versionAt(sha)) ?? { lines: [], origins: [] };
  const ranges: { commitId: string; lines: string[] }[] = [];
  for (let at = (range?.start ?? 1) - 1; at < Math.min(range?.end ?? lines.length, lines.length); at++) {
    const [commitId = sha, line = ''] = [origins[at], lines[at]];
    const last = ranges.at(-1);
    if (last?.commitId === commitId) last.lines.push(toUtf8(line));
    else ranges.push({ commitId, lines: [toUtf8(line)] });
  }
  return ranges;
}

export interface Ref {
  readonly name: string;
  readonly sha: string;
}

export type FileContent = NonNullable<Awaited<ReturnType<Repository['readFile']>>>;

/** The caller runs the writes one after another, so that reading, checking and moving a branch is one step. */
export class Repository extends Objects {
  /** @returns undefined if the ref or the file does not exist */
  async readFile(ref: string, path: string) {
    const commitId = await this.resolve(ref);
    const entry = commitId && (await this.file(commitId, path));
    if (!commitId || !entry) return undefined;
    const bytes = await this.blob(entry.oid);
    return {
      bytes,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      blobId: entry.oid,
      commitId,
      /** The last commit up to `commitId` that changed the file. */
      lastCommitId: await this.lastChange(commitId, path),
      executable: entry.mode === '100755',
    };
  }

  /** Return the consecutive lines of a file that have the same commit. @returns undefined if the ref or the file does not exist */
  async blame(ref: string, path: string, range?: Range) {
    const sha = await this.resolve(ref);
    if (!sha || !(await this.file(sha, path))) return undefined;
    const ranges = await blame(this, sha, path, range);
    return Promise.all(
      ranges.map(async ({ commitId, lines }) => ({ commit: await this.#info(commitId), lines })),
    );
  }

  async #info(sha: string): Promise<CommitInfo> {
    return toCommitInfo(sha, await this.commitObject(sha), await this.message(sha));
  }

  async commit(ref: string): Promise<CommitInfo | undefined> {
    const sha = await this.resolve(ref);
    return sha ? this.#info(sha) : undefined;
  }

  /** Return the commits reachable from `to` but not from `from`, oldest first. A ref that does not exist reaches none. */
  async between(from: string, to: string): Promise<CommitInfo[]> {
    const [start, end] = [await this.resolve(from), await this.resolve(to)];
    const known = new Set(start ? await this.log(start) : []);
    const all = end ? await this.log(end) : [];
    return Promise.all(
      all
        .filter((sha) => !known.has(sha))
        .reverse()
        .map((sha) => this.#info(sha)),
    );
  }

  /** Return the files that a commit changes, compared to its first parent. */
  async changedPaths(sha: string): Promise<Changes> {
    const commit = await this.commitObject(sha);
    return this.changes(commit.parent[0], sha);
  }

  async branches(): Promise<Ref[]> {
    return this.#list('heads');
  }

  async branch(name: string): Promise<Ref | undefined> {
    const sha = await this.ref('heads', name);
    return sha ? { name, sha } : undefined;
  }

  async tags(): Promise<Ref[]> {
    return this.#list('tags');
  }

  async #list(kind: 'heads' | 'tags'): Promise<Ref[]> {
    const refs: Ref[] = [];
    for (const name of await this.refs(kind)) {
      const oid = await this.ref(kind, name);
      const sha = oid && (await this.peel(oid));
      if (sha) refs.push({ name, sha });
    }
    return refs;
  }

  /** @param ref the start, as in `resolve` @throws GitError */
  async createBranch(name: string, ref: string): Promise<string> {
    await checkBranchName(this, name);
    const sha = await this.resolve(ref);
    if (!sha) throw new GitError(`Invalid reference name: ${ref}`);
    await this.writeRef('heads', name, sha);
    return sha;
  }

  /** Create a tag of a commit. @throws GitError */
  async createTag(name: string, ref: string): Promise<void> {
    if (!isRefName(name)) throw new GitError('Tag name invalid');
    const sha = await this.resolve(ref);
    if (!sha) throw new GitError('Target is invalid');
    await this.writeRef('tags', name, sha);
  }

  /** Commit a file to a branch. @returns the new commit's SHA @throws GitError (section 4.4) */
  async commitFile(options: FileCommit): Promise<string> {
    return commitFile(this, options);
  }
}
