import type { MemoryFiles } from '../git/memory.ts';
import { byName, type Images, type SavedImage } from './image.ts';
import type { State, Store } from './store.ts';

/** The parts of a state in memory. */
export interface MemoryState {
  readonly store: Store;
  readonly files: Map<string, Uint8Array>;
  /** By project id. */
  readonly repositories: Map<number, MemoryFiles>;
}

interface Image {
  readonly info: SavedImage;
  readonly rows: State;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly repositories: ReadonlyMap<number, MemoryFiles>;
}

/** @param settle waits for repositories that are being created @param forget drops open repositories and caches */
export function memoryImages(
  { store, files, repositories }: MemoryState,
  settle: () => Promise<void>,
  forget: () => void,
): Images {
  const images = new Map<string, Image>();
  const restore = (image: Pick<Image, 'rows' | 'files' | 'repositories'>) => {
    store.restore(image.rows);
    files.clear();
    for (const [name, bytes] of image.files) files.set(name, bytes);
    repositories.clear();
    for (const [id, repository] of image.repositories) repositories.set(id, repository.copy());
    forget();
  };
  return {
    async save(info) {
      await settle();
      const copies = [...repositories].map(([id, repository]) => [id, repository.copy()] as const);
      images.set(info.name, {
        info,
        rows: structuredClone(store.state()),
        files: new Map(files),
        repositories: new Map(copies),
      });
    },
    async load(name) {
      const image = images.get(name);
      if (image) restore(image);
      return image !== undefined;
    },
    list: async () => [...images.values()].map(({ info }) => info).sort(byName),
    delete: async (name) => images.delete(name),
    replace: async (rows) => restore({ rows: rows.state(), files: new Map(), repositories: new Map() }),
  };
}
