import os from 'node:os';
import path from 'node:path';
import { usage } from '../errors.ts';

/** The environment, by value: `process.env` as main.ts took it. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Where `svc` keeps things; a folder is absent where this user has no place for it. */
export interface Paths {
  readonly config?: string;
  readonly state?: string;
  readonly cache?: string;
  /** The profile file. */
  readonly profiles?: string;
  /** Whether the config folder is one that only `svc` uses, whose mode it may set. */
  readonly own: boolean;
  /** What to set where there is no config folder. */
  readonly remedy: string;
}

/** A variable's value; an empty one counts as unset. */
export function variable(env: Env, name: string): string | undefined {
  return env[name] || undefined;
}

/**
 * The folders of this user: the XDG Base Directory rules (a relative path is ignored), `~/Library` on macOS, `%APPDATA%`
 * and `%LOCALAPPDATA%` on Windows. `SVC_CONFIG_DIR` stands before them for the config folder.
 * @param env the environment
 * @param platform as `process.platform`
 * @param home asked where the environment names no home; may throw
 * @throws Failure `usage` where `SVC_CONFIG_DIR` is a relative path: nothing in the current folder is configuration
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
  const user = given(windows ? 'USERPROFILE' : 'HOME') ?? absolute(tried(home));

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

function tried(home: () => string): string | undefined {
  try {
    return home();
  } catch {
    return undefined;
  }
}
