import { type Env, pathsOf, variable } from '../../config/paths.ts';
import { type Profiles, readProfiles } from '../../config/profiles.ts';
import type { Settings as Resolved } from '../../config/setting-table.ts';
import { type Overrides, resolveSettings } from '../../config/settings.ts';
import { usage } from '../../errors.ts';
import { attempt } from '../../support/errno.ts';
import type { Format } from '../../support/text/formats.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';

export type Settings = Resolved & {
  readonly warnings: readonly string[];
  /** The names of all profiles, if none of them is in use. */
  readonly unused: readonly string[];
};

/** Return the format from `-o`, `--json`, `--csv` or `--raw`. @throws Failure `usage` if two of them differ */
function outputFlag(options: Options): string | undefined {
  const { output } = options;
  const short = (['json', 'csv', 'raw'] as const).filter((name) => options[name] === true);
  const given = [
    ...(output === undefined ? [] : [{ flag: `--output ${output}`, format: output }]),
    ...short.map((name) => ({ flag: `--${name}`, format: name })),
  ];
  const [first] = given;
  const other = given.find(({ format }) => format !== first?.format);
  if (first && other) throw usage(`${first.flag} and ${other.flag} cannot be used together`);
  return first?.format;
}

/** The profile that a flag or the environment names. */
export const namedProfile = ({ profile }: Pick<Options, 'profile'>, env: Env): string | undefined =>
  profile ?? variable(env, 'SVC_PROFILE');

export interface SettingsOptions {
  /** The default output format. */
  readonly format?: Format | undefined;
  /** Accept the name of a profile that does not exist yet. */
  readonly newProfile?: boolean;
  readonly sandbox?: Overrides;
  /** The settings at the start of a command that keeps running: the profile in use stays the current one. */
  readonly startedWith?: Settings;
}

function profilesFor({ env }: Context, { sandbox, startedWith }: SettingsOptions): Profiles {
  const read = () => readProfiles(pathsOf(env));
  // The sandbox takes only `read_only` from a profile, so a broken file does not stop it.
  if (sandbox) return { profiles: {}, ...attempt(read), warnings: [] };
  return startedWith ? { ...read(), current: startedWith.profile?.value } : read();
}

/** Resolve the settings of a command line. @throws Failure `usage` for an invalid value or profile file */
export function loadSettings(options: Options, context: Context, more: SettingsOptions = {}): Settings {
  const profiles = profilesFor(context, more);
  const flags = { ...options, output: outputFlag(options) };
  const { sandbox: overrides, newProfile, format } = more;
  const resolved = resolveSettings({ flags, env: context.env, profiles, overrides, newProfile });
  const { output } = resolved;
  const value = (output.source === 'default' && format) || output.value;
  const unused = resolved.profile ? [] : Object.keys(profiles.profiles);
  return { ...resolved, output: { ...output, value }, warnings: profiles.warnings, unused };
}
