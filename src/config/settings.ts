/** Find the value of each setting among its sources. */
import path from 'node:path';
import { Failure, forPerson, usage } from '../errors.ts';
import { mask, quotedWord } from '../support/mask.ts';
import { numberText, parseNumber } from '../support/number.ts';
import { withoutUser, withScheme } from '../support/url.ts';
import { profileToken, tokenOf, tokenOfFile, tokenOfVariable } from './credentials.ts';
import { type Env, variable } from './paths.ts';
import { findProfile, type Profiles } from './profiles.ts';
import { scopePath } from './scope.ts';
import type { Profile, Setting, SettingEntry, Settings, Source } from './setting-table.ts';
import { settingTable } from './setting-table.ts';

/** The flags of the command line, by the names of their settings. The path of a token file is `tokenFile`. */
export type Flags = Readonly<Record<string, unknown>>;

/**
 * A server that replaces the configured one (`--sandbox`). Its URL and tokens take precedence over all others except `--token-file`.
 * The variables of a pipeline and the proxies are ignored, and so is the profile, except its `read_only`, which no flag turns off.
 */
export interface Overrides {
  /** The flag that selected it: `--sandbox`. */
  readonly from: string;
  readonly baseUrl: string;
  readonly token?: string | undefined;
  readonly jobToken?: string | undefined;
}

interface SettingsInput<Format extends string> {
  readonly flags: Flags;
  readonly env: Env;
  readonly profiles: Profiles;
  /** The values of `-o`; the first is the default. */
  readonly formats: readonly [Format, ...Format[]];
  readonly overrides?: Overrides | undefined;
  /** For commands that create a profile: accept the name of a profile that does not exist. */
  readonly newProfile?: boolean | undefined;
}

interface Chosen {
  readonly profile: Profile;
  readonly from: string;
}

type Name = keyof typeof settingTable;
type Raw = string | number | boolean;
const entries = Object.entries(settingTable) as [Name, SettingEntry][];

/**
 * Resolve every setting: flag, environment, profile, variables of a pipeline, default. Reads no file and starts no process.
 * @throws Failure `usage` that names the flag, variable or profile with the invalid value
 */
export function resolveSettings<Format extends string>(input: SettingsInput<Format>): Settings<Format> {
  const { flags, env, profiles, formats, overrides } = input;
  const [errorFormat] = given(variable(env, 'SVC_ERRORS'), 'environment', 'SVC_ERRORS');
  if (errorFormat) checkChoice(errorFormat, ['json', 'text'], 'SVC_ERRORS');

  const selected = selectedProfile(input);
  const chosen = overrides ? undefined : selected;
  const profile = chosen ? profileOf(chosen, input) : {};
  const own: Chosen = { profile, from: titleOf(chosen?.value) };
  // The sandbox replaces the server of the profile, but not its read-only mode.
  const named = selected?.value ?? '';
  const guard = Object.hasOwn(profiles.profiles, named)
    ? { profile: profiles.profiles[named] ?? {}, from: titleOf(named) }
    : own;
  const find = (name: Name): Setting<Raw> | undefined => {
    const entry: SettingEntry = settingTable[name];
    const { profile: stored, from } = name === 'readOnly' ? guard : own;
    const found = [
      ...(entry.flag ? given(flags[name] as Raw, 'flag', `--${entry.flag}`) : []),
      ...(overrides && entry.remote ? [] : variables(env, 'environment', entry.environment)),
      ...(entry.keys ?? []).flatMap((key) => notEmpty(given(stored[key as keyof Profile], 'profile', from))),
      ...(overrides ? [] : variables(env, 'pipeline', entry.pipeline)),
    ];
    // One source is enough to turn a switch on.
    return (entry.kind === 'switch' ? found.find(isOn) : undefined) ?? found[0];
  };
  const resolved = entries
    .filter(([, { kind }]) => kind !== 'token' && kind !== 'owned')
    .map(([name, entry]) => {
      const limited = name === 'output' ? { ...entry, choices: formats } : entry;
      return [name, convert(name, limited, find(name), profiles.folder ?? path.sep)];
    });
  const settings = Object.fromEntries(resolved) as Settings<Format>;
  const { baseUrl, output } = settings;
  return {
    ...settings,
    profile: chosen,
    baseUrl: overrides
      ? { value: overrides.baseUrl, source: 'flag', from: overrides.from }
      : baseUrl && { ...baseUrl, value: withScheme(baseUrl.value) },
    output: output ?? builtIn(formats[0]),
    ...tokensOf(input, own),
  };
}

function selectedProfile({ flags, env, profiles: { current } }: SettingsInput<string>) {
  const found = [
    ...given(flags['profile'] as string | undefined, 'flag', '--profile'),
    ...variables(env, 'environment', settingTable.profile.environment),
    ...given(current || undefined, 'profile', 'the current profile'),
  ];
  return found[0] as Setting<string> | undefined;
}

/** @throws Failure `usage` if it does not exist, and the command does not create it */
function profileOf(
  { value, from }: Setting<string>,
  { profiles, newProfile }: SettingsInput<string>,
): Profile {
  const isNew = newProfile && !Object.hasOwn(profiles.profiles, value);
  return isNew ? {} : findProfile(profiles, value, from);
}

function tokensOf(input: SettingsInput<string>, { profile, from: title }: Chosen) {
  const { flags, env, profiles, overrides } = input;
  const tokenFile = flags['tokenFile'] as string | undefined;
  const fromFile = tokenFile === undefined ? undefined : tokenOfFile(tokenFile, '--token-file');
  if (overrides) {
    const { token, jobToken, from } = overrides;
    return {
      accessToken: fromFile ?? (token ? tokenOf(token, 'flag', from) : undefined),
      jobToken: jobToken ? tokenOf(jobToken, 'flag', from) : undefined,
    };
  }
  const stored = profileToken(profile, title, env, profiles.read);
  const isJob = profile.auth === 'job';
  const pipelineServer = variable(env, 'CI_API_V4_URL') ?? variable(env, 'CI_SERVER_URL');
  return {
    accessToken: fromFile ?? tokenOfVariable(env, 'SVC_TOKEN') ?? (isJob ? undefined : stored),
    jobToken:
      tokenOfVariable(env, 'SVC_JOB_TOKEN') ??
      (isJob ? stored : undefined) ??
      tokenOfVariable(env, 'CI_JOB_TOKEN', 'pipeline', pipelineServer),
  };
}

const titleOf = (profile: string | undefined): string => `profile ${JSON.stringify(profile)}`;

/** An empty flag counts as given, an empty variable or value of a profile does not. */
function given<T extends Raw>(value: T | undefined, source: Source, from: string): Setting<T>[] {
  return value === undefined ? [] : [{ value, source, from }];
}

const notEmpty = (found: Setting<Raw>[]) => found.filter(({ value }) => value !== '');

function variables(env: Env, source: Source, names: readonly string[] = []): Setting<string>[] {
  return names.flatMap((name) => given(variable(env, name), source, name));
}

const builtIn = <T>(value: T): Setting<T> => ({ value, source: 'default', from: 'built in' });

const isOn = ({ value }: Setting<Raw>): boolean => value !== false && value !== '0';

/** Convert and check a value. @param folder the folder at which relative paths in a profile start */
function convert(name: Name, entry: SettingEntry, found: Setting<Raw> | undefined, folder: string) {
  const { kind, choices, range, fallback = 0 } = entry;
  if (kind === 'switch') return found ? { ...found, value: isOn(found) } : builtIn(false);
  if (range) {
    const value = found ? parseNumber(String(found.value), range) : fallback;
    if (found && value === undefined) throw invalid(found, name, numberText(range));
    return {
      ...(found ?? builtIn(value)),
      value: range.unit === 'seconds' ? Math.ceil(Number(value) * 1000) : value,
    };
  }
  if (!found) return undefined;
  const text = { ...found, value: String(found.value) };
  if (choices) checkChoice(text, choices, name);
  return kind === 'path' && found.source === 'profile'
    ? { ...text, value: path.resolve(folder, text.value) }
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
export function checkStored(name: string, stored: Profile, formats: readonly [string, ...string[]]): void {
  const profiles: Profiles = { current: name, profiles: { [name]: stored }, warnings: [] };
  resolveSettings({ flags: {}, env: {}, profiles, formats });
}

interface Explanation {
  readonly setting: string;
  /** Null if the setting has no value. Secrets are masked. */
  readonly value: string | null;
  readonly source: Source | null;
  readonly from: string | null;
}

/** Return each setting with its value and source. */
export function explain(settings: Settings): Explanation[] {
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
