/** Files and folders that only this user can change, so that no other user can plant, replace or redirect one. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { attempt, UnsuitableFile } from './errno.ts';
import { platform } from './system/platform.ts';

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;

/** Undefined on Windows, where other users cannot access the folders of a user by default. */
const userId = process.geteuid?.();
/** The group of which this user is the only member by convention (umask 002). Root has none. */
const privateGroup = userId !== 0 && userId === process.getegid?.() ? userId : undefined;

const openPlace = (place: string): Error => new UnsuitableFile(`other users can change ${place}`);

const find = (place: string): Stats | undefined => lstatSync(place, { throwIfNoEntry: false });

const targetOf = (link: string): string => resolve(realpathSync(dirname(link)), readlinkSync(link));

/**
 * Check that every folder of a path belongs to this user or root, and that no other user can write to it, unless it is sticky (/tmp). The
 * targets of links are checked too. Folders that do not exist yet pass.
 * @param strict for code, which is executed: no links but those of the system, such as /home, no checkouts, and no private group
 * @throws UnsuitableFile, and the errors of the file system
 */
export function checkOwnFolder(place: string, strict = false): void {
  const parent = dirname(place);
  if (parent !== place) checkOwnFolder(parent, strict);
  const found = find(place);
  if (!found) return;
  if (userId !== undefined && !isTrusted(found.uid)) throw openPlace(place);
  // Fails for a link to itself and, because of the slash, for a file.
  statSync(`${place}/`, { throwIfNoEntry: false });
  if (found.isSymbolicLink()) {
    if (strict && dirname(parent) !== parent) throw new UnsuitableFile(`${place} is a link`);
    checkOwnFolder(targetOf(place), strict);
    return;
  }
  // Other people write the files of a checkout.
  if (strict && existsSync(`${place}/.git`))
    throw new UnsuitableFile(`${place} is a checkout of a repository`);
  const shared = found.gid === privateGroup && !strict ? 0o002 : 0o022;
  const isOpen = userId !== undefined && (found.mode & shared) !== 0;
  // Only the owner of a file can replace it in a sticky folder.
  if (isOpen && (found.mode & 0o1000) === 0) throw openPlace(place);
}

/**
 * Return the folder for compiled code of this version of V8 (docs/decisions/0005).
 * @throws UnsuitableFile if it is not certain that only this user can write it, and the errors of the file system
 */
export function codeFolder(env: Readonly<Record<string, string | undefined>>): string {
  const isWindows = platform === 'win32';
  const home = env['HOME'];
  const cache = isWindows ? env['LOCALAPPDATA'] : env['XDG_CACHE_HOME'] || (home && `${home}/.cache`);
  if (!cache || !isAbsolute(cache)) throw new UnsuitableFile('no cache folder');
  const folder = join(cache, 'svc/code', `${process.versions.v8}-${process.arch}`);
  checkOwnFolder(folder, true);
  return folder;
}

/**
 * Check that only this user and root can change or replace a file. The target of a link is checked too.
 * @param read the open file whose content was read, which may no longer be at the path
 * @throws UnsuitableFile, and the errors of the file system
 */
export function checkOwnFile(file: string, read: Stats): void {
  checkOwnFolder(dirname(file));
  const found = find(file);
  if (userId === undefined) return;
  const isLink = found?.isSymbolicLink() ?? false;
  for (const { uid, mode } of [read, ...(found ? [found] : [])])
    if (!isTrusted(uid) || (!isLink && (mode & 0o022) !== 0)) throw openPlace(file);
  if (isLink) checkOwnFile(targetOf(file), read);
}

/** In a user namespace, root has the number of the owner of `/`. */
function isTrusted(uid: number): boolean {
  return uid === userId || uid === 0 || uid === statSync('/').uid;
}

/**
 * Create a folder and its parents with mode 0700. Existing folders keep their mode. The `recursive` option of Node never returns on
 * file systems without folders, such as /proc.
 * @throws the errors of the file system
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
    // `sudo` can keep the HOME of another user, who must be able to use it afterwards.
    const { uid, gid } = statSync(parent);
    if (userId === 0 && uid !== 0) attempt(() => lchownSync(folder, uid, gid));
  } catch (error) {
    // Another process may have created it first.
    if (isFolder(folder)) return;
    // If a parent is a file, Node 20 reports EEXIST and newer versions ENOTDIR.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') error.code = 'ENOTDIR';
    throw error;
  }
}

/** Check whether a folder can be written, or created if it does not exist. @throws the errors of the file system */
export function checkWritable(folder: string): void {
  const parent = dirname(folder);
  if (!existsSync(folder) && parent !== folder) checkWritable(parent);
  else accessSync(`${folder}/`, constants.W_OK | constants.X_OK);
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Read a file that belongs to this user and that no other user can write. Links are not followed.
 * @throws UnsuitableFile for any other file, and the errors of the file system
 */
export function readOwn(file: string): Buffer {
  const handle = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    const isOwn = userId === undefined || (found.uid === userId && (found.mode & 0o022) === 0);
    if (!found.isFile()) throw new UnsuitableFile('it is not a regular file');
    if (!isOwn) throw openPlace(file);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
