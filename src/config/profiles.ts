import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { Failure, forPerson, usage } from '../errors.ts';
import { errnoText, errorCode } from '../support/errno.ts';
import { jsonIn } from '../support/json.ts';
import { quotedWord } from '../support/mask.ts';
import { isRecord } from '../support/record.ts';
import { shellQuote } from '../support/shell.ts';
import { suggest } from '../support/suggest.ts';
import { platform as current } from '../support/system/platform.ts';
import { jsonErrorAt } from '../support/text/json-error.ts';
import type { Paths } from './paths.ts';
import { type Profile, profileKeys } from './setting-table.ts';

export interface ProfileData {
  readonly current?: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export interface Profiles extends ProfileData {
  /** The config folder, which relative paths in a profile start at. */
  readonly folder?: string | undefined;
  /** The open file that the profiles were read from. */
  readonly read?: Stats;
  readonly warnings: readonly string[];
}

/**
 * Read the profile file. Messages never contain its content.
 * @returns no profiles if there is no file or no config folder
 * @throws Failure `usage` if the file is not a profile file, `internal` if it cannot be read
 */
export function readProfiles({ config: folder, profiles: file = '' }: Paths): Profiles {
  const found = file === '' ? undefined : readProfileFile(file);
  if (!found) return { profiles: {}, warnings: [], folder };
  const { current, profiles } = found.data;
  const problem = accessProblem(file, found.stat);
  const warnings = [...(problem ? [problem.join('; run: ')] : []), ...unknownKeys(profiles)];
  return { current, profiles, read: found.stat, warnings, folder };
}

/** A misspelled setting has no effect, which matters for `read_only`. */
export function unknownKeys(profiles: ProfileData['profiles']): string[] {
  const known = Object.keys(profileKeys);
  return Object.entries(profiles).flatMap(([name, profile]) =>
    Object.keys(profile)
      .filter((key) => !known.includes(key))
      .map((key) =>
        [`profile "${name}" has an unknown setting ${quotedWord(key)}`, ...suggest(key, known)].join('. '),
      ),
  );
}

export function isOpenToOthers(mode: number, platform: NodeJS.Platform = current): boolean {
  return platform !== 'win32' && (mode & 0o077) !== 0;
}

/** Return the problem of a file with secrets that other users can access, and the command that solves it. */
export function accessProblem(file: string, { mode }: Stats): [problem: string, remedy: string] | undefined {
  if (!isOpenToOthers(mode)) return undefined;
  const problem = `other users can access ${file} (mode ${(mode & 0o777).toString(8)})`;
  return [problem, `chmod 600 ${shellQuote(file)}`];
}

/**
 * Read the profile file with its unknown keys.
 * @returns undefined if there is no file
 * @throws Failure as `readProfiles`
 */
export function readProfileFile(file: string): { data: ProfileData; stat: Stats } | undefined {
  let handle: number | undefined;
  try {
    // A pipe would wait for its writer.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(handle);
    if (!stat.isFile()) throw invalidFile(file, 'it is not a file');
    return { data: parseProfiles(readFileSync(handle, 'utf8'), file), stat };
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = errorCode(error);
    // /dev/null as the config home, which disables configuration, leads to ENOTDIR.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Failure('internal', `cannot read ${file}: ${errnoText(error)}`, {
      hint: forPerson('check HOME, XDG_CONFIG_HOME and SVC_CONFIG_DIR, and the permissions of the file'),
    });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Parse and check a profile file. @throws Failure `usage` that names the file and the line, never the content */
function parseProfiles(text: string, file: string): ProfileData {
  const json = text.replace(/^\uFEFF/, '');
  if (json.trim() === '') throw invalidFile(file, 'it is empty');
  const value = jsonIn(json);
  if (value === undefined) throw invalidFile(file, `invalid JSON at line ${jsonErrorAt(json)?.line ?? 1}`);
  const problem = problemIn(value);
  if (problem !== undefined) throw invalidFile(file, problem);
  return value as ProfileData;
}

function problemIn(value: unknown): string | undefined {
  if (!isRecord(value)) return 'it is not a JSON object';
  if (!isRecord(value.profiles)) return '"profiles" is not an object';
  if (value.current !== undefined && typeof value.current !== 'string') return '"current" is not a string';
  for (const [name, profile] of Object.entries(value.profiles)) {
    if (!isProfileName(name)) return `${JSON.stringify(name.slice(0, 70))} is not a valid profile name`;
    if (!isRecord(profile)) return `profile "${name}" is not an object`;
    for (const [key, kind] of Object.entries(profileKeys)) {
      const isNumeric = kind === 'number' || kind === 'scope';
      const types = kind === 'switch' ? ['boolean'] : isNumeric ? ['string', 'number'] : ['string'];
      if (Object.hasOwn(profile, key) && !types.includes(typeof profile[key]))
        return `"${key}" of profile "${name}" is not a ${types.join(' or ')}`;
    }
  }
  return undefined;
}

/** Whether a name consists of 1 to 64 letters, digits, `-`, `_` and `.`. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name) && name !== '__proto__';
}

/** @throws Failure `usage` if this is not a valid profile name */
export function checkProfileName(name: string): void {
  if (isProfileName(name)) return;
  throw usage(`invalid profile name ${quotedWord(name)}`, 'use 1 to 64 letters, digits, "-", "_" and "."');
}

/**
 * Return the profile of this name.
 * @param from the flag or variable that contains the name, for the message
 * @throws Failure `usage` with similar names if there is no such profile
 */
export function findProfile(data: ProfileData, name: string, from?: string): Profile {
  const profile = Object.hasOwn(data.profiles, name) ? data.profiles[name] : undefined;
  if (profile) return profile;
  const names = Object.keys(data.profiles);
  const similar = suggest(name, names);
  const others = names.length > 0 ? `profiles: ${names.join(', ')}` : 'create a profile with: svc login';
  throw usage(
    `profile ${quotedWord(name)} does not exist${from === undefined ? '' : ` (from ${from})`}`,
    similar.length > 0 ? similar : forPerson(others),
  );
}

export function chooseProfile(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`no profile is current; choose one of ${names.join(', ')}: svc profiles use <name>`];
}

export function noCurrentProfile(names: readonly string[]): Failure {
  const choose = `use --profile <name>, or choose one of ${names.join(', ')}: svc profiles use <name>`;
  return usage('no profile is current', forPerson(names.length > 0 ? choose : 'create a profile: svc login'));
}

const invalidFile = (file: string, problem: string): Failure =>
  usage(`cannot read profile file ${JSON.stringify(file)}: ${problem}`, 'fix the file or move it away');
