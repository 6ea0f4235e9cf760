import type { Entry, Objects } from './objects.ts';

export interface Changes {
  readonly added: string[];
  readonly modified: string[];
  readonly removed: string[];
}

const emptyTree: ReadonlyMap<string, Entry> = new Map();

/** Return the files that differ between two trees, in git's order. A missing tree is empty. */
export async function changesBetween(objects: Objects, before?: string, after?: string): Promise<Changes> {
  const changes: Changes = { added: [], modified: [], removed: [] };
  await compare(objects, before, after, '', changes);
  return changes;
}

async function compare(
  objects: Objects,
  before: string | undefined,
  after: string | undefined,
  prefix: string,
  changes: Changes,
): Promise<void> {
  if (before === after) return;
  const older = before ? await objects.tree(before) : emptyTree;
  const newer = after ? await objects.tree(after) : emptyTree;
  const names = [...new Set([...older.keys(), ...newer.keys()])].sort((a, b) => (a < b ? -1 : 1));
  for (const name of names) {
    const [was, is] = [older.get(name), newer.get(name)];
    const path = prefix + name;
    const folder = (entry: Entry | undefined) => (entry?.type === 'tree' ? entry.oid : undefined);
    const file = (entry: Entry | undefined) => (entry && entry.type !== 'tree' ? entry : undefined);
    await compare(objects, folder(was), folder(is), `${path}/`, changes);
    const [wasFile, isFile] = [file(was), file(is)];
    if (!wasFile && isFile) changes.added.push(path);
    else if (wasFile && !isFile) changes.removed.push(path);
    else if (wasFile?.oid !== isFile?.oid || wasFile?.mode !== isFile?.mode) changes.modified.push(path);
  }
}

/**
 * Write a tree with added and removed files. Empty folders are removed.
 * @param files by path; undefined removes a file
 * @returns the new tree; undefined if it is empty
 */
export async function rewrite(
  objects: Objects,
  tree: string | undefined,
  files: ReadonlyMap<string, Entry | undefined>,
): Promise<string | undefined> {
  const entries = new Map(tree ? await objects.tree(tree) : emptyTree);
  const folders = new Map<string, Map<string, Entry | undefined>>();
  for (const [path, entry] of files) {
    const slash = path.indexOf('/');
    if (slash >= 0) {
      const folder = path.slice(0, slash);
      const inside = folders.get(folder) ?? new Map<string, Entry | undefined>();
      folders.set(folder, inside.set(path.slice(slash + 1), entry));
    } else if (entry) entries.set(path, entry);
    else entries.delete(path);
  }
  for (const [name, inside] of folders) {
    const old = entries.get(name);
    const oid = await rewrite(objects, old?.type === 'tree' ? old.oid : undefined, inside);
    if (oid) entries.set(name, { mode: '040000', oid, type: 'tree' });
    else entries.delete(name);
  }
  return entries.size > 0 ? objects.writeTree(entries) : undefined;
}
