import { describe, expect, it } from 'vitest';
import type { Env } from '../../src/config/paths.ts';
import type { Profile } from '../../src/config/profiles.ts';
import type { Flags, Settings, Source } from '../../src/config/settings.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import { Failure } from '../../src/errors.ts';

const formats = ['table', 'json', 'csv'] as const;

function resolve(
  flags: Flags = {},
  env: Env = {},
  profile?: Profile,
  more: Partial<Parameters<typeof resolveSettings<(typeof formats)[number]>>[0]> = {},
): Settings<(typeof formats)[number]> {
  const profiles = {
    profiles: { other: { base_url: 'https://other.example' }, ...(profile ? { work: profile } : {}) },
    ...(profile ? { current: 'work' } : {}),
    folder: '/home/u/.config/svc',
    warnings: [],
  };
  return resolveSettings({ flags, env, profiles, formats, ...more });
}

function failure(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

/** Each source of a setting, in the order of interface.md section 2: what gives it, what comes out, and from where. */
interface Rung {
  readonly source: Source;
  readonly from: string;
  readonly value: unknown;
  readonly flags?: Flags;
  readonly env?: Env;
  readonly profile?: Profile;
}

const work = 'profile "work"';
const ladders: Record<string, readonly Rung[]> = {
  baseUrl: [
    { source: 'flag', from: '--base-url', value: 'https://a', flags: { baseUrl: 'https://a' } },
    { source: 'environment', from: 'SVC_BASE_URL', value: 'https://b', env: { SVC_BASE_URL: 'https://b' } },
    { source: 'profile', from: work, value: 'https://c', profile: { base_url: 'https://c' } },
    {
      source: 'pipeline',
      from: 'CI_API_V4_URL',
      value: 'https://d/api/v4',
      env: { CI_API_V4_URL: 'https://d/api/v4' },
    },
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
    {
      source: 'environment',
      from: 'NODE_EXTRA_CA_CERTS',
      value: 'c.pem',
      env: { NODE_EXTRA_CA_CERTS: 'c.pem' },
    },
    { source: 'profile', from: work, value: '/d.pem', profile: { ca_file: '/d.pem' } },
    {
      source: 'pipeline',
      from: 'CI_SERVER_TLS_CA_FILE',
      value: '/e.pem',
      env: { CI_SERVER_TLS_CA_FILE: '/e.pem' },
    },
  ],
  clientCert: [
    { source: 'flag', from: '--client-cert', value: 'a.pem', flags: { clientCert: 'a.pem' } },
    { source: 'profile', from: work, value: '/home/u/.config/svc/b.pem', profile: { client_cert: 'b.pem' } },
  ],
  clientKey: [
    { source: 'flag', from: '--client-key', value: 'a.pem', flags: { clientKey: 'a.pem' } },
    { source: 'profile', from: work, value: '/b.pem', profile: { client_key: '/b.pem' } },
  ],
  insecure: [
    { source: 'flag', from: '--insecure', value: true, flags: { insecure: true } },
    { source: 'profile', from: work, value: true, profile: { insecure: true } },
    { source: 'default', from: 'built in', value: false },
  ],
  timeout: [
    { source: 'flag', from: '--timeout', value: 1500, flags: { timeout: '1.5' } },
    { source: 'environment', from: 'SVC_TIMEOUT', value: 2000, env: { SVC_TIMEOUT: '2s' } },
    { source: 'profile', from: work, value: 3000, profile: { timeout: 3 } },
    { source: 'default', from: 'built in', value: 30_000 },
  ],
  retries: [
    { source: 'flag', from: '--retries', value: 0, flags: { retries: '0' } },
    { source: 'environment', from: 'SVC_RETRIES', value: 2, env: { SVC_RETRIES: '2' } },
    { source: 'profile', from: work, value: 3, profile: { retries: 3 } },
    { source: 'default', from: 'built in', value: 5 },
  ],
  maxWait: [
    { source: 'flag', from: '--max-wait', value: 0, flags: { maxWait: '0' } },
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
  httpProxy: [
    { source: 'environment', from: 'http_proxy', value: 'http://a', env: { http_proxy: 'http://a' } },
    { source: 'environment', from: 'HTTP_PROXY', value: 'http://b', env: { HTTP_PROXY: 'http://b' } },
  ],
  httpsProxy: [
    { source: 'environment', from: 'https_proxy', value: 'http://a', env: { https_proxy: 'http://a' } },
    { source: 'environment', from: 'HTTPS_PROXY', value: 'http://b', env: { HTTPS_PROXY: 'http://b' } },
  ],
  noProxy: [
    { source: 'environment', from: 'no_proxy', value: 'a', env: { no_proxy: 'a' } },
    { source: 'environment', from: 'NO_PROXY', value: 'b', env: { NO_PROXY: 'b' } },
  ],
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

describe('precedence: flag, environment, profile, pipeline, default', () => {
  it.each(steps)('$name: $rung.from beats all below it', ({ name, rung, rungs }) => {
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
  });
});
