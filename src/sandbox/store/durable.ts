/** Atomic writes that are flushed to the disk before they return. */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile, syncFolder } from '../../support/atomic-write.ts';

/** @param folder for the temporary file, on the same file system */
export const writeDurably = (
  path: string,
  data: string | Uint8Array,
  folder = dirname(path),
): Promise<void> =>
  replaceFile(path, (handle) => handle.writeFile(data), {
    draft: join(folder, `tmp-${randomUUID()}`),
    durable: true,
  });

/** Delete the temporary files of a killed process. */
export async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (/^tmp-[0-9a-f-]{36}$/.test(name)) await rm(join(folder, name), { force: true });
  }
}

/** Flush a folder and all files and folders in it. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return syncTree(path);
      const handle = await open(path, 'r+');
      try {
        await handle.datasync();
      } finally {
        await handle.close();
      }
    }),
  );
  await syncFolder(folder);
}

/** Node's file system for the git engine, with durable writes. @param gitdir the repository, for temporary files */
export function durableFs(gitdir: string) {
  const { promises } = fs;
  return {
    promises: {
      ...promises,
      writeFile: (path: string, data: string | Uint8Array) => writeDurably(path, data, gitdir),
      async mkdir(path: string, options?: fs.MakeDirectoryOptions) {
        await promises.mkdir(path, options);
        await syncFolder(dirname(path));
      },
      async unlink(path: string) {
        await promises.unlink(path);
        await syncFolder(dirname(path));
      },
    },
  };
}
