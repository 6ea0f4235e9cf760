import path from 'node:path';
import { type Failure, usage } from '../errors.ts';
import { quotedWord } from '../support/mask.ts';
import { withScheme } from '../support/url.ts';
import { profileToken, tokenOf, tokenOfFile } from './credentials.ts';
import { authKinds, type Setting, type Settings, type Source } from './model.ts';
import { type Env, variable } from './paths.ts';
import { findProfile, type Profile, type Profiles } from './profiles.ts';

/** The flags of the command line, as typed. */
export interface Flags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly auth?: string | undefined;
  readonly project?: string | undefined;
  readonly group?: string | undefined;
  readonly caFile?: string | undefined;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly insecure?: boolean | undefined;
  readonly readOnly?: true | undefined;
  readonly timeout?: string | undefined;
  readonly retries?: string | undefined;
  readonly maxWait?: string | undefined;
  readonly output?: string | undefined;
}

/**
 * A server that replaces the configured one (`--sandbox`). Its URL and tokens take precedence over all others except `--token-file`.
 * The variables of a pipeline and the proxies are ignored, and so is the profile, except its `read_only`, which no flag turns off.
 */
export interface Overrides {
  /** The flag that selected it: `--sandbox`. */
  readonly from: string;
  readonly baseUrl: string;
  readonly token?: string;
  readonly jobToken?: string;
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

/** Seconds. Timers of Node accept at most 2^31 ms, which is 24 days. */
const maxSeconds = 24 * 86_400;

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

  const stored = (key: keyof Profile) => given(profile[key], 'profile', title);
  const storedFile = (key: 'ca_file' | 'client_cert' | 'client_key') => {
    const setting = stored(key);
    return setting && { ...setting, value: path.resolve(profiles.folder ?? path.sep, setting.value) };
  };
  const ci = (name: string) => given(variable(networkEnv, name), 'pipeline', name);
  const fromEnv = (...names: string[]) => first(...names.map((name) => environment(env, name)));

  const baseUrl = first(
    overrides && { value: overrides.baseUrl, source: 'flag' as const, from: overrides.from },
    flag('--base-url', flags.baseUrl),
    fromEnv('SVC_BASE_URL'),
    stored('base_url'),
    ci('CI_API_V4_URL'),
    ci('CI_SERVER_URL'),
  );
  const auth = first(flag('--auth', flags.auth), fromEnv('SVC_AUTH'), stored('auth'));
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
      (flags.tokenFile !== undefined ? tokenOfFile(flags.tokenFile, '--token-file') : undefined) ??
      (overrides
        ? overrideToken(overrides.token)
        : (tokenOfVariable(env, 'SVC_TOKEN') ?? (jobProfile ? undefined : tokenOfProfile))),
    jobToken: overrides
      ? overrideToken(overrides.jobToken)
      : (tokenOfVariable(env, 'SVC_JOB_TOKEN') ??
        (jobProfile ? tokenOfProfile : undefined) ??
        tokenOfVariable(env, 'CI_JOB_TOKEN', 'pipeline', pipelineServer)),
    project: first(
      flag('--project', flags.project),
      fromEnv('SVC_PROJECT'),
      stored('project'),
      ci('CI_PROJECT_ID'),
    ),
    group: first(flag('--group', flags.group), fromEnv('SVC_GROUP'), stored('group')),
    caFile: first(
      flag('--ca-file', flags.caFile),
      fromEnv('SVC_CA_FILE', 'NODE_EXTRA_CA_CERTS'),
      storedFile('ca_file'),
      ci('CI_SERVER_TLS_CA_FILE'),
    ),
    clientCert: first(flag('--client-cert', flags.clientCert), storedFile('client_cert')),
    clientKey: first(flag('--client-key', flags.clientKey), storedFile('client_key')),
    insecure:
      flags.insecure !== undefined
        ? { value: flags.insecure, source: 'flag', from: flags.insecure ? '--insecure' : '--no-insecure' }
        : profile.insecure !== undefined
          ? { value: profile.insecure, source: 'profile', from: title }
          : builtIn(false),
    readOnly: readOnlyOf(flags, env, readOnlyProfile(profiles, selected)),
    auditLog: fromEnv('SVC_AUDIT_LOG'),
    // Lower case first, as curl does.
    httpProxy: first(environment(networkEnv, 'http_proxy'), environment(networkEnv, 'HTTP_PROXY')),
    httpsProxy: first(environment(networkEnv, 'https_proxy'), environment(networkEnv, 'HTTPS_PROXY')),
    noProxy: first(environment(networkEnv, 'no_proxy'), environment(networkEnv, 'NO_PROXY')),
    timeout: seconds(
      first(flag('--timeout', flags.timeout), fromEnv('SVC_TIMEOUT'), stored('timeout')),
      30,
      0.001,
      'timeout',
    ),
    retries: count(
      first(flag('--retries', flags.retries), fromEnv('SVC_RETRIES'), stored('retries')),
      5,
      'retries',
    ),
    maxWait: seconds(
      first(flag('--max-wait', flags.maxWait), fromEnv('SVC_MAX_WAIT'), stored('max_wait')),
      60,
      0,
      'max_wait',
    ),
    output: choiceOf(
      first(flag('--output', flags.output), fromEnv('SVC_OUTPUT'), stored('output')) ?? builtIn(formats[0]),
      formats,
      'output',
    ),
  };
}

/** The format of errors is chosen before the settings are known (`errorOutput`), so only its value is checked here. */
function checkErrorFormat(env: Env): void {
  const given = environment(env, 'SVC_ERRORS');
  if (given) choiceOf(given, ['json', 'text'], 'output');
}

/** Read-only mode: one source is enough, and no other source turns it off. */
function readOnlyOf(flags: Flags, env: Env, stored: Setting<boolean> | undefined): Setting<boolean> {
  if (flags.readOnly) return { value: true, source: 'flag', from: '--read-only' };
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
function flag(name: string, value: string | undefined): Setting<string> | undefined {
  return value === undefined ? undefined : { value, source: 'flag', from: name };
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

/** Convert seconds (`30`, `0.5`, `30s`) to milliseconds. */
function seconds(
  setting: Setting<string> | undefined,
  defaultValue: number,
  min: number,
  key: keyof Profile,
): Setting<number> {
  if (!setting) return builtIn(defaultValue * 1000);
  const value = /^\d{1,9}(\.\d{1,30})?s?$/.test(setting.value)
    ? Number.parseFloat(setting.value)
    : Number.NaN;
  if (!(value >= min && value <= maxSeconds)) {
    throw invalid(
      setting,
      key,
      `expected a number of seconds, ${min > 0 ? 'more than 0' : '0 or more'} and at most ${maxSeconds}`,
    );
  }
  return { ...setting, value: Math.ceil(value * 1000) };
}

function count(
  setting: Setting<string> | undefined,
  defaultValue: number,
  key: keyof Profile,
): Setting<number> {
  if (!setting) return builtIn(defaultValue);
  if (!/^\d{1,3}$/.test(setting.value)) throw invalid(setting, key, 'expected an integer from 0 to 999');
  return { ...setting, value: Number(setting.value) };
}

/** @param key names the setting in a profile, which has several */
function invalid({ from, source, value }: Setting<string>, key: keyof Profile, expected: string): Failure {
  const isStored = source === 'profile';
  const message = `${from}: invalid ${isStored ? key : 'value'} ${quotedWord(value)}: ${expected}`;
  return usage(message, isStored ? `change it with svc profiles set ${key} <value>` : []);
}

/**
 * Check a setting of a profile before it is saved.
 * @throws Failure `usage` for a value that commands would reject
 */
export function checkStored(name: string, stored: Profile, formats: readonly [string, ...string[]]): void {
  const profiles: Profiles = { current: name, profiles: { [name]: stored }, warnings: [] };
  resolveSettings({ flags: {}, env: {}, profiles, formats });
}
