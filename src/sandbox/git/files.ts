/** The files of git repositories as rows: the part of `fs.promises` that isomorphic-git needs for a bare repository. */
import type { Row } from '../core/rows.ts';
import type { Files, Rows } from '../store/store.ts';

export interface GitFile extends Row {
  /** Without a leading slash. */
  path: string;
  /** A reference to the content. */
  content: string;
}

/** Throw an error with a `code`, which isomorphic-git reads. */
function fail(code: 'ENOENT' | 'ENOTDIR', path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code });
}

const plain = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

/** A file system for isomorphic-git over a table. */
export function gitFiles(table: Rows<GitFile>, files: Files) {
  const find = (path: string) => table.where('path', plain(path))[0];
  const namesIn = (path: string): string[] => {
    const prefix = `${plain(path)}/`;
    const below = table.filter((row) => row.path.startsWith(prefix));
    return [...new Set(below.map((row) => row.path.slice(prefix.length).split('/', 1)[0] ?? ''))].sort();
  };
  const stat = async (path: string) => {
    const isFile = find(path) !== undefined;
    if (!isFile && namesIn(path).length === 0) fail('ENOENT', path);
    return {
      ...{ type: isFile ? 'file' : 'dir', mode: isFile ? 0o100644 : 0o40755 },
      ...{ size: 0, ino: 0, mtimeMs: 0, ctimeMs: 0 },
      isFile: () => isFile,
      isDirectory: () => !isFile,
      isSymbolicLink: () => false,
    };
  };
  return {
    promises: {
      async readFile(path?: string, options?: string | { readonly encoding?: string | undefined }) {
        // Before each operation, isomorphic-git calls it without a path to see whether it returns a promise.
        if (path === undefined) return new Uint8Array();
        const content = find(path)?.content;
        const bytes = (content && (await files.get(content))) || fail('ENOENT', path);
        const encoding = typeof options === 'object' ? options.encoding : options;
        return encoding === 'utf8' ? Buffer.from(bytes).toString('utf8') : bytes;
      },
      async writeFile(path: string, data: string | Uint8Array): Promise<void> {
        const content = await files.put(typeof data === 'string' ? Buffer.from(data) : data);
        const known = find(path);
        if (known) table.update(known, { content });
        else table.insert({ path: plain(path), content });
      },
      async unlink(path: string): Promise<void> {
        table.remove(find(path) ?? fail('ENOENT', path));
      },
      async readdir(path: string): Promise<string[]> {
        if (find(path)) fail('ENOTDIR', path);
        return namesIn(path);
      },
      mkdir: async (): Promise<void> => {},
      rmdir: async (): Promise<void> => {},
      stat,
      lstat: stat,
      readlink: async (path: string): Promise<string> => fail('ENOENT', path),
      symlink: async (_target: string, path: string): Promise<void> => fail('ENOENT', path),
    },
  };
}
