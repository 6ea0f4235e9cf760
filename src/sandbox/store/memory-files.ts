/** Uploaded files of a sandbox without a folder. */
import { randomBytes } from 'node:crypto';
import type { Files } from './store.ts';

export const newName = (): string => randomBytes(16).toString('hex');

/** @param kept the files by name */
export function memoryFiles(kept: Map<string, Uint8Array>): Files {
  return {
    async put(bytes) {
      const name = newName();
      kept.set(name, bytes);
      return name;
    },
    get: async (name) => kept.get(name),
    async remove(name) {
      kept.delete(name);
    },
  };
}
