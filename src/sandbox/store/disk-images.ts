/**
 * Images of a state on disk.
 *
 *     snapshots/<name>~<version>/   state.jsonl, files, repositories, image.json; the highest version counts
 *     loading/                      the state that replaces the current one; a start completes an interrupted load
 *
 * Both folders are complete when they get their name.
 */
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../errors.ts';
import { syncFolder } from '../../support/atomic-write.ts';
import { errorCode } from '../../support/errno.ts';
import { makeFolder } from '../../support/own-files.ts';
import { isRecord } from '../../support/record.ts';
import { renameFile } from '../../support/system/rename.ts';
import { syncTree, writeDurably } from './durable.ts';
import { byName, type Images, type SavedImage } from './image.ts';
import { type Journal, readJournal, writeJournal } from './journal.ts';
import type { Store } from './store.ts';

const parts = ['files', 'repositories', 'state.jsonl'] as const;

const exists = (folder: string): Promise<boolean> =>
  readdir(folder).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    },
  );

/** Create a folder that appears complete or not at all. */
async function build(target: string, draft: string, fill: (folder: string) => Promise<void>): Promise<void> {
  await rm(draft, { recursive: true, force: true });
  try {
    makeFolder(draft);
    await fill(draft);
    await syncTree(draft);
    await renameFile(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  await syncFolder(join(target, '..'));
}

/** Copy the folders of a state; one that does not exist is empty. */
async function copyFolders(from: string, to: string): Promise<void> {
  for (const name of ['files', 'repositories']) {
    if (await exists(join(from, name))) await cp(join(from, name), join(to, name), { recursive: true });
    else await mkdir(join(to, name));
  }
}

/** Complete a load that was interrupted, and delete unfinished folders. */
export async function finishLoading(dir: string): Promise<void> {
  await rm(join(dir, 'loading.new'), { recursive: true, force: true });
  const loading = join(dir, 'loading');
  if (!(await exists(loading))) return;
  const left = await readdir(loading);
  for (const name of parts) {
    if (!left.includes(name)) continue;
    await rm(join(dir, name), { recursive: true, force: true });
    await renameFile(join(loading, name), join(dir, name));
  }
  await syncFolder(dir);
  await rm(loading, { recursive: true });
  await syncFolder(dir);
}

interface Found extends SavedImage {
  readonly folder: string;
  readonly version: number;
}

const folderName = /^([\w.-]+)~(\d+)$/;

/** @param forget drops open repositories and caches */
export function diskImages(dir: string, journal: Journal, forget: () => void): Images {
  const snapshots = join(dir, 'snapshots');

  /** All versions, the newest first. */
  async function versions(): Promise<Found[]> {
    const names = (await exists(snapshots)) ? await readdir(snapshots) : [];
    const found: Found[] = [];
    for (const entry of names) {
      const [, name, version] = folderName.exec(entry) ?? [];
      if (name === undefined) continue;
      const folder = join(snapshots, entry);
      const info: unknown = JSON.parse(await readFile(join(folder, 'image.json'), 'utf8'));
      const created = isRecord(info) ? String(info['created_at']) : '';
      found.push({ name, created_at: created, folder, version: Number(version) });
    }
    return found.sort((a, b) => b.version - a.version);
  }

  const find = async (name: string): Promise<Found | undefined> =>
    (await versions()).find((image) => image.name === name);

  async function remove(name: string, below: number): Promise<void> {
    // A snapshot without its description would not be readable, so the folder disappears at once.
    for (const image of await versions()) {
      if (image.name !== name || image.version >= below) continue;
      const doomed = join(snapshots, `tmp-${randomUUID()}`);
      await renameFile(image.folder, doomed);
      await syncFolder(snapshots);
      await rm(doomed, { recursive: true });
    }
  }

  async function replace(fill: (folder: string) => Promise<void>): Promise<void> {
    await build(join(dir, 'loading'), join(dir, 'loading.new'), fill);
    await journal.close();
    await finishLoading(dir);
    await journal.reload();
    forget();
  }

  return {
    async save({ name, created_at }) {
      makeFolder(snapshots);
      for (const entry of await readdir(snapshots))
        if (entry.startsWith('tmp-')) await rm(join(snapshots, entry), { recursive: true });
      const version = ((await find(name))?.version ?? 0) + 1;
      await build(
        join(snapshots, `${name}~${version}`),
        join(snapshots, `tmp-${randomUUID()}`),
        async (folder) => {
          await writeJournal(join(folder, 'state.jsonl'), journal.store);
          await copyFolders(dir, folder);
          await writeDurably(join(folder, 'image.json'), JSON.stringify({ created_at }));
        },
      );
      await remove(name, version);
    },
    async load(name) {
      const image = await find(name);
      if (!image) return false;
      const path = join(image.folder, 'state.jsonl');
      const { damaged } = await readJournal(path);
      if (damaged > 0)
        throw new Failure('internal', `the snapshot ${name} is damaged: ${path}`, {
          hint: 'delete it and save a new one',
        });
      await replace(async (folder) => {
        await cp(path, join(folder, 'state.jsonl'));
        await copyFolders(image.folder, folder);
      });
      return true;
    },
    async list() {
      const newest = new Map<string, SavedImage>();
      for (const { name, created_at } of (await versions()).reverse()) newest.set(name, { name, created_at });
      return [...newest.values()].sort(byName);
    },
    async delete(name) {
      const image = await find(name);
      if (image) await remove(name, image.version + 1);
      return image !== undefined;
    },
    replace: (rows: Store) =>
      replace(async (folder) => {
        await writeJournal(join(folder, 'state.jsonl'), rows);
        await mkdir(join(folder, 'files'));
        await mkdir(join(folder, 'repositories'));
      }),
  };
}
