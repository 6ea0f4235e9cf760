/** Reads and writes the objects and refs of a repository with isomorphic-git. */
import type * as Git from 'isomorphic-git';
import { errorCode } from '../../support/errno.ts';
import { isRefName } from './names.ts';

type Engine = typeof Git.default;

/** Node's `fs` and a folder, or `gitFiles` and any path. */
export interface RepositoryStorage {
  readonly fs: Git.PromiseFsClient;
  readonly gitdir: string;
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

interface NewCommit {
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

export interface Changes {
  readonly added: string[];
  readonly modified: string[];
  readonly removed: string[];
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

type At = Pick<RepositoryStorage, 'fs' | 'gitdir'>;

/** Access to objects and refs without checks; see Repository. */
export class Objects {
  readonly #storage: RepositoryStorage;
  #ready: Promise<Engine> | undefined;

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
    return call(await this.#ready, { fs, gitdir });
  }

  /** Return the commit of a full SHA of a commit or annotated tag. */
  async peel(oid: string): Promise<string | undefined> {
    const read = await orUndefined(this.#git((git, at) => git.readCommit({ ...at, oid })));
    return read?.oid;
  }

  /** @param sha full SHA of an existing commit */
  async commitObject(sha: string): Promise<Git.CommitObject> {
    return (await this.#git((git, at) => git.readCommit({ ...at, oid: sha }))).commit;
  }

  async log(sha: string): Promise<string[]> {
    const log = await this.#git((git, at) => git.log({ ...at, ref: sha }));
    return log.map(({ oid }) => oid);
  }

  /** Whether another commit is reachable from a commit. */
  async reaches(sha: string, ancestor: string): Promise<boolean> {
    return this.#git((git, at) => git.isDescendent({ ...at, oid: sha, ancestor }));
  }

  /** Return the exact message of a commit: readCommit normalizes line endings. */
  async message(sha: string): Promise<string> {
    const { object } = await this.#git((git, at) => git.readObject({ ...at, oid: sha, format: 'content' }));
    if (!(object instanceof Uint8Array)) throw new Error(`not a commit: ${sha}`);
    const text = Buffer.from(object).toString('utf8');
    return text.slice(text.indexOf('\n\n') + 2);
  }

  async tree(oid: string): Promise<ReadonlyMap<string, Entry>> {
    const { tree } = await this.#git((git, at) => git.readTree({ ...at, oid }));
    return new Map(tree.map(({ path, mode, oid, type }) => [path, { mode, oid, type }]));
  }

  async entry(tree: string, path: string): Promise<Entry | undefined> {
    let at: Entry | undefined = { mode: '040000', oid: tree, type: 'tree' };
    for (const part of path.split('/')) {
      if (at?.type !== 'tree') return undefined;
      at = (await this.tree(at.oid)).get(part);
    }
    return at;
  }

  async file(sha: string, path: string): Promise<Entry | undefined> {
    const { tree } = await this.commitObject(sha);
    const entry = await this.entry(tree, path);
    return entry?.type === 'blob' ? entry : undefined;
  }

  /** Return the files that differ between two commits, in git's order. */
  async changes(before: string | undefined, after: string): Promise<Changes> {
    const changes: Changes = { added: [], modified: [], removed: [] };
    await this.#git((git, at) =>
      git.walk({
        ...at,
        trees: [git.TREE({ ref: before ?? emptyTree }), git.TREE({ ref: after })],
        map: async (path, [was = null, is = null]) => {
          const fileIn = async (entry: Git.WalkerEntry | null) =>
            entry && (await entry.type()) !== 'tree'
              ? `${await entry.mode()} ${await entry.oid()}`
              : undefined;
          const [older, newer] = [await fileIn(was), await fileIn(is)];
          if (older === newer) return;
          if (older === undefined) changes.added.push(path);
          else if (newer === undefined) changes.removed.push(path);
          else changes.modified.push(path);
        },
      }),
    );
    for (const paths of Object.values(changes)) paths.sort();
    return changes;
  }

  /** Return the commit of a branch, tag, SHA (at least 4 digits) or `HEAD`. Branches take precedence over tags. */
  async resolve(ref: string): Promise<string | undefined> {
    if (/^[0-9a-f]{40}$/i.test(ref)) return this.peel(ref.toLowerCase());
    if (ref === 'HEAD') return orUndefined(this.#git((git, at) => git.resolveRef({ ...at, ref })));
    const [, kind, rest = ref] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? [];
    const oid =
      (kind !== 'tags' ? await this.ref('heads', rest) : undefined) ??
      (kind !== 'heads' ? await this.ref('tags', rest) : undefined) ??
      (/^[0-9a-f]{4,39}$/i.test(ref) ? await this.#expand(ref.toLowerCase()) : undefined);
    return oid ? this.peel(oid) : undefined;
  }

  /** Return the last commit that changed a path, like `git log -1 -- path`: at a merge, follow a parent with the same content. */
  async lastChange(sha: string, path: string): Promise<string> {
    const { parent: parents, tree } = await this.commitObject(sha);
    const here = await this.entry(tree, path);
    for (const parent of parents) {
      const there = await this.entry((await this.commitObject(parent)).tree, path);
      if (there?.oid === here?.oid && there?.mode === here?.mode) return this.lastChange(parent, path);
    }
    return sha;
  }

  async blob(oid: string): Promise<Uint8Array> {
    return (await this.#git((git, at) => git.readBlob({ ...at, oid }))).blob;
  }

  async writeBlob(blob: Uint8Array): Promise<string> {
    return this.#git((git, at) => git.writeBlob({ ...at, blob }));
  }

  async writeTree(entries: ReadonlyMap<string, Entry>): Promise<string> {
    const tree = [...entries].map(([path, entry]) => ({ path, ...entry }));
    return this.#git((git, at) => git.writeTree({ ...at, tree }));
  }

  /** Write a tree without empty folders. @param files by path; undefined removes a file @returns undefined if it is empty */
  async rewrite(
    tree: string | undefined,
    files: ReadonlyMap<string, Entry | undefined>,
  ): Promise<string | undefined> {
    const entries = new Map(tree ? await this.tree(tree) : []);
    const folders = new Map<string, Map<string, Entry | undefined>>();
    for (const [path, entry] of files) {
      const slash = path.indexOf('/');
      if (slash >= 0) {
        const folder = path.slice(0, slash);
        const inside = folders.get(folder) ?? new Map<string, Entry | undefined>();
        folders.set(folder, inside.set(path.slice(slash + 1), entry));
      } else if (entry) entries.set(path, entry);
      else entries.delete(path);
    }
    for (const [name, inside] of folders) {
      const old = entries.get(name);
      const oid = await this.rewrite(old?.type === 'tree' ? old.oid : undefined, inside);
      if (oid) entries.set(name, { mode: '040000', oid, type: 'tree' });
      else entries.delete(name);
    }
    return entries.size > 0 ? this.writeTree(entries) : undefined;
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

  async ref(kind: 'heads' | 'tags', name: string): Promise<string | undefined> {
    if (!isRefName(name)) return undefined;
    return orUndefined(this.#git((git, at) => git.resolveRef({ ...at, ref: `refs/${kind}/${name}` })));
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
  }

  async #expand(short: string): Promise<string | undefined> {
    return orUndefined(this.#git((git, at) => git.expandOid({ ...at, oid: short })));
  }
}
