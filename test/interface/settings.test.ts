/** The values of settings that reach the transport, and profiles. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProxiedOptions, TransportOptions } from '../../src/http/transport.ts';
import { type Canned, canned, type Setting, svc } from '../support/svc.ts';
import { ask, folderWith, headerOf, host, refused, root } from './service.ts';

const line = 'jobs list -p 1';

/** Create a config folder with these profiles, of which the first is current. @returns its environment */
async function profiles(all: Record<string, Record<string, unknown>>): Promise<Record<string, string>> {
  const data = { current: Object.keys(all)[0], profiles: all };
  return { SVC_CONFIG_DIR: await folderWith({ 'profiles.json': JSON.stringify(data) }) };
}

/** Run a command line in the given environment only. */
const bare = (argv: string | readonly string[], setting: Setting = {}, answer: Canned = { body: '[]' }) =>
  svc(argv, { transport: canned(() => answer), ...setting });

/** The options with which a command opens its transport. */
async function optionsOf(argv: string, env: Record<string, string>) {
  let seen: (TransportOptions & Partial<ProxiedOptions>) | undefined;
  const inner = canned(() => ({ body: '[]' }));
  const transport = (origin: string, options: TransportOptions) => {
    seen = options;
    return inner(origin, options);
  };
  await svc(argv, { transport, env: { SVC_BASE_URL: host, ...env } });
  return seen;
}

describe('a setting reaches the request', () => {
  test.each(['jobs current', 'jobs allowed-agents'])(
    'job token: %s sends it in a header, never in the URL (docs/decisions/0009)',
    async (line) => {
      const env = { SVC_TOKEN: '', SVC_JOB_TOKEN: 'jobtoken' };
      const [named] = (await ask(line, { body: '{}' }, { env })).requests;
      const [bearer] = (await ask(`${line} --auth bearer`, { body: '{}' }, { env })).requests;
      expect([headerOf(named, 'job-token'), headerOf(named, 'authorization')]).toEqual([
        'jobtoken',
        undefined,
      ]);
      expect([headerOf(bearer, 'job-token'), headerOf(bearer, 'authorization')]).toEqual([
        undefined,
        'Bearer jobtoken',
      ]);
      for (const request of [named, bearer]) expect(new URL(request?.url as string).search).toBe('');
      expect((await ask(`${line} --job-token x`)).code).toBe(2);
      const { out } = await ask(`${line} --auth bearer --curl`, undefined, { env });
      expect(out).toContain('"authorization: Bearer $SVC_JOB_TOKEN"');
    },
  );
  test('CI_API_V4_URL is used unchanged, CI_SERVER_URL gets /api/v4', async () => {
    const url = async (env: Record<string, string>) =>
      JSON.parse((await bare(`${line} --dry-run`, { env })).out).url;
    expect(await url({ CI_API_V4_URL: 'https://ci.example/deep/api/v4' })).toBe(
      'https://ci.example/deep/api/v4/projects/1/jobs',
    );
    expect(await url({ CI_SERVER_URL: 'https://ci.example/deep' })).toBe(
      'https://ci.example/deep/api/v4/projects/1/jobs',
    );
  });
  test('the proxy for the scheme of the base URL, unless NO_PROXY has the host', async () => {
    const [https, http] = ['http://secure.example:3128', 'http://plain.example:3128'];
    const env = { HTTPS_PROXY: https, http_proxy: http };
    const proxyFor = async (more: Record<string, string>) =>
      (await optionsOf(line, { ...env, ...more }))?.proxy?.replace(/\/$/, '');
    expect(await proxyFor({})).toBe(https);
    expect(await proxyFor({ SVC_BASE_URL: 'http://host.example' })).toBe(http);
    for (const name of ['NO_PROXY', 'no_proxy'])
      expect(await proxyFor({ [name]: 'localhost,.example' })).toBeUndefined();
  });
  test('--timeout and SVC_TIMEOUT', async () => {
    expect((await optionsOf(`${line} --timeout 2.5`, { SVC_TIMEOUT: '7' }))?.timeout).toBe(2500);
    expect((await optionsOf(line, { SVC_TIMEOUT: '7' }))?.timeout).toBe(7000);
  });
  test('the CA file; a missing file is a usage error', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';
    const cwd = await folderWith({ 'ca.pem': pem });
    expect((await optionsOf(`${line} --ca-file ${join(cwd, 'ca.pem')}`, {}))?.tls?.ca).toContain(pem);
    await refused(`${line} --ca-file ${join(cwd, 'absent.pem')}`, [/--ca-file/, /absent\.pem/]);
  });
  test('without a base URL, the message explains how to set it', async () => {
    const ran = await bare(line);
    expect([ran.code, ran.requests.length]).toEqual([2, 0]);
    expect(ran.err).toMatch(/SVC_BASE_URL/);
    expect(ran.err).toMatch(/--base-url/);
    expect(ran.err).toMatch(/svc login/);
  });
});

describe('profiles', () => {
  test('profiles list reports that there are no profiles', async () => {
    const { code, out, err } = await svc('profiles list', { env: { SVC_CONFIG_DIR: await folderWith() } });
    expect([code, out, err]).toEqual([0, '', 'No profiles. Create one with: svc login\n']);
  });
  test('the commands for profiles never print a token', async () => {
    const env = await profiles({ work: { base_url: host, token: 'stored-token' } });
    for (const argv of ['profiles show', 'profiles list', 'profiles show --json', 'config explain']) {
      const ran = await bare(argv, { env });
      expect(ran.code).toBe(0);
      expect(ran.out + ran.err).not.toContain('stored-token');
    }
  });
  test('auth login does not save a rejected token', async () => {
    const folder = await folderWith();
    const ran = await svc(`auth login --base-url ${host} --token-stdin`, {
      env: { SVC_CONFIG_DIR: folder },
      stdin: 'bad-token\n',
      transport: canned(() => ({ status: 401, body: '{"message":"401 Unauthorized"}' })),
    });
    expect([ran.code, await readdir(folder)]).toEqual([4, []]);
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
  test('auth login rejects a token with a line break', async () => {
    const folder = await folderWith();
    const login = await svc(`auth login --base-url ${host} --token-stdin`, {
      env: { SVC_CONFIG_DIR: folder },
      stdin: 'to\nken\n',
    });
    expect([login.code, await readdir(folder)]).toEqual([2, []]);
    expect(login.err).toBe('error: the token contains a space or a line break\nhint: profile not changed\n');
  });
  test.each([
    ['<html>Sign in</html>', 'text/html'],
    ['<html>Sign in</html>', 'application/json'],
    ['not json', 'application/json'],
    ['', 'application/json'],
    ['[1,2', 'application/json'],
    ['null', 'application/json'],
    ['{}', 'application/json'],
  ])('auth login does not save a token if the response %j is not from the API', async (body, type) => {
    const folder = await folderWith();
    const ran = await svc(`auth login --base-url ${host} --token-stdin`, {
      env: { SVC_CONFIG_DIR: folder },
      stdin: 'some-token\n',
      transport: canned(() => ({ body, headers: [['content-type', type]] })),
    });
    expect([ran.code, await readdir(folder)]).toEqual([8, []]);
    expect(ran.err).toMatch(/^error: the response /);
  });
});
