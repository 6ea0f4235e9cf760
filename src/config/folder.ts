import fs from 'node:fs';
import path from 'node:path';

/**
 * Make a folder, and those above it, for this user alone; one that is there stays as it is. Node's own `recursive` goes
 * round for ever where a file system takes no folders, as /proc.
 * @throws the file system's errors
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another svc may have been quicker.
    if (isFolder(folder)) return;
    // Node 20 calls a file in the way by this code already when it looks below it, newer ones do not.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') error.code = 'ENOTDIR';
    throw error;
  }
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
