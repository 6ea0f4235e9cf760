import path from 'node:path';
import { type Failure, forPerson, usage } from '../errors.ts';
import { quotedWord } from '../support/mask.ts';
import { numberText, parseNumber } from '../support/number.ts';
import { withScheme } from '../support/url.ts';
import { profileToken, tokenOf, tokenOfFile } from './credentials.ts';
import { authKinds, type Setting, type Settings, type Source, settingRanges } from './model.ts';
import { type Env, variable } from './paths.ts';
import { findProfile, type Profile, type Profiles } from './profiles.ts';
import { type SettingEntry, settingTable } from './setting-table.ts';

/** The flags of the command line, by name. */
export interface Flags {
  readonly profile?: string | undefined;
  readonly 'base-url'?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly auth?: string | undefined;
  readonly project?: string | undefined;
  readonly group?: string | undefined;
  readonly 'ca-file'?: string | undefined;
  readonly insecure?: boolean | undefined;
  readonly 'read-only'?: true | undefined;
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  readonly 'max-wait'?: number | undefined;
  readonly output?: string | undefined;
}

/** A setting whose value is that of its first source. */
type Simple = Exclude<
  keyof typeof settingTable,
  'token' | 'origin' | 'owner' | 'job_token' | 'proxy' | 'insecure' | 'read_only' | 'profile'
>;
type SimpleEntry = SettingEntry & {
  readonly flag?: Exclude<keyof Flags, 'insecure' | 'read-only'>;
  readonly key?: keyof Profile;
};

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

export interface SettingsInput<Format extends string> {
  readonly flags: Flags;
  readonly env: Env;
  readonly profiles: Profiles;
  /** The values of `-o`; the first is the default. */
  readonly formats: readonly [Format, ...Format[]];
  readonly overrides?: Overrides | undefined;
  /** For commands that create a profile: accept the name of a profile that does not exist. */
  readonly newProfile?: boolean | undefined;
}

/**
 * Resolve every setting: flag, environment, profile, variables of a pipeline, default (interface.md section 2). Reads no file and
 * starts no process.
 * @throws Failure `usage` that names the flag, variable or profile with the invalid value
 */
export function resolveSettings<Format extends string>(input: SettingsInput<Format>): Settings<Format> {
  const { flags, env, profiles, formats, overrides } = input;
  checkErrorFormat(env);
  const selected = first(
    flag('--profile', flags.profile),
    environment(env, 'SVC_PROFILE'),
    profiles.current
      ? { value: profiles.current, source: 'profile' as const, from: 'the current profile' }
      : undefined,
  );
  const chosen = overrides ? undefined : selected;
  const known = chosen && Object.hasOwn(profiles.profiles, chosen.value);
  const profile: Profile =
    chosen && (known || !input.newProfile) ? findProfile(profiles, chosen.value, chosen.from) : {};
  const title = titleOf(chosen?.value);
  const networkEnv: Env = overrides ? {} : env;

  const stored = (key: keyof Profile, isPath?: true) => {
    const setting = given(profile[key], 'profile', title);
    if (!setting || !isPath) return setting;
    return { ...setting, value: path.resolve(profiles.folder ?? path.sep, setting.value) };
  };
  const ci = (name: string) => given(variable(networkEnv, name), 'pipeline', name);
  const lookUp = (id: Simple): Setting<string> | undefined => {
    const { flag: name, environment: names = [], key, isPath, pipeline = [] }: SimpleEntry = settingTable[id];
    return first(
      name && flag(`--${name}`, flags[name]),
      ...names.map((one) => environment(env, one)),
      key && stored(key, isPath),
      ...pipeline.map(ci),
    );
  };

  const baseUrl = overrides
    ? { value: overrides.baseUrl, source: 'flag' as const, from: overrides.from }
    : lookUp('base_url');
  const auth = lookUp('auth');
  const tokenOfProfile = profileToken(profile, title, env, profiles.read);
  const jobProfile = profile.auth === 'job';
  const pipelineServer = (ci('CI_API_V4_URL') ?? ci('CI_SERVER_URL'))?.value;
  const overrideToken = (value: string | undefined) =>
    value && overrides ? tokenOf(value, 'flag', overrides.from) : undefined;

  return {
    profile: chosen,
    baseUrl: baseUrl && { ...baseUrl, value: withScheme(baseUrl.value) },
    auth: auth && choiceOf(auth, authKinds, 'auth'),
    accessToken:
      (flags['token-file'] !== undefined ? tokenOfFile(flags['token-file'], '--token-file') : undefined) ??
      (overrides
        ? overrideToken(overrides.token)
        : (tokenOfVariable(env, 'SVC_TOKEN') ?? (jobProfile ? undefined : tokenOfProfile))),
    jobToken: overrides
      ? overrideToken(overrides.jobToken)
      : (tokenOfVariable(env, 'SVC_JOB_TOKEN') ??
        (jobProfile ? tokenOfProfile : undefined) ??
        tokenOfVariable(env, 'CI_JOB_TOKEN', 'pipeline', pipelineServer)),
    project: lookUp('project'),
    group: lookUp('group'),
    caFile: lookUp('ca_file'),
    clientCert: lookUp('client_cert'),
    clientKey: lookUp('client_key'),
    insecure:
      flags.insecure !== undefined
        ? { value: flags.insecure, source: 'flag', from: flags.insecure ? '--insecure' : '--no-insecure' }
        : profile.insecure !== undefined
          ? { value: profile.insecure, source: 'profile', from: title }
          : builtIn(false),
    readOnly: readOnlyOf(flags, env, readOnlyProfile(profiles, selected)),
    auditLog: lookUp('audit_log'),
    // Lower case first, as curl does.
    httpProxy: first(environment(networkEnv, 'http_proxy'), environment(networkEnv, 'HTTP_PROXY')),
    httpsProxy: first(environment(networkEnv, 'https_proxy'), environment(networkEnv, 'HTTPS_PROXY')),
    noProxy: first(environment(networkEnv, 'no_proxy'), environment(networkEnv, 'NO_PROXY')),
    timeout: milliseconds(lookUp('timeout'), 'timeout'),
    retries: numberOf(lookUp('retries'), 'retries'),
    maxWait: milliseconds(lookUp('max_wait'), 'max_wait'),
    output: choiceOf(lookUp('output') ?? builtIn(formats[0]), formats, 'output'),
  };
}

/** The format of errors is chosen before the settings are known (`errorOutput`), so only its value is checked here. */
function checkErrorFormat(env: Env): void {
  const given = environment(env, 'SVC_ERRORS');
  if (given) choiceOf(given, ['json', 'text'], 'output');
}

/** Read-only mode: one source is enough, and no other source turns it off. */
function readOnlyOf(flags: Flags, env: Env, stored: Setting<boolean> | undefined): Setting<boolean> {
  if (flags['read-only']) return { value: true, source: 'flag', from: '--read-only' };
  const fromVariable = environment(env, 'SVC_READ_ONLY');
  if (fromVariable && fromVariable.value !== '0') return { ...fromVariable, value: true };
  if (stored?.value) return stored;
  return fromVariable ? { ...fromVariable, value: false } : (stored ?? builtIn(false));
}

/** The setting of the selected profile, also if another server replaces that of the profile. */
function readOnlyProfile(
  { profiles }: Profiles,
  selected: Setting<string> | undefined,
): Setting<boolean> | undefined {
  const name = selected?.value ?? '';
  const value = Object.hasOwn(profiles, name) ? profiles[name]?.read_only : undefined;
  return value === undefined ? undefined : { value, source: 'profile', from: titleOf(name) };
}

const titleOf = (profile: string | undefined): string => `profile ${JSON.stringify(profile)}`;

function first<T>(...candidates: (Setting<T> | undefined)[]): Setting<T> | undefined {
  return candidates.find((candidate) => candidate !== undefined);
}

/** An empty flag counts as given. */
function flag(name: string, value: string | number | undefined): Setting<string> | undefined {
  return value === undefined ? undefined : { value: String(value), source: 'flag', from: name };
}

function environment(env: Env, name: string): Setting<string> | undefined {
  return given(variable(env, name), 'environment', name);
}

function given(
  value: string | number | boolean | undefined,
  source: Source,
  from: string,
): Setting<string> | undefined {
  return value === undefined || value === '' ? undefined : { value: String(value), source, from };
}

function builtIn<T>(value: T): Setting<T> {
  return { value, source: 'default', from: 'built in' };
}

function tokenOfVariable(env: Env, name: string, source: Source = 'environment', server?: string) {
  const token = variable(env, name);
  return token === undefined ? undefined : tokenOf(token, source, name, server);
}

function choiceOf<T extends string>(
  setting: Setting<string>,
  choices: readonly T[],
  key: keyof Profile,
): Setting<T> {
  const value = choices.find((choice) => choice === setting.value);
  if (value === undefined) throw invalid(setting, key, `expected one of ${choices.join(', ')}`);
  return { ...setting, value };
}

function numberOf(setting: Setting<string> | undefined, key: keyof typeof settingRanges): Setting<number> {
  if (!setting) return builtIn(settingTable[key].fallback);
  const range = settingRanges[key];
  const value = parseNumber(setting.value, range);
  if (value === undefined) throw invalid(setting, key, `expected ${numberText(range)}`);
  return { ...setting, value };
}

function milliseconds(...setting: Parameters<typeof numberOf>): Setting<number> {
  const seconds = numberOf(...setting);
  return { ...seconds, value: Math.ceil(seconds.value * 1000) };
}

/** @param key names the setting in a profile, which has several */
function invalid({ from, source, value }: Setting<string>, key: keyof Profile, expected: string): Failure {
  const isStored = source === 'profile';
  const message = `${from}: invalid ${isStored ? key : 'value'} ${quotedWord(value)}: ${expected}`;
  return usage(message, isStored ? forPerson(`change it with svc profiles set ${key} <value>`) : []);
}

/**
 * Check a setting of a profile before it is saved.
 * @throws Failure `usage` for a value that commands would reject
 */
export function checkStored(name: string, stored: Profile, formats: readonly [string, ...string[]]): void {
  const profiles: Profiles = { current: name, profiles: { [name]: stored }, warnings: [] };
  resolveSettings({ flags: {}, env: {}, profiles, formats });
}
