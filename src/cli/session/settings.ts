import type { Settings as Resolved } from '../../config/model.ts';
import { pathsOf } from '../../config/paths.ts';
import { type Profiles, readProfiles } from '../../config/profiles.ts';
import { type Overrides, resolveSettings } from '../../config/settings.ts';
import { usage } from '../../errors.ts';
import { type Format, formats } from '../../output/formats.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';

export type Settings = Resolved<Format> & {
  readonly warnings: readonly string[];
  /** The names of all profiles, if none of them is in use. */
  readonly unused: readonly string[];
};

/** Return the format from `-o`, `--json`, `--csv` or `--raw`. @throws Failure `usage` if two of them differ */
function outputFlag(options: Options): string | undefined {
  const output = options.output;
  const given = [
    ...(output === undefined ? [] : [{ flag: `--output ${output}`, format: output }]),
    ...(['json', 'csv', 'raw'] as const).flatMap((name) =>
      options[name] === true ? [{ flag: `--${name}`, format: name }] : [],
    ),
  ];
  const [first] = given;
  const other = given.find(({ format }) => format !== first?.format);
  if (first && other) throw usage(`${first.flag} and ${other.flag} cannot be used together`);
  return first?.format;
}

/** The sandbox takes only `read_only` from a profile, so a broken file does not stop it. */
function profilesIfValid({ env }: Context): Profiles {
  try {
    return { ...readProfiles(pathsOf(env)), warnings: [] };
  } catch {
    return { profiles: {}, warnings: [] };
  }
}

/** For a command that keeps running, the profile that was in use at its start stays the current one. */
function readCurrent({ env }: Context, startedWith: Settings | undefined): Profiles {
  const read = readProfiles(pathsOf(env));
  if (!startedWith) return read;
  const { current: _, ...others } = read;
  return { ...others, ...(startedWith.profile ? { current: startedWith.profile.value } : {}) };
}

/**
 * Resolve the settings of a command line.
 * @throws Failure `usage` for an invalid value or profile file
 */
export function loadSettings(
  options: Options,
  context: Context,
  overrides?: Overrides,
  more: { newProfile?: boolean; startedWith?: Settings } = {},
): Settings {
  const profiles = overrides ? profilesIfValid(context) : readCurrent(context, more.startedWith);
  const resolved = resolveSettings<Format>({
    flags: {
      profile: options.profile,
      'base-url': options.baseUrl,
      'token-file': options.tokenFile,
      auth: options.auth,
      'ca-file': options.caFile,
      insecure: options.insecure === true ? true : undefined,
      'read-only': options.readOnly,
      timeout: options.timeout,
      retries: options.retries,
      'max-wait': options.maxWait,
      output: outputFlag(options),
    },
    env: context.env,
    profiles,
    formats,
    overrides,
    ...more,
  });
  const unused = resolved.profile ? [] : Object.keys(profiles.profiles);
  return { ...resolved, warnings: profiles.warnings, unused };
}
