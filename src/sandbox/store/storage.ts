/** Where a state is kept: contents by path, in memory or in a folder. */
import type { Appender } from '../../support/journal.ts';

export interface Storage {
  /** The folder, for messages. */
  readonly dir: string;
  read(path: string): Promise<Buffer | undefined>;
  /** Create or replace a content, durably: completely or not at all. */
  write(path: string, parts: Iterable<string | Uint8Array>): Promise<void>;
  remove(path: string): Promise<void>;
  /** Return the names in a folder, which need not exist. */
  list(folder: string): Promise<string[]>;
  /** Open an existing content for appending. Undefined if changes need not be written. @param end bytes to keep of it */
  readonly append: ((path: string, end: number) => Promise<Pick<Appender, 'append' | 'close'>>) | undefined;
  release(): void;
}

export function memoryStorage(): Storage {
  const contents = new Map<string, Buffer>();
  return {
    dir: '',
    read: async (path) => contents.get(path),
    async write(path, parts) {
      contents.set(path, Buffer.concat([...parts].map((part) => Buffer.from(part))));
    },
    async remove(path) {
      contents.delete(path);
    },
    async list(folder) {
      const prefix = `${folder}/`;
      return [...contents.keys()]
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length));
    },
    append: undefined,
    release: () => {},
  };
}
