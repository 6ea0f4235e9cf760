import type { Settings as Resolved } from '../../config/model.ts';
import { pathsOf } from '../../config/paths.ts';
import { readProfiles } from '../../config/profiles.ts';
import { type Overrides, resolveSettings } from '../../config/settings.ts';
import { usage } from '../../errors.ts';
import { type Format, formats } from '../../output/formats.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';

export type Settings = Resolved<Format> & { readonly warnings: readonly string[] };

const text = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** `-o`, or its short forms; two that differ are a mistake. */
function outputFlag(options: Options): string | undefined {
  const output = text(options.output);
  const given = [
    ...(output === undefined ? [] : [{ flag: `--output ${output}`, format: output }]),
    ...(['json', 'csv'] as const).flatMap((name) =>
      options[name] === true ? [{ flag: `--${name}`, format: name }] : [],
    ),
  ];
  const [first] = given;
  const other = given.find(({ format }) => format !== first?.format);
  if (first && other) throw usage(`${first.flag} and ${other.flag} exclude each other`);
  return first?.format;
}

/**
 * The settings in force for a command line.
 * @throws Failure `usage` for a value that is wrong, or a profile file that can't be read as one
 */
export function loadSettings(
  options: Options,
  context: Context,
  overrides?: Overrides,
  more: { newProfile?: boolean } = {},
): Settings {
  // A server put in place of all others needs no profile: a broken file does not stop the sandbox.
  const profiles = overrides ? { profiles: {}, warnings: [] } : readProfiles(pathsOf(context.env));
  const resolved = resolveSettings<Format>({
    flags: {
      profile: text(options.profile),
      baseUrl: text(options.baseUrl),
      tokenFile: text(options.tokenFile),
      auth: text(options.auth),
      caFile: text(options.caFile),
      insecure: options.insecure === true ? true : undefined,
      timeout: text(options.timeout),
      retries: text(options.retries),
      maxWait: text(options.maxWait),
      output: outputFlag(options),
    },
    env: context.env,
    profiles,
    formats,
    overrides,
    ...more,
  });
  return { ...resolved, warnings: profiles.warnings };
}
