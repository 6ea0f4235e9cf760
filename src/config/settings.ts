/** Find the value of each setting among its sources. */
import { resolve, sep } from 'node:path';
import { Failure, forPerson, usage } from '../errors.ts';
import { mask, quotedWord } from '../support/mask.ts';
import { numberText, parseNumber } from '../support/number.ts';
import { withoutUser, withScheme } from '../support/url.ts';
import { originOf, profileToken, tokenOf, tokenOfFile, tokenOfVariable } from './credentials.ts';
import { type Env, variable } from './paths.ts';
import { findProfile, type Profiles } from './profiles.ts';
import { scopePath } from './scope.ts';
import type { Profile, Setting, SettingEntry, Settings, Source, TokenSource } from './setting-table.ts';
import { settingTable } from './setting-table.ts';

/** The flags of the command line, by the names of their settings. The path of a token file is `tokenFile`. */
export type Flags = Readonly<Record<string, unknown>>;

/**
 * A server that replaces the configured one (`--sandbox`). Its URL and tokens take precedence over all others except `--token-file`.
 * The variables of a pipeline are ignored, and so is the profile, except its `read_only`, which no flag turns off.
 */
export interface Overrides {
  /** The flag that selected it: `--sandbox`. */
  readonly from: string;
  readonly baseUrl: string;
  readonly token?: string | undefined;
  readonly jobToken?: string | undefined;
}

interface SettingsInput {
  readonly flags: Flags;
  readonly env: Env;
  readonly profiles: Profiles;
  readonly overrides?: Overrides | undefined;
  /** For commands that create a profile: accept the name of a profile that does not exist. */
  readonly newProfile?: boolean | undefined;
}

type Name = keyof typeof settingTable;
type Raw = string | number | boolean;
const entries = Object.entries(settingTable) as [Name, SettingEntry][];

/** The server of a pipeline; empty without one. */
const pipelineServer = (env: Env): string =>
  settingTable.baseUrl.pipeline.map((name) => variable(env, name)).find(Boolean) ?? '';

/** Return the value of a setting from the source with the highest precedence. @param title names the profile in messages */
function find(name: Name, input: SettingsInput, profile: Profile = {}, title = ''): Setting<Raw> | undefined {
  const { flags, env, overrides } = input;
  const entry: SettingEntry = settingTable[name];
  // The sandbox replaces the server of the profile, but not its read-only mode.
  const stored = overrides && name !== 'readOnly' ? {} : profile;
  const variables = (source: Source, names: readonly string[] = []) =>
    names.map((from) => ({ value: variable(env, from), source, from }));
  // An empty flag counts as given, an empty variable or value of a profile does not.
  const all: Setting<Raw | undefined>[] = [
    { value: entry.flag ? (flags[name] as Raw) : undefined, source: 'flag', from: `--${entry.flag}` },
    ...variables('environment', entry.environment),
    ...(entry.keys ?? []).map((key) => {
      const value = stored[key as keyof Profile];
      return { value: value === '' ? undefined : value, source: 'profile' as const, from: title };
    }),
    ...(overrides ? [] : variables('pipeline', entry.pipeline)),
  ];
  const baseUrl = entry.kind === 'scope' ? find('baseUrl', input, profile)?.value : undefined;
  const servers = new Map<Source, string | undefined>([
    ['profile', stored.base_url],
    ['pipeline', pipelineServer(env)],
  ]);
  // An id means another project on another server. The project of a checkout is looked up.
  const isElsewhere = ({ source, value }: Setting<Raw | undefined>) => {
    const server = baseUrl !== undefined && value !== '.' && servers.get(source);
    return server && originOf(server) !== originOf(String(baseUrl));
  };
  const found = all.filter((one): one is Setting<Raw> => one.value !== undefined && !isElsewhere(one));
  // One source is enough to turn a switch on.
  return (entry.kind === 'switch' ? found.find(isOn) : undefined) ?? found[0];
}

/**
 * Resolve every setting: flag, environment, profile, variables of a pipeline, default. Reads no file and starts no process.
 * @throws Failure `usage` that names the flag, variable or profile with the invalid value
 */
export function resolveSettings(input: SettingsInput): Settings {
  const { flags, env, profiles, overrides, newProfile } = input;
  const from = 'SVC_ERRORS';
  const errorFormat = { value: variable(env, from) ?? 'text', source: 'environment', from } as const;
  checkChoice(errorFormat, ['json', 'text'], from);
  const current = { value: profiles.current ?? '', source: 'profile', from: 'the current profile' } as const;
  const selected = (find('profile', input) ?? (current.value === '' ? undefined : current)) as
    | Setting<string>
    | undefined;
  const chosen = selected?.value ?? '';
  const exists = Object.hasOwn(profiles.profiles, chosen);
  if (selected && !exists && !overrides && !newProfile) findProfile(profiles, chosen, selected.from);
  const profile = (exists && profiles.profiles[chosen]) || {};
  const title = `profile ${JSON.stringify(chosen)}`;
  const resolved = entries
    .filter(([, { kind }]) => kind !== 'token' && kind !== 'owned')
    .map(([name, entry]) => [name, convert(name, entry, find(name, input, profile, title), profiles.folder)]);
  const settings = Object.fromEntries(resolved) as Settings;
  if (overrides) {
    const { token, jobToken, baseUrl, from } = overrides;
    return {
      ...settings,
      profile: undefined,
      baseUrl: { value: baseUrl, source: 'flag', from },
      accessToken: tokenOfFlag(flags) ?? (token ? tokenOf(token, 'flag', from) : undefined),
      jobToken: jobToken ? tokenOf(jobToken, 'flag', from) : undefined,
    };
  }
  const { baseUrl } = settings;
  const stored = profileToken(profile, title, env, profiles.read);
  const isJob = profile.auth === 'job';
  return {
    ...settings,
    profile: selected,
    baseUrl: baseUrl && { ...baseUrl, value: withScheme(baseUrl.value) },
    accessToken: tokenOfFlag(flags) ?? tokenOfVariable(env, 'SVC_TOKEN') ?? (isJob ? undefined : stored),
    jobToken:
      tokenOfVariable(env, 'SVC_JOB_TOKEN') ??
      (isJob ? stored : undefined) ??
      // Without a server, the token of the pipeline is sent nowhere.
      tokenOfVariable(env, 'CI_JOB_TOKEN', 'pipeline', pipelineServer(env)),
  };
}

function tokenOfFlag({ tokenFile }: Flags): TokenSource | undefined {
  return tokenFile === undefined ? undefined : tokenOfFile(tokenFile as string, '--token-file');
}

const isOn = ({ value }: Setting<Raw>): boolean => value !== false && value !== '0';

/** Convert and check a value. @param folder the folder at which relative paths in a profile start */
function convert(name: Name, entry: SettingEntry, found: Setting<Raw> | undefined, folder: string = sep) {
  const { kind, choices, range, fallback } = entry;
  const value = fallback ?? (kind === 'switch' ? false : undefined);
  const setting = found ?? (value === undefined ? undefined : { value, source: 'default', from: 'built in' });
  if (!setting) return undefined;
  if (kind === 'switch') return { ...setting, value: isOn(setting) };
  if (range) {
    const number = parseNumber(String(setting.value), range);
    if (number === undefined) throw invalid(setting, name, numberText(range));
    return { ...setting, value: range.unit === 'seconds' ? Math.ceil(number * 1000) : number };
  }
  const text = { ...setting, value: String(setting.value) };
  if (choices) checkChoice(text, choices, name);
  return kind === 'path' && setting.source === 'profile'
    ? { ...text, value: resolve(folder, text.value) }
    : text;
}

function checkChoice(setting: Setting<string>, choices: readonly string[], name: string): void {
  if (!choices.includes(setting.value)) throw invalid(setting, name, `one of ${choices.join(', ')}`);
}

/** A profile has several settings, so the message names the one that is invalid. */
function invalid({ from, source, value }: Setting<Raw>, name: string, expected: string): Failure {
  const isStored = source === 'profile';
  const key = snake(name);
  const message = `${from}: invalid ${isStored ? key : 'value'} ${quotedWord(String(value))}: expected ${expected}`;
  return usage(message, isStored ? forPerson(`change it with svc profiles set ${key} <value>`) : []);
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Check a setting of a profile before it is saved.
 * @throws Failure `usage` for a value that commands would reject
 */
export function checkStored(name: string, stored: Profile): void {
  const profiles: Profiles = { current: name, profiles: { [name]: stored }, warnings: [] };
  resolveSettings({ flags: {}, env: {}, profiles });
}

/** Return each setting with its value and source, null if it has none. Secrets are masked. */
export function explain(settings: Settings) {
  return entries
    .filter(([, { kind }]) => kind !== 'owned')
    .map(([key, entry]) => {
      const setting = entry.name ?? snake(key);
      const found = settings[key as keyof Settings];
      if (!found) return { setting, value: null, source: null, from: null };
      const value = 'value' in found ? shownValue(found, entry, settings) : mask;
      return { setting, value, source: found.source, from: found.from };
    });
}

function shownValue(found: Setting<Raw>, { kind, range, flag }: SettingEntry, { baseUrl }: Settings): string {
  const text = String(found.value);
  if (range?.unit === 'seconds') return `${Number(found.value) / 1000} s`;
  // The URL of a proxy can contain a user name and a password.
  if (kind === 'url') return withoutUser(text);
  if (kind !== 'scope') return text;
  try {
    // As requests contain it.
    return scopePath(flag === 'group' ? 'group' : 'project', { ...found, value: text }, baseUrl?.value);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return withoutUser(text);
  }
}
