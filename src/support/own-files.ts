/** Files and folders that only this user can change, so that no other user can plant, replace or redirect one. */
import fs from 'node:fs';
import path from 'node:path';

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = fs.constants;

/** Undefined on Windows, where other users cannot access the folders of a user by default. */
const userId = process.geteuid?.();

/**
 * Whether every folder of a path belongs to this user or root, and no other user can write to it, unless it is sticky (/tmp). The
 * targets of links are checked too. Folders that do not exist yet pass. The rules for folders with code are stricter (src/start.ts).
 */
export function isOwnFolder(folder: string): boolean {
  try {
    return isSafe(folder, 20);
  } catch {
    return false;
  }
}

function isSafe(place: string, links: number): boolean {
  const parent = path.dirname(place);
  if (parent !== place && !isSafe(parent, links)) return false;
  const found = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!found) return true;
  if (userId !== undefined && !isTrusted(found.uid)) return false;
  if (found.isSymbolicLink()) {
    if (links === 0) return false;
    return isSafe(path.resolve(fs.realpathSync(parent), fs.readlinkSync(place)), links - 1);
  }
  if (!found.isDirectory()) return false;
  const isOpen = userId !== undefined && (found.mode & 0o002) !== 0;
  return !isOpen || (found.mode & 0o1000) !== 0;
}

/** In a user namespace, root has the number of the owner of `/`. */
function isTrusted(uid: number): boolean {
  return uid === userId || uid === 0 || uid === fs.statSync('/').uid;
}

/**
 * Create a folder and its parents with this mode. Existing folders keep their mode. The `recursive` option of Node never returns on
 * file systems without folders, such as /proc.
 * @throws the errors of the file system
 */
export function makeFolder(folder: string, mode = 0o700): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent, mode);
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it first.
    if (isFolder(folder)) return;
    // If a parent is a file, Node 20 reports EEXIST and newer versions ENOTDIR.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') error.code = 'ENOTDIR';
    throw error;
  }
}

function isFolder(place: string): boolean {
  return fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Read a file that belongs to this user and that no other user can write. Links are not followed.
 * @throws the errors of the file system, and an Error for any other file
 */
export function readOwn(file: string): Buffer {
  const handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = fs.fstatSync(handle);
    const isOwn = userId === undefined || (found.uid === userId && (found.mode & 0o022) === 0);
    if (!found.isFile() || !isOwn) throw new Error(`not a private file: ${file}`);
    return fs.readFileSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
