/** Reads and writes the objects and refs of a repository with isomorphic-git, and caches them. */
import type * as Git from 'isomorphic-git';
import { errorCode } from '../../support/errno.ts';
import { isRefName } from './names.ts';

type Engine = typeof Git.default;

/** Node's `fs` and a folder, or `MemoryFiles` and any path. */
export interface RepositoryStorage {
  readonly fs: Git.PromiseFsClient;
  readonly gitdir: string;
  /** The branch of HEAD in a new repository. */
  readonly defaultBranch?: string;
}

export interface Signature {
  readonly name: string;
  readonly email: string;
}

export interface Entry {
  readonly mode: string;
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit';
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
  readonly time: Date;
}

/** Remove `<`, `>` and line breaks, which would corrupt the header of a commit. */
const headerText = (text: string): string => text.replace(/[<>\0\r\n]/g, '').trim();

/** Await a look-up. Returns undefined if git finds no such object, or another kind of object. */
async function orUndefined<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'NotFoundError' || code === 'ObjectTypeError' || code === 'AmbiguousError') return undefined;
    throw error;
  }
}

type At = Pick<RepositoryStorage, 'fs' | 'gitdir'>;

/** Low-level access without checks; see Repository. */
export class Objects {
  readonly #storage: RepositoryStorage;
  #ready: Promise<Engine> | undefined;
  readonly #commits = new Map<string, Git.CommitObject>();
  readonly #trees = new Map<string, ReadonlyMap<string, Entry>>();

  constructor(storage: RepositoryStorage) {
    this.#storage = storage;
  }

  /** Call the engine. The first call loads it, and creates the repository if it does not exist. */
  async #git<T>(call: (git: Engine, at: At) => Promise<T>): Promise<T> {
    const { fs, gitdir, defaultBranch = 'main' } = this.#storage;
    this.#ready ??= import('isomorphic-git').then(async ({ default: git }) => {
      await git.init({ fs, gitdir, bare: true, defaultBranch });
      return git;
    });
    // The next call retries after a failure.
    this.#ready.catch(() => {
      this.#ready = undefined;
    });
    return call(await this.#ready, { fs, gitdir });
  }

  /** Return the commit of a full SHA of a commit or annotated tag. */
  async peel(oid: string): Promise<string | undefined> {
    const read = await orUndefined(this.#git((git, at) => git.readCommit({ ...at, oid })));
    if (read) this.#commits.set(read.oid, read.commit);
    return read?.oid;
  }

  /** @param sha full SHA of an existing commit */
  async commit(sha: string): Promise<Git.CommitObject> {
    const known = this.#commits.get(sha);
    if (known) return known;
    const { commit } = await this.#git((git, at) => git.readCommit({ ...at, oid: sha }));
    this.#commits.set(sha, commit);
    return commit;
  }

  /** Return a commit and its ancestors, newest first. */
  async log(sha: string): Promise<string[]> {
    const log = await this.#git((git, at) => git.log({ ...at, ref: sha }));
    return log.map(({ oid }) => oid);
  }

  /** Whether `ancestor` is reachable from a commit. A commit reaches itself. */
  async reaches(sha: string, ancestor: string): Promise<boolean> {
    return sha === ancestor || this.#git((git, at) => git.isDescendent({ ...at, oid: sha, ancestor }));
  }

  /** Return the exact message of a commit: readCommit normalizes line endings. */
  async message(sha: string): Promise<string> {
    const { object } = await this.#git((git, at) => git.readObject({ ...at, oid: sha, format: 'content' }));
    if (!(object instanceof Uint8Array)) throw new Error(`not a commit: ${sha}`);
    const text = Buffer.from(object).toString('utf8');
    return text.slice(text.indexOf('\n\n') + 2);
  }

  /** Return the entries of a tree by name. */
  async tree(oid: string): Promise<ReadonlyMap<string, Entry>> {
    const known = this.#trees.get(oid);
    if (known) return known;
    const { tree } = await this.#git((git, at) => git.readTree({ ...at, oid }));
    const entries = new Map(tree.map(({ path, mode, oid, type }) => [path, { mode, oid, type }]));
    this.#trees.set(oid, entries);
    return entries;
  }

  /** Return the entry at a path in a tree. */
  async entry(tree: string, path: string): Promise<Entry | undefined> {
    let at: Entry | undefined = { mode: '040000', oid: tree, type: 'tree' };
    for (const part of path.split('/')) {
      if (at?.type !== 'tree') return undefined;
      at = (await this.tree(at.oid)).get(part);
    }
    return at;
  }

  /** Return the file at a path in a commit. */
  async file(sha: string, path: string): Promise<Entry | undefined> {
    const { tree } = await this.commit(sha);
    const entry = await this.entry(tree, path);
    return entry?.type === 'blob' ? entry : undefined;
  }

  async blob(oid: string): Promise<Uint8Array> {
    return (await this.#git((git, at) => git.readBlob({ ...at, oid }))).blob;
  }

  async writeBlob(blob: Uint8Array): Promise<string> {
    return this.#git((git, at) => git.writeBlob({ ...at, blob }));
  }

  async writeTree(entries: ReadonlyMap<string, Entry>): Promise<string> {
    const tree = [...entries].map(([path, entry]) => ({ path, ...entry }));
    const oid = await this.#git((git, at) => git.writeTree({ ...at, tree }));
    this.#trees.set(oid, entries);
    return oid;
  }

  async writeCommit({ tree, parents, message, author, committer, time }: NewCommit): Promise<string> {
    const seconds = Math.floor(time.getTime() / 1000);
    const signature = ({ name, email }: Signature) =>
      `${headerText(name)} <${headerText(email)}> ${seconds} +0000`;
    const head = [
      `tree ${tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author ${signature(author)}`,
      `committer ${signature(committer)}`,
    ];
    // writeCommit would normalize the line endings of the message.
    const object = Buffer.from(`${head.join('\n')}\n\n${message}`);
    return this.#git((git, at) => git.writeObject({ ...at, type: 'commit', format: 'content', object }));
  }

  /** Write an annotated tag. */
  async writeTag(name: string, sha: string, message: string, tagger: Signature, time: Date): Promise<string> {
    const timestamp = Math.floor(time.getTime() / 1000);
    const by = {
      name: headerText(tagger.name),
      email: headerText(tagger.email),
      timestamp,
      timezoneOffset: 0,
    };
    const tag = { object: sha, type: 'commit', tag: name, tagger: by, message } as const;
    return this.#git((git, at) => git.writeTag({ ...at, tag }));
  }

  /** Return the target of a branch or tag. */
  async ref(kind: 'heads' | 'tags', name: string): Promise<string | undefined> {
    if (!isRefName(name)) return undefined;
    return orUndefined(this.#git((git, at) => git.resolveRef({ ...at, ref: `refs/${kind}/${name}` })));
  }

  /** Return the branch of HEAD. */
  async head(): Promise<string> {
    const branch = await this.#git((git, at) => git.currentBranch(at));
    return branch || (this.#storage.defaultBranch ?? 'main');
  }

  async refs(kind: 'heads' | 'tags'): Promise<string[]> {
    const names = await this.#git((git, at) => (kind === 'heads' ? git.listBranches(at) : git.listTags(at)));
    return names.sort((a, b) => (a < b ? -1 : 1));
  }

  async writeRef(kind: 'heads' | 'tags', name: string, oid: string): Promise<void> {
    const ref = `refs/${kind}/${name}`;
    await this.#git((git, at) => git.writeRef({ ...at, ref, value: oid, force: true }));
  }

  async deleteRef(kind: 'heads' | 'tags', name: string): Promise<void> {
    await this.#git((git, at) => git.deleteRef({ ...at, ref: `refs/${kind}/${name}` }));
    await this.#removeEmptyFolders(`refs/${kind}`, name);
  }

  /** Empty folders would prevent a new ref with the name of a folder. */
  async #removeEmptyFolders(top: string, name: string): Promise<void> {
    const folders = name.split('/').slice(0, -1);
    for (; folders.length > 0; folders.pop()) {
      try {
        await this.#storage.fs.promises.rmdir(`${this.#storage.gitdir}/${top}/${folders.join('/')}`);
      } catch (error) {
        const code = errorCode(error);
        // Windows and some other systems report EEXIST if the folder is not empty.
        if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
        if (code !== 'ENOENT') throw error;
      }
    }
  }

  /** Return the full SHA of an unambiguous prefix. */
  async expand(short: string): Promise<string | undefined> {
    return orUndefined(this.#git((git, at) => git.expandOid({ ...at, oid: short })));
  }
}
