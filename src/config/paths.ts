/** The folders of this user. */
import { homedir } from 'node:os';
import { dirname, join, posix, win32 } from 'node:path';
import { unusable, usage } from '../errors.ts';
import { attempt } from '../support/errno.ts';
import { checkOwnFolder, makeFolder } from '../support/own-files.ts';
import { platform as current } from '../support/system/platform.ts';

export type Env = Readonly<Record<string, string | undefined>>;

type UserFolders = ReturnType<typeof pathsOf>;
export type Paths = Partial<UserFolders> & Pick<UserFolders, 'own' | 'remedy'>;

/** Return the value of a variable. An empty variable counts as unset. */
export function variable(env: Env, name: string): string | undefined {
  return (Object.hasOwn(env, name) && env[name]) || undefined;
}

/**
 * Return the folders of `svc`, undefined without a place for them: by the XDG Base Directory rules (relative paths are ignored), in `~/Library` on macOS, and in
 * `%APPDATA%` and `%LOCALAPPDATA%` on Windows. `SVC_CONFIG_DIR` overrides the config folder.
 * @param home called if the environment names no home; throws for a user without one
 * @throws Failure `usage` if `SVC_CONFIG_DIR` is a relative path: the current folder never configures `svc`
 */
export function pathsOf(env: Env, platform: NodeJS.Platform = current, home: () => string = homedir) {
  const windows = platform === 'win32';
  const { join, isAbsolute } = windows ? win32 : posix;
  const absolute = (value: string | undefined) => (value && isAbsolute(value) ? value : undefined);
  const given = (name: string) => absolute(env[name]);
  const user = given(windows ? 'USERPROFILE' : 'HOME') ?? absolute(attempt(home));
  const chosen = variable(env, 'SVC_CONFIG_DIR');
  if (chosen && !isAbsolute(chosen))
    throw usage(`SVC_CONFIG_DIR must be an absolute path: ${JSON.stringify(chosen)}`);
  /** A folder below the one that a variable names, or else below the home. */
  const folder = (name: string | undefined, fallback: string, ...parts: string[]) => {
    const base = (name && given(name)) ?? (user && join(user, fallback));
    return base && join(base, 'svc', ...parts);
  };
  const library = 'Library/Application Support';
  const [standard, state, cache] = windows
    ? [
        folder('APPDATA', 'AppData/Roaming'),
        folder('LOCALAPPDATA', 'AppData/Local', 'state'),
        folder('LOCALAPPDATA', 'AppData/Local', 'cache'),
      ]
    : platform === 'darwin'
      ? [folder(undefined, library), folder(undefined, library, 'state'), folder(undefined, 'Library/Caches')]
      : [
          folder('XDG_CONFIG_HOME', '.config'),
          folder('XDG_STATE_HOME', '.local/state'),
          folder('XDG_CACHE_HOME', '.cache'),
        ];
  const config = chosen ?? standard;
  return {
    config,
    profiles: config && join(config, 'profiles.json'),
    state,
    cache,
    /** Whether only `svc` uses the config folder, so that it may set the mode of the folder. */
    own: !chosen,
    /** A hint for a user without a config folder. */
    remedy: `set ${windows ? 'APPDATA' : 'HOME'} or SVC_CONFIG_DIR to an absolute path`,
    /** A hint for a user without a state folder that can be created. */
    stateRemedy: `set ${windows ? 'LOCALAPPDATA' : platform === 'darwin' ? 'HOME' : 'XDG_STATE_HOME'} to the absolute path of a folder that you can write to`,
    /** The folders in which shells look for files of this user, also on macOS. */
    shells:
      user === undefined
        ? undefined
        : {
            home: user,
            data: given('XDG_DATA_HOME') ?? join(user, '.local', 'share'),
            config: given('XDG_CONFIG_HOME') ?? join(user, '.config'),
          },
  };
}

/**
 * Check that only this user can change a folder, which need not exist.
 * @param what with its path: `the sandbox folder /home/mia/x`
 * @param create create the folder
 * @throws Failure `internal` with the cause
 */
export function requireOwnFolder(folder: string, what: string, hint: string, create = false): void {
  try {
    checkOwnFolder(folder);
    if (create) makeFolder(folder);
  } catch (error) {
    throw unusable(what, error, hint);
  }
}

/**
 * Return the path of a file in the state folder of this user, and create its folder.
 * @throws Failure `usage` without a state folder, `internal` if it cannot be used
 */
export function stateFile(env: Env, name: string): string {
  const { state, stateRemedy } = pathsOf(env);
  if (state === undefined) throw usage('no folder for the state of this command', stateRemedy);
  const file = join(state, name);
  const folder = dirname(file);
  requireOwnFolder(folder, `the folder ${folder}`, stateRemedy, true);
  return file;
}
