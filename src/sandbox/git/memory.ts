/** An in-memory file system: the part of `fs.promises` that isomorphic-git needs for a bare repository. */

interface Folder extends Map<string, Folder | Uint8Array> {}

/** Throw an error with a `code`, which isomorphic-git reads. */
function fail(code: 'ENOENT' | 'ENOTDIR' | 'EISDIR' | 'EEXIST' | 'ENOTEMPTY', path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code });
}

function copyOf(folder: Folder): Folder {
  // Files are replaced as a whole, so copies may share their bytes.
  return new Map([...folder].map(([name, node]) => [name, node instanceof Map ? copyOf(node) : node]));
}

const segments = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

type Encoding = 'utf8' | { readonly encoding?: 'utf8' | undefined } | undefined;

const isUtf8 = (options: Encoding): boolean =>
  options === 'utf8' || (typeof options === 'object' && options.encoding === 'utf8');

export class MemoryFiles {
  readonly #root: Folder;
  /** isomorphic-git uses the promise API if `promises` is enumerable. */
  readonly promises = {
    readFile: async (path: string, options?: Encoding) => this.#read(path, options),
    writeFile: async (path: string, data: string | Uint8Array) => this.#write(path, data),
    unlink: async (path: string) => this.#remove(path, false),
    rmdir: async (path: string) => this.#remove(path, true),
    mkdir: async (path: string) => this.#makeFolder(path),
    readdir: async (path: string) => [...this.#folder(path).keys()].sort(),
    stat: async (path: string) => this.#stat(path),
    lstat: async (path: string) => this.#stat(path),
    readlink: async (path: string): Promise<string> => fail('ENOENT', path),
    symlink: async (_target: string, path: string): Promise<void> => fail('EEXIST', path),
  };

  constructor(root: Folder = new Map()) {
    this.#root = root;
  }

  copy(): MemoryFiles {
    return new MemoryFiles(copyOf(this.#root));
  }

  #find(path: string): Folder | Uint8Array {
    let at: Folder | Uint8Array = this.#root;
    for (const part of segments(path)) {
      if (!(at instanceof Map)) fail('ENOTDIR', path);
      at = at.get(part) ?? fail('ENOENT', path);
    }
    return at;
  }

  #folder(path: string): Folder {
    const node = this.#find(path);
    return node instanceof Map ? node : fail('ENOTDIR', path);
  }

  #parent(path: string): [Folder, string] {
    const parts = segments(path);
    const name = parts.pop() ?? fail('EISDIR', path);
    return [this.#folder(parts.join('/')), name];
  }

  #read(path: string, options: Encoding): string | Uint8Array {
    const node = this.#find(path);
    if (node instanceof Map) fail('EISDIR', path);
    return isUtf8(options) ? Buffer.from(node).toString('utf8') : node;
  }

  #write(path: string, data: string | Uint8Array): void {
    const [folder, name] = this.#parent(path);
    if (folder.get(name) instanceof Map) fail('EISDIR', path);
    folder.set(name, Uint8Array.from(typeof data === 'string' ? Buffer.from(data, 'utf8') : data));
  }

  #remove(path: string, wantsFolder: boolean): void {
    const [folder, name] = this.#parent(path);
    const node = folder.get(name) ?? fail('ENOENT', path);
    if (node instanceof Map !== wantsFolder) fail(wantsFolder ? 'ENOTDIR' : 'EISDIR', path);
    if (node instanceof Map && node.size > 0) fail('ENOTEMPTY', path);
    folder.delete(name);
  }

  #makeFolder(path: string): void {
    const [folder, name] = this.#parent(path);
    if (folder.has(name)) fail('EEXIST', path);
    folder.set(name, new Map());
  }

  #stat(path: string) {
    const node = this.#find(path);
    const isFolder = node instanceof Map;
    return {
      type: isFolder ? 'dir' : 'file',
      mode: isFolder ? 0o40755 : 0o100644,
      size: isFolder ? 0 : node.length,
      ino: 0,
      mtimeMs: 0,
      ctimeMs: 0,
      isFile: () => !isFolder,
      isDirectory: () => isFolder,
      isSymbolicLink: () => false,
    };
  }
}
