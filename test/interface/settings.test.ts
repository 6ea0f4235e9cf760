/** The sources of settings. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Request, TransportOptions } from '../../src/http/transport.ts';
import { type Canned, canned, type Setting, svc } from '../support/svc.ts';
import { ask, folderWith, headerOf, host, planned, refused, root, workProfile } from './service.ts';

const line = 'jobs list -p 1';
const other = 'https://other.example';

/** Run a command line in the given environment only. */
const bare = (argv: string | readonly string[], setting: Setting = {}, answer: Canned = { body: '[]' }) =>
  svc(argv, { transport: canned(() => answer), ...setting });

describe('the sources of connection settings', () => {
  test.each(['jobs current', 'jobs allowed-agents'])(
    'job token: %s sends it in a header, never in the URL (docs/decisions/0009)',
    async (line) => {
      const env = { SVC_TOKEN: '', SVC_JOB_TOKEN: 'jobtoken' };
      const [named] = (await ask(line, { body: '{}' }, { env })).requests;
      const [bearer] = (await ask(`${line} --auth bearer`, { body: '{}' }, { env })).requests;
      const tokens = (one?: Request) => [headerOf(one, 'job-token'), headerOf(one, 'authorization')];
      expect(tokens(named)).toEqual(['jobtoken', undefined]);
      expect(tokens(bearer)).toEqual([undefined, 'Bearer jobtoken']);
      for (const request of [named, bearer]) expect(new URL(request?.url as string).search).toBe('');
      expect((await ask(`${line} --job-token x`)).code).toBe(2);
      const { out } = await ask(`${line} --auth bearer --curl`, undefined, { env });
      expect(out).toContain('"authorization: Bearer $SVC_JOB_TOKEN"');
    },
  );
  test('CI_API_V4_URL is used unchanged, CI_SERVER_URL gets /api/v4', async () => {
    const url = async (env: Record<string, string>) =>
      JSON.parse((await bare(`${line} --dry-run`, { env })).out).url;
    const jobs = 'https://ci.example/deep/api/v4/projects/1/jobs';
    expect(await url({ CI_API_V4_URL: 'https://ci.example/deep/api/v4' })).toBe(jobs);
    expect(await url({ CI_SERVER_URL: 'https://ci.example/deep' })).toBe(jobs);
  });
  test.each([
    ['HTTPS_PROXY', host, 'http://proxy.example:3128'],
    ['HTTP_PROXY', 'http://host.example', 'http://proxy.example:3128'],
  ])('proxy: %s for %s', async (name, base, expected) => {
    const seen = await proxyFor({ SVC_BASE_URL: base, [name]: 'http://proxy.example:3128' });
    expect(seen?.replace(/\/$/, '')).toBe(expected);
  });
  test('NO_PROXY', async () => {
    const env = { SVC_BASE_URL: host, HTTPS_PROXY: 'http://proxy.example:3128' };
    expect(await proxyFor({ ...env, NO_PROXY: 'localhost,.example' })).toBeUndefined();
    expect(await proxyFor({ ...env, NO_PROXY: 'host.test' })).toMatch(/^http:\/\/proxy\.example:3128/);
  });
  test('the CA file is passed to the transport; a missing file is a usage error', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';
    const cwd = await folderWith({ 'ca.pem': pem });
    const { tls } = await optionsFor({ SVC_BASE_URL: host }, `--ca-file ${join(cwd, 'ca.pem')}`);
    expect(tls?.ca).toContain(pem);
    await refused(`${line} --ca-file ${join(cwd, 'absent.pem')}`, [/--ca-file/, /absent\.pem/]);
  });
});

test.each([
  ['notifications get', {}, '/notification_settings'],
  ['hooks list', { SVC_GROUP: 'acme' }, '/groups/acme/hooks'],
])('a profile with the project "." is no obstacle outside of a checkout: %s', async (line, env, path) => {
  const profile = await workProfile({ project: '.' });
  expect((await planned(line, { env: { ...profile, ...env } })).url).toBe(`${root}${path}`);
});

/** Return the options with which the transport is opened. */
async function optionsFor(env: Record<string, string>, flags = '') {
  let seen: TransportOptions | undefined;
  const inner = canned(() => ({ body: '[]' }));
  await svc(`${line} ${flags}`, {
    env,
    transport: (origin, options) => {
      seen = options;
      return inner(origin, options);
    },
  });
  return seen as unknown as TransportOptions;
}
const proxyFor = async (env: Record<string, string>) => (await optionsFor(env)).proxy;

describe('svc config explain', () => {
  test('prints each setting in effect with its value and source', async () => {
    const { out, code, requests } = await ask('config explain --json');
    expect([code, requests]).toEqual([0, []]);
    const names = JSON.parse(out).map((row: { setting: string }) => row.setting);
    const table = ['profile', 'base_url', 'token', 'job_token', 'project', 'group', 'ca_file', 'output'];
    expect(names).toEqual(expect.arrayContaining([...table, 'http_proxy', 'https_proxy', 'no_proxy']));
    const row = JSON.parse(out).find((one: { setting: string }) => one.setting === 'base_url');
    expect(row).toMatchObject({ value: host, source: 'environment', from: 'SVC_BASE_URL' });
  });
});

test('without a base URL, the message explains how to set it', async () => {
  const env = { SVC_BASE_URL: '', SVC_TOKEN: '' };
  await refused(line, [/SVC_BASE_URL/, /--base-url/, /svc login/], { env });
});

describe('a token is bound to the origin that it was stored for, and is sent nowhere else', () => {
  test('not to another base URL', async () => {
    const env = await workProfile({ base_url: host, token: 'stored-token' });
    const write = await bare(`variables delete K -p 1 --yes --base-url ${other}`, { env });
    expect([write.code, write.requests.length]).toEqual([4, 0]);
  });
  test.each([
    [{ CI_SERVER_URL: host }, /is for https:\/\/host.example and is not sent/],
    [{ CI_API_V4_URL: host, CI_SERVER_URL: other }, /is for https:\/\/host.example and is not sent/],
    [{}, /is not sent: its server is unknown without CI_API_V4_URL and CI_SERVER_URL/],
  ])("a pipeline's token is sent only to the pipeline's server: %j", async (server, reason) => {
    const env = { CI_JOB_TOKEN: 'of-pipeline', SVC_BASE_URL: other, ...server };
    const ran = await bare('jobs current', { env }, { body: '{}' });
    expect([ran.code, ran.requests.length]).toEqual([4, 0]);
    expect(ran.err).toMatch(reason);
  });
});

describe('profiles', () => {
  test('profiles list reports that there are no profiles, although SVC_PROFILE names one', async () => {
    const env = { SVC_CONFIG_DIR: await folderWith(), SVC_PROFILE: 'work' };
    const { code, out, err } = await svc('profiles list', { env });
    expect([code, out, err]).toEqual([0, '', 'No profiles. Create one with: svc login\n']);
  });
  test.each([
    [4, { status: 401, body: '{"message":"401 Unauthorized"}' }],
    [4, { status: 403, body: '{"message":"403 Forbidden"}' }],
    [8, { body: '<html>Sign in</html>', headers: [['content-type', 'text/html']] as const }],
    [8, { body: '[1,2' }],
    [8, { body: 'null' }],
    [8, { body: '{}' }],
  ])('auth login exits with %i and does not save the token after %j', async (code, answer) => {
    const folder = await folderWith();
    const ran = await svc(`auth login --base-url ${host} --token-stdin`, {
      env: { SVC_CONFIG_DIR: folder },
      stdin: 'bad-token\n',
      transport: canned(() => answer),
    });
    expect([ran.code, await readdir(folder)]).toEqual([code, []]);
    expect(ran.err).not.toContain('bad-token');
  });
  test('auth login finds the base URL in the variables of a pipeline', async () => {
    const env = { SVC_CONFIG_DIR: await folderWith(), CI_SERVER_URL: host };
    const login = await svc('auth login --auth job --token-stdin --profile ci', {
      env,
      stdin: 'job-token-1\n',
      transport: canned(() => ({ body: '{"id":7,"name":"rspec"}' })),
    });
    expect([login.code, login.requests[0]?.url]).toEqual([0, `${root}/job`]);
  });
});
