import fs from 'node:fs';
import { Failure, usage } from '../errors.ts';
import { errnoText } from '../support/errno.ts';
import type { Paths } from './paths.ts';

/** One server and how to speak to it. Keys that are not ours are kept. */
export interface Profile {
  readonly base_url?: string;
  readonly token?: string;
  /** A shell command that prints the token. */
  readonly token_command?: string;
  /** The environment variable that holds the token. */
  readonly token_env?: string;
  /** The origin that the token is for; without it, that of `base_url`. */
  readonly origin?: string;
  readonly auth?: string;
  readonly project?: string | number;
  readonly group?: string | number;
  /** Files: a relative path starts at the config folder. */
  readonly ca_file?: string;
  readonly client_cert?: string;
  readonly client_key?: string;
  readonly insecure?: boolean;
  /** Seconds. */
  readonly timeout?: string | number;
  readonly retries?: string | number;
  /** Seconds. */
  readonly max_wait?: string | number;
  readonly output?: string;
}

/** The content of the profile file. */
export interface ProfileData {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export interface Profiles extends ProfileData {
  /** The folder that relative paths in a profile start at; absent where there is no config folder. */
  readonly folder?: string;
  /** What is wrong with the file but does not stop the command. */
  readonly warnings: readonly string[];
}

type Kind = 'text' | 'text or number' | 'boolean';

/** Each key of a profile, in the order in which it is shown, and what it takes. */
export const profileKeys = {
  base_url: 'text',
  token: 'text',
  token_command: 'text',
  token_env: 'text',
  origin: 'text',
  auth: 'text',
  project: 'text or number',
  group: 'text or number',
  ca_file: 'text',
  client_cert: 'text',
  client_key: 'text',
  insecure: 'boolean',
  timeout: 'text or number',
  retries: 'text or number',
  max_wait: 'text or number',
  output: 'text',
} as const satisfies Record<keyof Profile, Kind>;

/** Far beyond any profile file: a larger file is something else. */
export const sizeLimit = 1 << 20;

/**
 * Read the profile file. It is never changed here, and its content never appears in a message.
 * @returns no profiles where there is no file or no config folder
 * @throws Failure `usage` where the file is not a profile file, `local` where it can't be read
 */
export function readProfiles(paths: Paths): Profiles {
  const folder = paths.config === undefined ? {} : { folder: paths.config };
  const file = paths.profiles;
  const found = file === undefined ? undefined : readProfileFile(file);
  if (!found) return { profiles: {}, warnings: [], ...folder };
  const { current, profiles } = found.data;
  const open = process.platform !== 'win32' && (found.mode & 0o077) !== 0;
  return {
    ...(current === undefined ? {} : { current }),
    profiles,
    warnings: open
      ? [`${file} is open to other users (mode ${found.mode.toString(8)}): chmod 600 ${JSON.stringify(file)}`]
      : [],
    ...folder,
  };
}

/**
 * The content of the profile file, keys that are not ours included, and its mode; undefined where there is none.
 * @throws Failure as `readProfiles`
 */
export function readProfileFile(file: string): { data: ProfileData; mode: number } | undefined {
  try {
    const stat = fs.statSync(file);
    if (!stat.isFile()) throw notProfiles(file, 'it is not a file');
    if (stat.size > sizeLimit) throw notProfiles(file, 'it is larger than 1 MiB');
    return { data: parseProfiles(fs.readFileSync(file, 'utf8'), file), mode: stat.mode & 0o777 };
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // ENOTDIR: a config home of /dev/null, a known way to have none.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Failure('internal', `can't read ${file}: ${errnoText(error)}`);
  }
}

/**
 * The content of a profile file, checked.
 * @throws Failure `usage` that names the file and the place, never the content
 */
function parseProfiles(text: string, file: string): ProfileData {
  const json = text.replace(/^\uFEFF/, '');
  if (json.trim() === '') throw notProfiles(file, 'it is empty');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    // The engine's message quotes the text, which may hold a token.
    throw notProfiles(file, `it is not valid JSON${placeIn(json, String(error))}`);
  }
  const problem = problemWith(value);
  if (problem) throw notProfiles(file, problem);
  return value as ProfileData;
}

/** What keeps a value from being the content of a profile file; undefined where nothing does. */
export function problemWith(value: unknown): string | undefined {
  if (!isObject(value)) return 'it is not a JSON object';
  if (!isObject(value.profiles)) return '"profiles" is not an object';
  if (value.current !== undefined && typeof value.current !== 'string') return '"current" is not a text';
  for (const [name, profile] of Object.entries(value.profiles)) {
    if (!isProfileName(name)) return `${JSON.stringify(name.slice(0, 70))} can't name a profile`;
    if (!isObject(profile)) return `profile "${name}" is not an object`;
    for (const [key, kind] of Object.entries(profileKeys)) {
      if (Object.hasOwn(profile, key) && !fits(profile[key], kind)) {
        return `"${key}" of profile "${name}" is not ${kind === 'boolean' ? 'true or false' : `a ${kind}`}`;
      }
    }
  }
  return undefined;
}

function fits(value: unknown, kind: Kind): boolean {
  if (kind === 'boolean') return typeof value === 'boolean';
  return typeof value === 'string' || (kind === 'text or number' && typeof value === 'number');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Letters, digits, `-`, `_` and `.`, at most 64 of them. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name) && name !== '__proto__';
}

/** @throws Failure `usage` where this can't name a profile */
export function checkProfileName(name: string, from = 'the profile name'): void {
  if (!isProfileName(name)) {
    throw usage(
      `${from} ${JSON.stringify(name)} is not a profile name`,
      'use letters, digits, "-", "_" and ".", at most 64 of them',
    );
  }
}

/**
 * The profile of this name.
 * @param from what named it, where that may be in doubt: `--profile`
 * @throws Failure `usage` with the nearest names where there is none
 */
export function profileNamed(data: ProfileData, name: string, from?: string): Profile {
  const profile = Object.hasOwn(data.profiles, name) ? data.profiles[name] : undefined;
  if (profile) return profile;
  const names = Object.keys(data.profiles);
  const near = nearest(name, names);
  throw usage(
    `there is no profile ${JSON.stringify(name)}${from === undefined ? '' : ` (named by ${from})`}`,
    near.length > 0
      ? `did you mean ${near.map((n) => `"${n}"`).join(' or ')}?`
      : names.length > 0
        ? `there are: ${names.join(', ')}`
        : 'there are no profiles yet; svc auth login makes one',
  );
}

/** At most three names that a slip of the fingers could have meant, nearest first. */
function nearest(name: string, names: readonly string[]): string[] {
  const limit = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3));
  return names
    .map((other) => ({ other, far: distance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ other }) => other);
}

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

function placeIn(text: string, message: string): string {
  const at = /position (\d+)/.exec(message)?.[1];
  return at === undefined ? '' : ` (line ${text.slice(0, Number(at)).split('\n').length})`;
}

function notProfiles(file: string, problem: string): Failure {
  return usage(
    `${file} is not a profile file: ${problem}`,
    'mend it, or move it away; svc leaves it as it is',
  );
}
