import fs from 'node:fs';
import path from 'node:path';
import { Failure, usage } from '../errors.ts';
import { errnoText, errorCode } from '../support/errno.ts';
import { LockTimeout, withLock } from '../support/lock.ts';
import { makeFolder } from '../support/own-files.ts';
import { withoutUser } from '../support/url.ts';
import { originOf } from './credentials.ts';
import type { Paths } from './paths.ts';
import type { Profile, ProfileData } from './profiles.ts';
import { checkProfileName, problemWith, profileNamed, readProfileFile, sizeLimit } from './profiles.ts';

const serialize = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Keys to set in a profile; a key that is there and undefined is removed. */
export type ProfileChange = { readonly [K in keyof Profile]?: Profile[K] | undefined };

/**
 * Change the profile file: read, change and write as one step, whoever else writes at the same time. Written beside the file
 * and renamed into place, so that a process that is killed leaves the old file whole. Mode 0600 in a 0700 folder; the
 * target of a symbolic link is written, the link stays.
 * @param change old content in, new content out; synchronous. Keys that it does not know must be kept.
 * @returns the new content
 * @throws Failure `usage` where there is no config folder or the file is not a profile file, `local` where this machine refuses
 */
export async function updateProfiles(
  paths: Paths,
  change: (data: ProfileData) => ProfileData,
): Promise<ProfileData> {
  const { config, profiles } = paths;
  if (config === undefined || profiles === undefined) {
    throw usage('there is no folder to keep profiles in', paths.remedy);
  }
  const { default: Conf } = await import('conf');
  try {
    makeFolder(config);
    if (paths.own) close(config);
    const file = targetOf(profiles);
    return await withLock(file, (held) => {
      const data = change(readProfileFile(file)?.data ?? { profiles: {} });
      const problem = problemWith(data);
      if (problem) throw usage(`these profiles can't be kept: ${problem}`);
      if (Buffer.byteLength(serialize(data)) > sizeLimit)
        throw usage(
          'the profile file would be larger than 1 MiB',
          'remove profiles or shorten their settings',
        );
      sweep(file);
      const store = new Conf({
        cwd: path.dirname(file),
        configName: `${path.basename(file)}.new-${process.pid}`,
        fileExtension: '',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        clearInvalidConfig: false,
        serialize,
      });
      try {
        store.store = { ...data };
        // A process that was stopped for long has lost its lock: what it read may be old.
        if (!held())
          throw new Failure('internal', `${file} was changed by another svc`, { hint: 'try again' });
        replace(file, store.path);
      } finally {
        fs.rmSync(store.path, { force: true });
      }
      return data;
    });
  } catch (error) {
    if (error instanceof LockTimeout)
      throw new Failure('internal', `another svc holds ${error.path} (process ${error.owner})`, {
        hint: 'try again; if no other svc is running, delete that file',
      });
    if (error instanceof Failure || errorCode(error) === undefined) throw error;
    throw new Failure('internal', `cannot write ${profiles}: ${errnoText(error)}`);
  }
}

/**
 * Make a profile, or change one. Its token stays bound to the origin that it was given for, also when `base_url` changes
 * later. Of `token`, `token_command` and `token_env` the one that is set takes the place of the others. The first profile
 * becomes the current one.
 * @param use whether it becomes the current one
 * @throws Failure `usage` for a name that can't be one, a base URL that is none, a token without a base URL; and as `updateProfiles`
 */
export async function saveProfile(
  paths: Paths,
  name: string,
  change: ProfileChange,
  { use = false }: { readonly use?: boolean } = {},
): Promise<ProfileData> {
  checkProfileName(name);
  return updateProfiles(paths, (data) => {
    const old = Object.hasOwn(data.profiles, name) ? data.profiles[name] : undefined;
    const current = use || data.current === undefined ? name : data.current;
    return { ...data, current, profiles: { ...data.profiles, [name]: changed(old ?? {}, change) } };
  });
}

const tokenKeys = ['token', 'token_command', 'token_env'] as const;

function changed(old: Profile, change: ProfileChange): Profile {
  const given = tokenKeys.some((key) => change[key] !== undefined);
  const others = given ? Object.fromEntries(tokenKeys.map((key) => [key, undefined])) : {};
  const next = without({ ...old, ...others, ...change });
  if (next.base_url !== undefined && originOf(next.base_url) === undefined) {
    throw usage(
      `the base URL is not an http or https URL: ${JSON.stringify(withoutUser(next.base_url))}`,
      'for example https://host.example',
    );
  }
  if (change.base_url !== undefined && withoutUser(change.base_url) !== change.base_url) {
    throw usage(
      'the base URL must not hold a user name or password',
      'use svc auth login, or token_command, or token_env',
    );
  }
  if (!tokenKeys.some((key) => next[key] !== undefined)) return without({ ...next, origin: undefined });
  const origin =
    change.origin ??
    (given ? originOf(next.base_url) : (old.origin ?? originOf(old.base_url ?? next.base_url)));
  if (origin === undefined) throw usage('a token is kept for one server only: give its base URL too');
  return { ...next, origin };
}

/** A copy without the keys that are undefined. */
function without(profile: ProfileChange): Profile {
  return Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined));
}

/**
 * Remove a profile; where it was the current one, there is none afterwards.
 * @throws Failure `usage` with the nearest names where there is no such profile; and as `updateProfiles`
 */
export function removeProfile(paths: Paths, name: string): Promise<ProfileData> {
  return updateProfiles(paths, (data) => {
    profileNamed(data, name);
    const { current, ...rest } = data;
    const { [name]: _, ...profiles } = data.profiles;
    return { ...rest, ...(current === undefined || current === name ? {} : { current }), profiles };
  });
}

/**
 * Make a profile the current one.
 * @throws Failure `usage` with the nearest names where there is no such profile; and as `updateProfiles`
 */
export function useProfile(paths: Paths, name: string): Promise<ProfileData> {
  return updateProfiles(paths, (data) => {
    profileNamed(data, name);
    return { ...data, current: name };
  });
}

/** Keep others out of a folder that only `svc` uses. */
function close(folder: string): void {
  if (process.platform === 'win32' || (fs.statSync(folder).mode & 0o077) === 0) return;
  try {
    fs.chmodSync(folder, 0o700);
  } catch {
    // Another user's folder: the file's own mode protects it.
  }
}

/** The file that a path leads to through symbolic links, also where it is yet to be made. */
function targetOf(file: string, links = 40): string {
  try {
    return fs.realpathSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || links === 0) throw error;
  }
  const isLink = fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink ? targetOf(path.resolve(path.dirname(file), fs.readlinkSync(file)), links - 1) : file;
}

/** Put a new file in the place of an old one, whose owner it takes. conf by itself writes in place in a Snap terminal. */
function replace(file: string, next: string): void {
  const old = fs.statSync(file, { throwIfNoEntry: false });
  const made = fs.statSync(next);
  if (old && (old.uid !== made.uid || old.gid !== made.gid)) {
    try {
      fs.chownSync(next, old.uid, old.gid);
    } catch {
      // Only root may give a file away.
    }
  }
  fs.renameSync(next, file);
}

/** Remove what killed processes left beside the file: it holds tokens. Only under the lock. */
function sweep(file: string): void {
  const start = `${path.basename(file)}.new`;
  for (const name of fs.readdirSync(path.dirname(file))) {
    if (name.startsWith(start)) fs.rmSync(path.join(path.dirname(file), name), { force: true });
  }
}
