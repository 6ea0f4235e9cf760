import fs from 'node:fs';
import path from 'node:path';
import { Failure, forPerson, usage } from '../errors.ts';
import { renameFileSync } from '../support/atomic-write.ts';
import { attempt, errnoText, errorCode } from '../support/errno.ts';
import { makeFolder } from '../support/own-files.ts';
import { withScheme } from '../support/url.ts';
import { acquireLock, LockTimeout } from '../support/waiting/lock.ts';
import { originOf } from './credentials.ts';
import type { Paths } from './paths.ts';
import {
  checkProfileName,
  findProfile,
  isOpenToOthers,
  type ProfileData,
  readProfileFile,
} from './profiles.ts';
import { type Profile, settingTable } from './setting-table.ts';

const serialize = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Keys to set in a profile; undefined removes a key. */
type ProfileChange = { readonly [K in keyof Profile]?: Profile[K] | undefined };

/**
 * Change the profile file under a lock. The file has mode 0600, in a folder with mode 0700. A symbolic link stays; its target is replaced.
 * The new file is renamed into place, so that a killed process leaves the old one: `conf` alone writes in place in a Snap terminal.
 * @param change returns the new content; must keep unknown keys
 * @returns the new content
 * @throws Failure `usage` if there is no config folder or the file is not a profile file, `internal` if it cannot be written
 */
export async function updateProfiles(
  paths: Paths,
  change: (data: ProfileData) => ProfileData,
): Promise<ProfileData> {
  const { config, profiles } = paths;
  if (config === undefined || profiles === undefined) {
    throw usage('no folder for profiles', paths.remedy);
  }
  const { default: Conf } = await import('conf');
  try {
    makeFolder(config);
    // If the folder belongs to another user, the mode of the file protects it.
    if (paths.own && isOpenToOthers(fs.statSync(config).mode)) attempt(() => fs.chmodSync(config, 0o700));
    const file = targetOf(profiles);
    const lock = await acquireLock(`${file}.lock`);
    try {
      const data = change(readProfileFile(file)?.data ?? { profiles: {} });
      // A killed process leaves its draft, which contains tokens.
      const draft = path.join(path.dirname(file), `.${path.basename(file)}.svc-draft`);
      fs.rmSync(draft, { recursive: true, force: true });
      try {
        const store = new Conf({
          cwd: draft,
          configFileMode: 0o600,
          accessPropertiesByDotNotation: false,
          clearInvalidConfig: false,
          serialize,
        });
        store.store = { ...data };
        // A process that was suspended loses its lock, and another process may have changed the file.
        if (!lock.isHeld())
          throw new Failure('internal', `another svc process changed ${file}`, { hint: 'try again' });
        // Only root can give a file to another user.
        const old = fs.statSync(file, { throwIfNoEntry: false });
        const { uid, gid } = old ?? fs.statSync(path.dirname(file));
        const give = () => fs.lchownSync(store.path, uid, gid);
        if (process.geteuid?.() === 0 && uid !== 0) old ? give() : attempt(give);
        renameFileSync(store.path, file);
      } finally {
        fs.rmSync(draft, { recursive: true, force: true });
      }
      return data;
    } finally {
      lock.release();
    }
  } catch (error) {
    if (error instanceof LockTimeout)
      throw new Failure('internal', `another svc process (${error.owner}) holds the lock ${error.path}`, {
        hint: forPerson('try again; if no other svc is running, delete that file'),
      });
    if (error instanceof Failure || errorCode(error) === undefined) throw error;
    throw new Failure('internal', `cannot write ${profiles}: ${errnoText(error)}`, {
      hint: forPerson('check HOME, XDG_CONFIG_HOME and SVC_CONFIG_DIR, and the permissions of the folder'),
    });
  }
}

/**
 * Create or change a profile. Its token stays bound to its original origin if `base_url` changes later. Setting one of `token`,
 * `token_command` and `token_env` removes the others. The first profile becomes the current one.
 * @param use make it the current profile
 * @throws Failure `usage` for an invalid name, an invalid base URL or a token without a base URL; and as `updateProfiles`
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

export const tokenKeys = settingTable.accessToken.keys;

function changed(old: Profile, change: ProfileChange): Profile {
  const hasToken = (profile: ProfileChange) => tokenKeys.some((key) => profile[key] !== undefined);
  const isGiven = hasToken(change);
  // The facts about a token do not apply to the next one.
  const replaced = tokenKeys.some((key) => Object.hasOwn(change, key)) ? settingTable.owner.keys : [];
  const removed = [...(isGiven ? tokenKeys : []), ...replaced].map((key) => [key, undefined]);
  const given = change.base_url;
  const url = given === undefined ? {} : { base_url: withScheme(given) };
  const next = compact({ ...old, ...Object.fromEntries(removed), ...change, ...url });
  if (!hasToken(next)) return compact({ ...next, origin: undefined });
  const origin =
    change.origin ??
    (isGiven ? originOf(next.base_url) : (old.origin ?? originOf(old.base_url ?? next.base_url)));
  if (origin === undefined)
    throw usage('a token requires a base URL', 'a token is sent to one server only: set base_url too');
  return { ...next, origin };
}

function compact(profile: ProfileChange): Profile {
  return Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined));
}

/**
 * Remove a profile. If it is the current one, no profile is current afterwards.
 * @throws Failure as `findProfile` and `updateProfiles`
 */
export function removeProfile(paths: Paths, name: string): Promise<ProfileData> {
  return updateProfiles(paths, (data) => {
    findProfile(data, name);
    const { current, ...rest } = data;
    const { [name]: _, ...profiles } = data.profiles;
    return { ...rest, ...(current === undefined || current === name ? {} : { current }), profiles };
  });
}

/** Make a profile the current one. @throws Failure as `findProfile` and `updateProfiles` */
export function useProfile(paths: Paths, name: string): Promise<ProfileData> {
  return updateProfiles(paths, (data) => {
    findProfile(data, name);
    return { ...data, current: name };
  });
}

/** Resolve symbolic links, also to a file that does not exist yet. */
function targetOf(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  const link = attempt(() => fs.readlinkSync(file));
  return link === undefined ? file : targetOf(path.resolve(path.dirname(file), link));
}
