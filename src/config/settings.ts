import path from 'node:path';
import { usage } from '../errors.ts';
import type { TokenSource } from './credentials.ts';
import { profileToken, tokenOf, tokenOfFile } from './credentials.ts';
import type { Env } from './paths.ts';
import { variable } from './paths.ts';
import type { Profile, Profiles } from './profiles.ts';
import { profileNamed } from './profiles.ts';

/** Where a value came from, the first that gives one (interface.md section 2). */
export type Source = 'flag' | 'environment' | 'profile' | 'pipeline' | 'default';

export interface Setting<T> {
  readonly value: T;
  readonly source: Source;
  /** The flag, variable or profile by name: `--base-url`, `SVC_BASE_URL`, `profile "work"`. */
  readonly from: string;
}

const auths = ['access', 'job', 'bearer'] as const;
/** Which token to send, and how: `bearer` sends the access token, else the job token, as `Authorization`. */
export type Auth = (typeof auths)[number];

/** What the command line gave, as typed. A flag that was not given is absent. */
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
  readonly timeout?: string | undefined;
  readonly retries?: string | undefined;
  readonly maxWait?: string | undefined;
  readonly output?: string | undefined;
}

/**
 * A server that was put in place of all others (`--sandbox`): its URL and tokens stand before every other but
 * `--token-file`. Neither the profile nor the pipeline nor the way out to the network (proxies) concern it: they are left out.
 */
export interface Overrides {
  /** What put it in place: `--sandbox`. */
  readonly from: string;
  readonly baseUrl: string;
  readonly token?: string;
  readonly jobToken?: string;
}

export interface SettingsInput<Format extends string> {
  readonly flags: Flags;
  readonly env: Env;
  readonly profiles: Profiles;
  /** The values that `-o` takes; the first is the default. */
  readonly formats: readonly [Format, ...Format[]];
  readonly overrides?: Overrides | undefined;
  /** For the commands that make a profile: one that is named but not there is no error. */
  readonly newProfile?: boolean | undefined;
}

/** The settings in force. No token stands in here: `credentialFor` reads it when it is needed. */
export interface Settings<Format extends string = string> {
  readonly profile: Setting<string> | undefined;
  /** As given; `apiRoot` makes it the API's root. */
  readonly baseUrl: Setting<string> | undefined;
  /** Absent: chosen by which token there is. */
  readonly auth: Setting<Auth> | undefined;
  readonly accessToken: TokenSource | undefined;
  readonly jobToken: TokenSource | undefined;
  readonly project: Setting<string> | undefined;
  readonly group: Setting<string> | undefined;
  readonly caFile: Setting<string> | undefined;
  readonly clientCert: Setting<string> | undefined;
  readonly clientKey: Setting<string> | undefined;
  readonly insecure: Setting<boolean>;
  readonly httpProxy: Setting<string> | undefined;
  readonly httpsProxy: Setting<string> | undefined;
  readonly noProxy: Setting<string> | undefined;
  /** Milliseconds. */
  readonly timeout: Setting<number>;
  readonly retries: Setting<number>;
  /** Milliseconds. */
  readonly maxWait: Setting<number>;
  readonly output: Setting<Format>;
}

/** The longest that a timer of Node's can be trusted with, rounded down to days: 24 of them. */
const longest = 24 * 86_400;

/**
 * Find every setting: flag, then environment, then profile, then the pipeline's variables, then the default
 * (interface.md section 2). Reads no file and starts nothing.
 * @throws Failure `usage` that names the flag, variable or profile whose value is wrong
 */
export function resolveSettings<Format extends string>(input: SettingsInput<Format>): Settings<Format> {
  const { flags, env, profiles, formats, overrides } = input;
  const named = first(
    flag('--profile', flags.profile),
    environment(env, 'SVC_PROFILE'),
    profiles.current
      ? { value: profiles.current, source: 'profile' as const, from: 'the current profile' }
      : undefined,
  );
  const chosen = overrides ? undefined : named;
  const known = chosen && Object.hasOwn(profiles.profiles, chosen.value);
  const profile: Profile =
    chosen && (known || !input.newProfile) ? profileNamed(profiles, chosen.value, chosen.from) : {};
  const title = `profile ${JSON.stringify(chosen?.value)}`;
  const outside: Env = overrides ? {} : env;

  const stored = (key: keyof Profile) => given(profile[key], 'profile', title);
  const storedFile = (key: 'ca_file' | 'client_cert' | 'client_key') => {
    const setting = stored(key);
    return setting && { ...setting, value: path.resolve(profiles.folder ?? path.sep, setting.value) };
  };
  const ci = (name: string) => given(variable(outside, name), 'pipeline', name);
  const environ = (...names: string[]) => first(...names.map((name) => environment(env, name)));

  const baseUrl = first(
    overrides && { value: overrides.baseUrl, source: 'flag' as const, from: overrides.from },
    flag('--base-url', flags.baseUrl),
    environ('SVC_BASE_URL'),
    stored('base_url'),
    ci('CI_API_V4_URL'),
    ci('CI_SERVER_URL'),
  );
  const auth = first(flag('--auth', flags.auth), environ('SVC_AUTH'), stored('auth'));
  const ofProfile = profileToken(profile, title, env);
  const jobProfile = profile.auth === 'job';
  const pipelineServer = (ci('CI_API_V4_URL') ?? ci('CI_SERVER_URL'))?.value;
  const replaced = (value: string | undefined) =>
    value && overrides ? tokenOf(value, 'flag', overrides.from) : undefined;

  return {
    profile: chosen,
    baseUrl,
    auth: auth && chosenOf(auth, auths),
    accessToken:
      (flags.tokenFile !== undefined ? tokenOfFile(flags.tokenFile, '--token-file') : undefined) ??
      (overrides
        ? replaced(overrides.token)
        : (tokenOfVariable(env, 'SVC_TOKEN') ?? (jobProfile ? undefined : ofProfile))),
    jobToken: overrides
      ? replaced(overrides.jobToken)
      : (tokenOfVariable(env, 'SVC_JOB_TOKEN') ??
        (jobProfile ? ofProfile : undefined) ??
        tokenOfVariable(env, 'CI_JOB_TOKEN', 'pipeline', pipelineServer)),
    project: first(
      flag('--project', flags.project),
      environ('SVC_PROJECT'),
      stored('project'),
      ci('CI_PROJECT_ID'),
    ),
    group: first(flag('--group', flags.group), environ('SVC_GROUP'), stored('group')),
    caFile: first(
      flag('--ca-file', flags.caFile),
      environ('SVC_CA_FILE', 'NODE_EXTRA_CA_CERTS'),
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
    // Lower case first, as curl does.
    httpProxy: first(environment(outside, 'http_proxy'), environment(outside, 'HTTP_PROXY')),
    httpsProxy: first(environment(outside, 'https_proxy'), environment(outside, 'HTTPS_PROXY')),
    noProxy: first(environment(outside, 'no_proxy'), environment(outside, 'NO_PROXY')),
    timeout: seconds(
      first(flag('--timeout', flags.timeout), environ('SVC_TIMEOUT'), stored('timeout')),
      30,
      0.001,
    ),
    retries: count(first(flag('--retries', flags.retries), environ('SVC_RETRIES'), stored('retries')), 5),
    maxWait: seconds(
      first(flag('--max-wait', flags.maxWait), environ('SVC_MAX_WAIT'), stored('max_wait')),
      60,
      0,
    ),
    output: chosenOf(
      first(flag('--output', flags.output), environ('SVC_OUTPUT'), stored('output')) ?? builtIn(formats[0]),
      formats,
    ),
  };
}

function first<T>(...candidates: (Setting<T> | undefined)[]): Setting<T> | undefined {
  return candidates.find((candidate) => candidate !== undefined);
}

/** A flag's value counts even where it is empty: it was typed. */
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

function chosenOf<T extends string>(setting: Setting<string>, choices: readonly T[]): Setting<T> {
  const value = choices.find((choice) => choice === setting.value);
  if (value === undefined) throw wrong(setting, `one of ${choices.join(', ')}`);
  return { ...setting, value };
}

/** Seconds (`30`, `0.5`, `30s`), as milliseconds. */
function seconds(setting: Setting<string> | undefined, standard: number, least: number): Setting<number> {
  if (!setting) return builtIn(standard * 1000);
  const value = /^\d{1,9}(\.\d{1,9})?s?$/.test(setting.value) ? Number.parseFloat(setting.value) : Number.NaN;
  if (!(value >= least && value <= longest)) {
    throw wrong(
      setting,
      `a number of seconds, ${least > 0 ? 'more than 0' : '0 or more'} and at most ${longest}`,
    );
  }
  return { ...setting, value: Math.ceil(value * 1000) };
}

function count(setting: Setting<string> | undefined, standard: number): Setting<number> {
  if (!setting) return builtIn(standard);
  if (!/^\d{1,3}$/.test(setting.value)) throw wrong(setting, 'a whole number from 0 to 999');
  return { ...setting, value: Number(setting.value) };
}

function wrong(setting: Setting<string>, wants: string) {
  return usage(`${setting.from} gives ${JSON.stringify(setting.value)}, which is not ${wants}`);
}
