/** Atomic writes that are flushed to the disk before they return. */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Flush the entries of a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and does not need the flush.
  const handle = await open(folder, 'r').catch(() => undefined);
  if (!handle) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @param folder for the temporary file, on the same file system */
export async function writeDurably(
  path: string,
  data: string | Uint8Array,
  folder = dirname(path),
): Promise<void> {
  const draft = join(folder, `tmp-${randomUUID()}`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(data);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

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
