import os from 'node:os';
import path from 'node:path';
import { usage } from '../errors.ts';

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
export function pathsOf(
  env: Env,
  platform: NodeJS.Platform = process.platform,
  home: () => string = os.homedir,
): Paths {
  const windows = platform === 'win32';
  const { join, isAbsolute } = windows ? path.win32 : path.posix;
  const absolute = (value: string | undefined) => (value && isAbsolute(value) ? value : undefined);
  const given = (name: string) => absolute(env[name]);
  const under = (base: string | undefined, ...parts: string[]) => (base ? join(base, ...parts) : undefined);
  const user = given(windows ? 'USERPROFILE' : 'HOME') ?? absolute(orUndefined(home));

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

function orUndefined(home: () => string): string | undefined {
  try {
    return home();
  } catch {
    return undefined;
  }
}
