/** The files of git repositories as rows: the part of `fs.promises` that isomorphic-git needs for a bare repository. */
import type { Row } from '../core/rows.ts';
import type { Files, Rows } from '../store/store.ts';

export interface GitFile extends Row {
  /** Without a leading slash. */
  path: string;
  /** The path of the folder that contains it. */
  folder: string;
  /** A reference to the content; null for a folder. */
  content: string | null;
}

/** Throw an error with a `code`, which isomorphic-git reads. */
function fail(code: 'ENOENT' | 'ENOTDIR' | 'EISDIR' | 'EEXIST' | 'ENOTEMPTY', path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code });
}

type Encoding = 'utf8' | { readonly encoding?: 'utf8' | undefined } | undefined;

const encodingOf = (options: Encoding): string | undefined =>
  typeof options === 'object' ? options.encoding : options;

const plain = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

const statOf = ({ content }: Pick<GitFile, 'content'>) => ({
  type: content === null ? 'dir' : 'file',
  mode: content === null ? 0o40755 : 0o100644,
  size: 0,
  ino: 0,
  mtimeMs: 0,
  ctimeMs: 0,
  isFile: () => content !== null,
  isDirectory: () => content === null,
  isSymbolicLink: () => false,
});

/** A file system for isomorphic-git over a table. */
export function gitFiles(table: Rows<GitFile>, files: Files) {
  const find = (path: string) => table.where('path', path)[0];
  const get = (path: string) => find(plain(path)) ?? fail('ENOENT', path);
  const add = (path: string, content: string | null) => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    const parent = folder === '' ? { content: null } : get(folder);
    if (parent.content !== null) fail('ENOTDIR', path);
    table.insert({ path, folder, content });
  };
  const remove = async (path: string, isFolder: boolean) => {
    const row = get(path);
    if ((row.content === null) !== isFolder) fail(isFolder ? 'ENOTDIR' : 'EISDIR', path);
    if (table.where('folder', row.path).length > 0) fail('ENOTEMPTY', path);
    table.remove(row);
    if (row.content !== null) await files.remove(row.content);
  };
  const stat = async (path: string) => statOf(get(path));
  return {
    promises: {
      async readFile(path: string, options?: Encoding): Promise<string | Uint8Array> {
        const { content } = get(path);
        if (content === null) fail('EISDIR', path);
        const bytes = (await files.get(content)) ?? fail('ENOENT', path);
        return encodingOf(options) === 'utf8' ? Buffer.from(bytes).toString('utf8') : bytes;
      },
      async writeFile(path: string, data: string | Uint8Array): Promise<void> {
        const content = await files.put(typeof data === 'string' ? Buffer.from(data) : data);
        const known = find(plain(path));
        if (!known) return add(plain(path), content);
        const old = known.content ?? fail('EISDIR', path);
        table.update(known, { content });
        await files.remove(old);
      },
      unlink: (path: string) => remove(path, false),
      rmdir: (path: string) => remove(path, true),
      async mkdir(path: string): Promise<void> {
        if (find(plain(path))) fail('EEXIST', path);
        add(plain(path), null);
      },
      readdir: async (path: string) => {
        const row = get(path);
        if (row.content !== null) fail('ENOTDIR', path);
        return table
          .where('folder', row.path)
          .map((one) => one.path.slice(row.path.length + 1))
          .sort();
      },
      stat,
      lstat: stat,
      readlink: async (path: string): Promise<string> => fail('ENOENT', path),
      symlink: async (_target: string, path: string): Promise<void> => fail('EEXIST', path),
    },
  };
}
