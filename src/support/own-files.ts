/** Files and folders that only this user can change, so that no other user can plant, replace or redirect one. */
import fs from 'node:fs';
import path from 'node:path';

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = fs.constants;

/** Absent on Windows, where the folders of a user are closed to others by default. */
const me = process.geteuid?.();

/**
 * Check every folder of a path, and of each link on the way: it belongs to this user or root, and nobody else can write to it
 * (unless it is sticky, as /tmp). Folders that do not exist yet pass.
 * @param forCode apply the rules for folders whose content is executed: no group can write, no link is followed but those
 * in `/` (as /home on some systems), and no folder is a checkout, whose files come from somebody else
 */
export function isOwnFolder(folder: string, forCode = false): boolean {
  try {
    return isSafe(folder, forCode, 20);
  } catch {
    return false;
  }
}

function isSafe(place: string, forCode: boolean, links: number): boolean {
  const parent = path.dirname(place);
  if (parent !== place && !isSafe(parent, forCode, links)) return false;
  const found = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!found) return true;
  if (me !== undefined && !isTrusted(found.uid, forCode)) return false;
  if (found.isSymbolicLink()) {
    if (links === 0 || (forCode && parent !== path.parse(place).root)) return false;
    const target = path.resolve(fs.realpathSync(parent), fs.readlinkSync(place));
    return isSafe(target, forCode, links - 1);
  }
  if (!found.isDirectory() || (forCode && fs.existsSync(path.join(place, '.git')))) return false;
  const isOpen = me !== undefined && (found.mode & (forCode ? 0o022 : 0o002)) !== 0;
  return !isOpen || (found.mode & 0o1000) !== 0;
}

/** In a user namespace root is mapped to another number: the owner of `/`. */
function isTrusted(uid: number, forCode: boolean): boolean {
  return uid === me || uid === 0 || (!forCode && uid === fs.statSync('/').uid);
}

/**
 * Create a folder and its parents, mode 0700. Existing folders keep their mode. Node's `recursive` option never returns on file
 * systems that do not accept folders, such as /proc.
 * @throws the file system's errors
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another svc may have created it first.
    if (isFolder(folder)) return;
    // Node 20 reports EEXIST where a parent is a file, newer versions report ENOTDIR.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') error.code = 'ENOTDIR';
    throw error;
  }
}

function isFolder(place: string): boolean {
  return fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Read a file that this user owns and nobody else can write; a link is not followed.
 * @throws the file system's errors, and an Error for any other file
 */
export function readOwn(file: string): Buffer {
  const handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = fs.fstatSync(handle);
    const isOwn = me === undefined || (found.uid === me && (found.mode & 0o022) === 0);
    if (!found.isFile() || !isOwn) throw new Error(`not a file of this user alone: ${file}`);
    return fs.readFileSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * Create a file, mode 0600. A file or link of that name is removed first, never written through.
 * @returns the open file
 * @throws the file system's errors
 */
export function createOwn(file: string): number {
  fs.rmSync(file, { force: true });
  return fs.openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

/**
 * Replace a file as a whole, or leave it unchanged.
 * @throws the file system's errors
 */
export function writeOwn(file: string, content: string | Uint8Array): void {
  const beside = `${file}.${process.pid}`;
  try {
    const handle = createOwn(beside);
    try {
      fs.writeFileSync(handle, content);
    } finally {
      fs.closeSync(handle);
    }
    fs.renameSync(beside, file);
  } catch (error) {
    fs.rmSync(beside, { force: true });
    throw error;
  }
}
