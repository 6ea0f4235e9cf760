import path from 'node:path';
import { usage } from '../errors.ts';
import { platform as current } from '../support/system/platform.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** The folders of `svc`. A folder is absent if this user has no place for it. */
export interface Paths {
  readonly config?: string;
  readonly state?: string;
  readonly cache?: string;
  /** The profile file. */
  readonly profiles?: string;
  /** Whether only `svc` uses the config folder, so that it may set the mode of the folder. */
  readonly own: boolean;
  /** A hint for a user without a config folder. */
  readonly remedy: string;
}

/** The base folders in which programs look for files of this user. */
export interface Bases {
  readonly home: string;
  readonly data: string;
  readonly config: string;
}

/** Return the value of a variable. An empty variable counts as unset. */
export function variable(env: Env, name: string): string | undefined {
  return env[name] || undefined;
}

/**
 * Return the folders of this user: by the XDG Base Directory rules (relative paths are ignored), in `~/Library` on macOS, and in
 * `%APPDATA%` and `%LOCALAPPDATA%` on Windows. `SVC_CONFIG_DIR` overrides the config folder.
 * @param home called if the environment names no home; may throw
 * @throws Failure `usage` if `SVC_CONFIG_DIR` is a relative path: the current folder never configures `svc`
 */
export function pathsOf(env: Env, platform: NodeJS.Platform = current, home: () => string = homedir): Paths {
  const windows = platform === 'win32';
  const { join, isAbsolute, given, user } = reader(env, platform, home);
  const under = (base: string | undefined, ...parts: string[]) => (base ? join(base, ...parts) : undefined);

  const chosen = variable(env, 'SVC_CONFIG_DIR');
  if (chosen && !isAbsolute(chosen)) {
    throw usage(`SVC_CONFIG_DIR must be an absolute path: ${JSON.stringify(chosen)}`);
  }
  const [config, state, cache] = windows
    ? [
        under(given('APPDATA') ?? under(user, 'AppData', 'Roaming'), 'svc'),
        under(given('LOCALAPPDATA') ?? under(user, 'AppData', 'Local'), 'svc', 'state'),
        under(given('LOCALAPPDATA') ?? under(user, 'AppData', 'Local'), 'svc', 'cache'),
      ]
    : platform === 'darwin'
      ? [
          under(user, 'Library', 'Application Support', 'svc'),
          under(user, 'Library', 'Application Support', 'svc', 'state'),
          under(user, 'Library', 'Caches', 'svc'),
        ]
      : [
          under(given('XDG_CONFIG_HOME') ?? under(user, '.config'), 'svc'),
          under(given('XDG_STATE_HOME') ?? under(user, '.local', 'state'), 'svc'),
          under(given('XDG_CACHE_HOME') ?? under(user, '.cache'), 'svc'),
        ];
  const folder = chosen ?? config;
  return {
    ...(folder ? { config: folder, profiles: join(folder, 'profiles.json') } : {}),
    ...(state ? { state } : {}),
    ...(cache ? { cache } : {}),
    own: !chosen,
    remedy: `set ${windows ? 'APPDATA' : 'HOME'} or SVC_CONFIG_DIR to an absolute path`,
  };
}

/** Return the XDG base folders, also on macOS, where shells use them. Undefined without a home. */
export function basesOf(
  env: Env,
  platform: NodeJS.Platform = current,
  home: () => string = homedir,
): Bases | undefined {
  const { join, given, user } = reader(env, platform, home);
  if (user === undefined) return undefined;
  return {
    home: user,
    data: given('XDG_DATA_HOME') ?? join(user, '.local', 'share'),
    config: given('XDG_CONFIG_HOME') ?? join(user, '.config'),
  };
}

/** Read absolute paths from the environment, by the rules of an operating system. */
function reader(env: Env, platform: NodeJS.Platform, home: () => string) {
  const { join, isAbsolute } = platform === 'win32' ? path.win32 : path.posix;
  const absolute = (value: string | undefined) => (value && isAbsolute(value) ? value : undefined);
  const given = (name: string) => absolute(env[name]);
  const user = given(platform === 'win32' ? 'USERPROFILE' : 'HOME') ?? absolute(orUndefined(home));
  return { join, isAbsolute, given, user };
}

/** Loads its module only if the environment names no home. */
function homedir(): string {
  return process.getBuiltinModule('node:os').homedir();
}

function orUndefined(home: () => string): string | undefined {
  try {
    return home();
  } catch {
    return undefined;
  }
}
