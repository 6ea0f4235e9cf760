/** Copies of the whole state under names: rows, files and git repositories. */
import type { Store } from './store.ts';

export interface SavedImage {
  readonly name: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/** Nothing else may change the state during a call. */
export interface Images {
  /** Save the state under a name. Replaces an image with the same name, completely or not at all. */
  save(image: SavedImage): Promise<void>;
  /** Replace the state by an image. @returns false if there is none with this name */
  load(name: string): Promise<boolean>;
  /** By name. */
  list(): Promise<SavedImage[]>;
  /** @returns false if there is none with this name */
  delete(name: string): Promise<boolean>;
  /** Replace the state by rows, without files and repositories. */
  replace(rows: Store): Promise<void>;
}

export const byName = (a: SavedImage, b: SavedImage): number => (a.name < b.name ? -1 : 1);
