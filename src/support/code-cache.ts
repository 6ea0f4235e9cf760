/** The folder of compiled code (docs/decisions/0005). Its content is executed. */
import fs from 'node:fs';
import path from 'node:path';
import { UnsuitableFile } from './errno.ts';
import { platform } from './system/platform.ts';

/** Undefined on Windows, where other users cannot access the folders of a user by default. */
const userId = process.geteuid?.();

/**
 * Return the folder for compiled code of this version of V8.
 * @throws UnsuitableFile if it is not certain that only this user can write it
 */
export function codeFolder(env: Readonly<Record<string, string | undefined>>): string {
  const isWindows = platform === 'win32';
  const home = isWindows ? env['USERPROFILE'] : env['HOME'];
  const cache = isWindows ? env['LOCALAPPDATA'] : env['XDG_CACHE_HOME'] || (home && `${home}/.cache`);
  if (!home || !cache || !path.isAbsolute(cache)) throw new UnsuitableFile('no cache folder');
  // `sudo` can keep the HOME of another user.
  if (userId !== undefined && fs.statSync(home).uid !== userId)
    throw new UnsuitableFile(`the home ${home} belongs to another user`);
  const folder = path.join(cache, 'svc/code', `${process.versions.v8}-${process.arch}`);
  check(folder, 20);
  return folder;
}

/** Check a folder and its parents. Folders that do not exist yet pass. Stricter than `checkOwnFolder`, since code is executed. */
function check(place: string, links: number): void {
  const parent = path.dirname(place);
  if (parent !== place) check(parent, links);
  const found = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!found) return;
  const { uid, mode } = found;
  if (userId !== undefined && uid !== userId && uid !== 0)
    throw new UnsuitableFile(`${place} belongs to another user`);
  if (found.isSymbolicLink()) {
    // Such as /home on some systems.
    if (links === 0 || path.dirname(parent) !== parent) throw new UnsuitableFile(`${place} is a link`);
    check(path.resolve(parent, fs.readlinkSync(place)), links - 1);
    return;
  }
  if (!found.isDirectory()) throw new UnsuitableFile(`${place} is not a folder`);
  // Other people write the files of a checkout.
  if (fs.existsSync(`${place}/.git`)) throw new UnsuitableFile(`${place} is a checkout of a repository`);
  // Only the owner of a file can replace it in a sticky folder (/tmp).
  if (userId !== undefined && (mode & 0o022) !== 0 && (mode & 0o1000) === 0)
    throw new UnsuitableFile(`other users can write to ${place}`);
}
