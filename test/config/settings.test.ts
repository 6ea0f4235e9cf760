import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Env } from '../../src/config/paths.ts';
import type { Profile, Settings, Source } from '../../src/config/setting-table.ts';
import { explain, type Flags, resolveSettings } from '../../src/config/settings.ts';
import { failureOf } from '../support/failures.ts';

function resolve(
  flags: Flags = {},
  env: Env = {},
  profile?: Profile,
  more: Partial<Parameters<typeof resolveSettings>[0]> = {},
): Settings {
  const profiles = {
    profiles: { other: { base_url: 'https://other.example' }, ...(profile ? { work: profile } : {}) },
    ...(profile ? { current: 'work' } : {}),
    folder: '/home/u/.config/svc',
    warnings: [],
  };
  return resolveSettings({ flags, env, profiles, ...more });
}

/** A source of a setting, with the expected value. */
interface Rung {
  readonly source: Source;
  readonly from: string;
  readonly value: unknown;
  readonly flags?: Flags;
  readonly env?: Env;
  readonly profile?: Profile;
}

const fromVariables = (...names: readonly string[]) =>
  names.map((from): Rung => ({ source: 'environment', from, value: from, env: { [from]: from } }));

const work = 'profile "work"';
const caVariable = 'CI_SERVER_TLS_CA_FILE';
const ladders: Record<string, readonly Rung[]> = {
  baseUrl: [
    { source: 'flag', from: '--base-url', value: 'https://a', flags: { baseUrl: 'https://a' } },
    { source: 'environment', from: 'SVC_BASE_URL', value: 'https://b', env: { SVC_BASE_URL: 'https://b' } },
    { source: 'profile', from: work, value: 'https://c', profile: { base_url: 'https://c' } },
    { source: 'pipeline', from: 'CI_API_V4_URL', value: 'https://d', env: { CI_API_V4_URL: 'https://d' } },
    { source: 'pipeline', from: 'CI_SERVER_URL', value: 'https://e', env: { CI_SERVER_URL: 'https://e' } },
  ],
  auth: [
    { source: 'flag', from: '--auth', value: 'job', flags: { auth: 'job' } },
    { source: 'environment', from: 'SVC_AUTH', value: 'bearer', env: { SVC_AUTH: 'bearer' } },
    { source: 'profile', from: work, value: 'access', profile: { auth: 'access' } },
  ],
  project: [
    { source: 'flag', from: '--project', value: '1', flags: { project: '1' } },
    { source: 'environment', from: 'SVC_PROJECT', value: 'a/b', env: { SVC_PROJECT: 'a/b' } },
    { source: 'profile', from: work, value: '7', profile: { project: 7 } },
    { source: 'pipeline', from: 'CI_PROJECT_ID', value: '99', env: { CI_PROJECT_ID: '99' } },
  ],
  group: [
    { source: 'flag', from: '--group', value: '1', flags: { group: '1' } },
    { source: 'environment', from: 'SVC_GROUP', value: 'acme', env: { SVC_GROUP: 'acme' } },
    { source: 'profile', from: work, value: 'labs', profile: { group: 'labs' } },
  ],
  caFile: [
    { source: 'flag', from: '--ca-file', value: 'a.pem', flags: { caFile: 'a.pem' } },
    { source: 'environment', from: 'SVC_CA_FILE', value: 'b.pem', env: { SVC_CA_FILE: 'b.pem' } },
    { source: 'profile', from: work, value: '/d.pem', profile: { ca_file: '/d.pem' } },
    { source: 'pipeline', from: caVariable, value: '/e.pem', env: { [caVariable]: '/e.pem' } },
  ],
  clientCert: [
    { source: 'profile', from: work, value: '/home/u/.config/svc/b.pem', profile: { client_cert: 'b.pem' } },
  ],
  clientKey: [{ source: 'profile', from: work, value: '/b.pem', profile: { client_key: '/b.pem' } }],
  insecure: [
    { source: 'flag', from: '--insecure', value: true, flags: { insecure: true } },
    { source: 'profile', from: work, value: true, profile: { insecure: true } },
    { source: 'default', from: 'built in', value: false },
  ],
  timeout: [
    { source: 'flag', from: '--timeout', value: 1500, flags: { timeout: 1.5 } },
    { source: 'environment', from: 'SVC_TIMEOUT', value: 2000, env: { SVC_TIMEOUT: '2s' } },
    { source: 'profile', from: work, value: 3000, profile: { timeout: 3 } },
    { source: 'default', from: 'built in', value: 30_000 },
  ],
  retries: [
    { source: 'flag', from: '--retries', value: 0, flags: { retries: 0 } },
    { source: 'environment', from: 'SVC_RETRIES', value: 2, env: { SVC_RETRIES: '2' } },
    { source: 'profile', from: work, value: 3, profile: { retries: 3 } },
    { source: 'default', from: 'built in', value: 5 },
  ],
  maxWait: [
    { source: 'flag', from: '--max-wait', value: 0, flags: { maxWait: 0 } },
    { source: 'environment', from: 'SVC_MAX_WAIT', value: 2000, env: { SVC_MAX_WAIT: '2' } },
    { source: 'profile', from: work, value: 3000, profile: { max_wait: '3' } },
    { source: 'default', from: 'built in', value: 60_000 },
  ],
  output: [
    { source: 'flag', from: '--output', value: 'json', flags: { output: 'json' } },
    { source: 'environment', from: 'SVC_OUTPUT', value: 'csv', env: { SVC_OUTPUT: 'csv' } },
    { source: 'profile', from: work, value: 'json', profile: { output: 'json' } },
    { source: 'default', from: 'built in', value: 'table' },
  ],
  httpProxy: fromVariables('http_proxy', 'HTTP_PROXY'),
  httpsProxy: fromVariables('https_proxy', 'HTTPS_PROXY'),
  noProxy: fromVariables('no_proxy', 'NO_PROXY'),
  accessToken: [
    { source: 'flag', from: '--token-file', value: undefined, flags: { tokenFile: '/t' } },
    { source: 'environment', from: 'SVC_TOKEN', value: undefined, env: { SVC_TOKEN: 'b' } },
    { source: 'profile', from: work, value: undefined, profile: { token: 'c' } },
  ],
  jobToken: [
    { source: 'environment', from: 'SVC_JOB_TOKEN', value: undefined, env: { SVC_JOB_TOKEN: 'b' } },
    { source: 'profile', from: work, value: undefined, profile: { token: 'c', auth: 'job' } },
    { source: 'pipeline', from: 'CI_JOB_TOKEN', value: undefined, env: { CI_JOB_TOKEN: 'd' } },
  ],
};

const steps = Object.entries(ladders).flatMap(([name, rungs]) =>
  rungs.map((rung, index) => ({ name, rung, rungs: rungs.slice(index) })),
);

it.each(steps)(
  'precedence: flag, environment, profile, pipeline, default: $name: $rung.from takes precedence over lower sources',
  ({ name, rung, rungs }) => {
    const settings = resolve(
      Object.assign({}, ...rungs.map((r) => r.flags)),
      Object.assign({}, ...rungs.map((r) => r.env)),
      Object.assign({}, ...rungs.map((r) => r.profile)),
    );
    expect(settings[name as keyof Settings]).toMatchObject({
      source: rung.source,
      from: rung.from,
      ...(rung.value === undefined ? {} : { value: rung.value }),
    });
  },
);

describe('single settings', () => {
  it('counts an empty variable and an empty profile value as unset', () => {
    const own = { SVC_BASE_URL: '', SVC_TOKEN: '', SVC_PROJECT: '', SVC_OUTPUT: '', SVC_TIMEOUT: '' };
    const env = { ...own, CI_API_V4_URL: '', SVC_PROFILE: '' };
    const settings = resolve({}, { ...env, CI_SERVER_URL: 'https://e' }, { project: '', token: '' });
    expect(settings.baseUrl?.value).toBe('https://e');
    expect(settings.accessToken).toBeUndefined();
    expect(settings.project).toBeUndefined();
    expect([settings.profile?.value, settings.output.source]).toEqual(['work', 'default']);
  });

  it('does not use the project of a profile or a pipeline on another server', () => {
    const ci = { CI_API_V4_URL: 'https://d/api/v4', CI_PROJECT_ID: '99', SVC_BASE_URL: 'https://b' };
    expect(resolve({}, ci).project).toBeUndefined();
    expect(resolve({}, { ...ci, SVC_BASE_URL: 'https://d' }).project?.value).toBe('99');
    const profile = { base_url: 'https://c', project: 7, group: 8 };
    expect(resolve({ baseUrl: 'https://c/api/v4' }, {}, profile)).toMatchObject({ project: { value: '7' } });
    const elsewhere = resolve({ baseUrl: 'http://c' }, {}, profile);
    expect([elsewhere.project, elsewhere.group]).toEqual([undefined, undefined]);
  });

  it('has no project and no group by default, and treats an empty flag as given', () => {
    expect(resolve({ project: '' }, { SVC_PROJECT: 'p' }).project).toMatchObject({
      value: '',
      source: 'flag',
    });
    const { project, group, baseUrl, profile } = resolve();
    expect([project, group, baseUrl, profile]).toEqual(Array(4).fill(undefined));
  });

  it('selects the profile by flag, variable, then the current one', () => {
    expect(resolve({ profile: 'work' }, { SVC_PROFILE: 'other' }, {}).profile?.from).toBe('--profile');
    const settings = resolve({}, { SVC_PROFILE: 'other' }, { base_url: 'https://c' });
    expect(settings.profile).toEqual({ value: 'other', source: 'environment', from: 'SVC_PROFILE' });
    expect(settings.baseUrl?.value).toBe('https://other.example');
  });

  it.each([
    [() => resolve({ profile: 'othr' }), '--profile', 'other'],
    [() => resolve({}, { SVC_PROFILE: 'othr' }), 'SVC_PROFILE', 'other'],
    [() => resolve({ profile: '' }), '--profile', 'other'],
    [() => resolve({ profile: '__proto__' }), '--profile', 'other'],
  ])('rejects a profile that does not exist (%#)', async (act, from, near) => {
    const found = await failureOf(act);
    expect(found.kind).toBe('usage');
    expect(found.message).toContain(from);
    expect(found.hints.join()).toContain(near);
  });

  it('accepts a new profile for a command that creates it', () => {
    const settings = resolve({ profile: 'new' }, {}, { base_url: 'https://c' }, { newProfile: true });
    expect(settings.profile?.value).toBe('new');
    expect(settings.baseUrl).toBeUndefined();
  });

  it.each<[Flags, Env, Profile, string]>([
    [{ output: 'pdf' }, {}, {}, '--output'],
    [{}, { SVC_OUTPUT: 'JSON' }, {}, 'SVC_OUTPUT'],
    [{}, { SVC_ERRORS: 'xml' }, {}, 'SVC_ERRORS'],
    [{}, {}, { output: 'pdf' }, 'profile "work"'],
    [{ auth: 'none' }, {}, {}, '--auth'],
    [{}, { SVC_AUTH: 'toString' }, {}, 'SVC_AUTH'],
    [{}, { SVC_TIMEOUT: '0' }, {}, 'SVC_TIMEOUT'],
    [{}, { SVC_TIMEOUT: '-1' }, {}, 'SVC_TIMEOUT'],
    [{}, { SVC_TIMEOUT: '1e9' }, {}, 'SVC_TIMEOUT'],
    [{}, { SVC_TIMEOUT: '99999999' }, {}, 'SVC_TIMEOUT'],
    [{}, { SVC_MAX_WAIT: 'NaN' }, {}, 'SVC_MAX_WAIT'],
    [{}, {}, { max_wait: -1 }, 'profile "work"'],
    [{}, { SVC_RETRIES: '1.5' }, {}, 'SVC_RETRIES'],
    [{}, { SVC_RETRIES: '-1' }, {}, 'SVC_RETRIES'],
    [{}, {}, { retries: 'many' }, 'profile "work"'],
  ])('rejects an invalid value and names its source: %j %j %j', async (flags, env, profile, from) => {
    const found = await failureOf(() => resolve(flags, env, profile));
    expect(found.kind).toBe('usage');
    expect(found.message).toContain(from);
  });

  it('uses the sandbox in place of the configured server', () => {
    const env = {
      SVC_BASE_URL: 'https://b',
      SVC_TOKEN: 'b',
      SVC_JOB_TOKEN: 'b',
      SVC_PROJECT: 'acme/rocket',
      CI_API_V4_URL: 'https://d/api/v4',
      CI_JOB_TOKEN: 'd',
      CI_PROJECT_ID: '99',
    };
    const overrides = { from: '--sandbox', baseUrl: 'http://127.0.0.1:4', token: 'sandbox-admin' };
    const settings = resolve({}, env, { token: 'c', group: 'mine', ca_file: '/c' }, { overrides });
    expect(settings.baseUrl).toEqual({ value: 'http://127.0.0.1:4', source: 'flag', from: '--sandbox' });
    expect(settings.accessToken?.from).toBe('--sandbox');
    expect(settings.project?.from).toBe('SVC_PROJECT');
    for (const key of ['profile', 'jobToken', 'group', 'caFile'] as const) {
      expect(settings[key], key).toBeUndefined();
    }
    expect(resolve({}, { CI_PROJECT_ID: '9' }, {}, { overrides }).project).toBeUndefined();
    expect(resolve({ tokenFile: '/t' }, env, {}, { overrides }).accessToken?.from).toBe('--token-file');
    const guarded = resolve({}, env, { read_only: true }, { overrides });
    expect(guarded.readOnly).toEqual({ value: true, source: 'profile', from: work });
    expect(resolve({ profile: 'none' }, {}, {}, { overrides }).readOnly.value).toBe(false);
  });
});

describe('explain', () => {
  const profile = { base_url: 'https://c.example', token: 'tok-SECRET', timeout: 3 };
  const proxy = { HTTPS_PROXY: 'http://me:pw-SECRET@proxy:3128' };
  const env = { CI_JOB_TOKEN: 'job-SECRET', SVC_OUTPUT: 'json', ...proxy };

  it('lists each setting with its value and source', () => {
    const all = explain(resolve({ project: '7' }, env, profile));
    const rows = Object.fromEntries(all.map((row) => [row.setting, row]));
    const of = (setting: string, value: string, source: Source, from: string) =>
      expect(rows[setting]).toEqual({ setting, value, source, from });
    of('profile', 'work', 'profile', 'the current profile');
    of('base_url', 'https://c.example', 'profile', work);
    of('token', '***', 'profile', work);
    of('job_token', '***', 'pipeline', 'CI_JOB_TOKEN');
    of('project', '7', 'flag', '--project');
    of('https_proxy', 'http://***@proxy:3128', 'environment', 'HTTPS_PROXY');
    of('timeout', '3 s', 'profile', work);
    of('max_wait', '60 s', 'default', 'built in');
    of('output', 'json', 'environment', 'SVC_OUTPUT');
    expect(rows.group).toEqual({ setting: 'group', value: null, source: null, from: null });
  });

  it('has a row for every setting', () => {
    expect(explain(resolve())).toHaveLength(Object.keys(resolve()).length);
  });

  it('contains no secret, and neither do the settings', () => {
    const flags = { baseUrl: 'https://me:url-SECRET@a/' };
    const settings = resolve(flags, { ...env, SVC_TOKEN: 'env-SECRET' }, profile);
    expect(JSON.stringify(explain(settings))).not.toContain('SECRET');
    const { baseUrl: _, httpsProxy: __, ...rest } = settings;
    expect(JSON.stringify(rest)).not.toContain('SECRET');
    expect(inspect(rest, { depth: 9 })).not.toContain('SECRET');
  });
});
