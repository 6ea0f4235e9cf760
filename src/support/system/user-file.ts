/**
 * Files that a user names for a command to write. Links are not followed, and an existing file is kept unless the caller recognizes it as
 * an earlier one of the same kind. Devices and the open files of the process, such as `/dev/null` and `/dev/stderr`, can be written.
 */
import fs from 'node:fs';
import path from 'node:path';
import { renameFile, replaceFile } from '../atomic-write.ts';
import { errorCode, UnsuitableFile } from '../errno.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = fs.constants;

/** On Linux, these names are links. */
const openFile = /^(\/dev\/(stdout|stderr|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;

const find = (file: string): fs.Stats | undefined => fs.lstatSync(file, { throwIfNoEntry: false });

/** Whether a path names a device such as `/dev/null` or a terminal, or an open file of this process. @throws the errors of the file system */
export function isStream(file: string): boolean {
  return openFile.test(path.resolve(file)) || find(file)?.isCharacterDevice() === true;
}

/** Whether a file exists. @throws UnsuitableFile for a link, a folder or a special file */
function isRegular(file: string): boolean {
  const found = find(file);
  if (!found || found.isFile()) return found !== undefined;
  if (found.isSymbolicLink()) throw new UnsuitableFile('it is a symbolic link');
  throw new UnsuitableFile(found.isDirectory() ? 'it is a folder' : 'it is not a regular file');
}

/**
 * The flags to open a file to which lines are appended, with mode 0600 if it is new.
 * @throws UnsuitableFile, and the errors of the file system
 */
export function appendFlags(file: string): number {
  // Without O_NONBLOCK, opening a pipe without a reader would block the process.
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK;
  if (isStream(file)) return flags;
  isRegular(file);
  return flags | O_NOFOLLOW;
}

/**
 * Check that a file can be created, or replaced because it is empty or an earlier one.
 * @param isEarlier recognizes an earlier file by its start
 * @returns whether the file exists
 * @throws UnsuitableFile, and the errors of the file system
 */
export function checkReplaceable(file: string, isEarlier: (start: string) => boolean): boolean {
  fs.accessSync(path.dirname(file), fs.constants.W_OK);
  if (!isRegular(file)) return false;
  const handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(1024);
    const start = bytes.toString('utf8', 0, fs.readSync(handle, bytes));
    if (start === '' || isEarlier(start)) return true;
  } finally {
    fs.closeSync(handle);
  }
  throw new UnsuitableFile('it already exists');
}

/** Create a file with mode 0600, or replace an earlier one. @throws as `checkReplaceable` */
export function createOrReplace(
  file: string,
  content: string | AsyncIterable<Uint8Array>,
  isEarlier: (start: string) => boolean,
): Promise<void> {
  return replaceFile(file, (handle) => fs.promises.writeFile(handle, content), {
    place: (draft) => (checkReplaceable(file, isEarlier) ? renameFile : placeNew)(draft, file),
  });
}

/** Move a file to a path that does not exist. @throws UnsuitableFile if it exists, and the errors of the file system */
export async function placeNew(draft: string, file: string): Promise<void> {
  try {
    await fs.promises.link(draft, file);
  } catch (error) {
    // Some file systems do not support hard links: check, then rename.
    if (errorCode(error) === 'EEXIST' || find(file)) throw new UnsuitableFile('it already exists');
    return renameFile(draft, file);
  }
  await fs.promises.unlink(draft);
}
