/** The sources of settings. */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProxiedOptions, TransportOptions } from '../../src/http/transport.ts';
import { type Canned, canned, type Setting, svc } from '../support/svc.ts';
import { ask, folderWith, headerOf, host, planned, refused, root, token } from './service.ts';

const line = 'jobs list -p 1';
const other = 'https://other.example';

/** Create a config folder with these profiles, of which the first is current. @returns its environment */
async function profiles(all: Record<string, Record<string, unknown>>): Promise<Record<string, string>> {
  const data = { current: Object.keys(all)[0], profiles: all };
  return { SVC_CONFIG_DIR: await folderWith({ 'profiles.json': JSON.stringify(data) }) };
}

/** Run a command line in the given environment only. */
const bare = (argv: string | readonly string[], setting: Setting = {}, answer: Canned = { body: '[]' }) =>
  svc(argv, { transport: canned(() => answer), ...setting });

describe('the sources of connection settings', () => {
  test('there is no flag for the access token', async () => {
    await refused(`jobs list -p 1 --token ${token}`, [/--token/]);
  });
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
    let seen: (TransportOptions & Partial<ProxiedOptions>) | undefined;
    const inner = canned(() => ({ body: '[]' }));
    const transport = (origin: string, options: TransportOptions) => {
      seen = options;
      return inner(origin, options);
    };
    await svc(`${line} --ca-file ${join(cwd, 'ca.pem')}`, { transport, env: { SVC_BASE_URL: host } });
    expect(seen?.tls?.ca).toContain(pem);
    await refused(`${line} --ca-file ${join(cwd, 'absent.pem')}`, [/--ca-file/, /absent\.pem/]);
  });
});

async function proxyFor(env: Record<string, string>): Promise<string | undefined> {
  let seen: (TransportOptions & Partial<ProxiedOptions>) | undefined;
  const inner = canned(() => ({ body: '[]' }));
  await svc(line, {
    env,
    transport: (origin, options) => {
      seen = options;
      return inner(origin, options);
    },
  });
  expect(seen).toBeDefined();
  return seen?.proxy;
}

describe('svc config explain', () => {
  test('prints each setting in effect with its value and source', async () => {
    const { out, code } = await ask('config explain --json');
    expect(code).toBe(0);
    const names = JSON.parse(out).map((row: { setting: string }) => row.setting);
    const table = ['profile', 'base_url', 'token', 'job_token', 'project', 'group', 'ca_file', 'output'];
    expect(names).toEqual(expect.arrayContaining([...table, 'http_proxy', 'https_proxy', 'no_proxy']));
    const row = JSON.parse(out).find((one: { setting: string }) => one.setting === 'base_url');
    expect(row).toMatchObject({ value: host, source: 'environment', from: 'SVC_BASE_URL' });
  });
  test('masks secrets', async () => {
    const env = { SVC_JOB_TOKEN: 'svcjob-12345678', HTTPS_PROXY: 'http://me:hunter22@proxy.example' };
    for (const format of ['table', 'json', 'csv', 'yaml']) {
      const { out, err } = await ask(`config explain -o ${format}`, undefined, { env });
      for (const secret of [token, 'svcjob-12345678', 'hunter22']) expect(out + err).not.toContain(secret);
      expect(out).toContain('***');
    }
    const rows = JSON.parse((await ask('config explain --json', undefined, { env })).out);
    for (const name of ['token', 'job_token'])
      expect(rows.find(({ setting }: { setting: string }) => setting === name).value).toBe('***');
  });
  test('sends no request', async () => {
    expect((await ask('config explain')).requests).toEqual([]);
  });
});

describe('a base URL may be given', () => {
  test.each([
    ['https://h.example', 'https://h.example/api/v4'],
    ['https://h.example/', 'https://h.example/api/v4'],
    ['https://h.example/api/v4', 'https://h.example/api/v4'],
    ['https://h.example/api/v4/', 'https://h.example/api/v4'],
    ['https://h.example/code', 'https://h.example/code/api/v4'],
    ['https://h.example/code/', 'https://h.example/code/api/v4'],
    ['https://h.example:8443/code/api/v4/', 'https://h.example:8443/code/api/v4'],
    ['http://[::1]:3000', 'http://[::1]:3000/api/v4'],
    ['h.example', 'https://h.example/api/v4'],
    ['h.example:8443/code/', 'https://h.example:8443/code/api/v4'],
    ['localhost:8443', 'https://localhost:8443/api/v4'],
  ])('%s', async (base, expected) => {
    expect((await planned(`${line} --base-url ${base}`)).url).toBe(`${expected}/projects/1/jobs`);
  });
  test.each([
    '',
    'h example',
    '/h.example',
    'ftp://h.example',
    'https://',
    'https://me:secret9@h.example',
    'me:secret9@h.example',
    'https://h/?a=1',
  ])('%j is invalid', async (base) => {
    const ran = await ask(['jobs', 'list', '-p', '1', '--base-url', base]);
    expect([ran.code, ran.out, ran.requests.length]).toEqual([2, '', 0]);
    expect(ran.err).not.toContain('secret9');
  });
  test('without a base URL, the message explains how to set it', async () => {
    const ran = await bare(line);
    expect([ran.code, ran.requests.length]).toEqual([2, 0]);
    expect(ran.err).toMatch(/SVC_BASE_URL/);
    expect(ran.err).toMatch(/--base-url/);
    expect(ran.err).toMatch(/svc login/);
  });
});

describe('a token is bound to the origin that it was stored for, and is sent nowhere else', () => {
  const stored = { work: { base_url: host, token: 'stored-token' } };

  test('not to another base URL', async () => {
    for (const base of [
      other,
      'http://host.example',
      'https://host.example:8443',
      'https://sub.host.example',
    ]) {
      const ran = await bare(`${line} --base-url ${base}`, { env: await profiles(stored) });
      for (const request of ran.requests) expect(JSON.stringify(request)).not.toContain('stored-token');
    }
    const write = await bare(`variables delete K -p 1 --yes --base-url ${other}`, {
      env: await profiles(stored),
    });
    expect([write.code, write.requests.length]).toEqual([4, 0]);
  });
  test('not to a base URL of the environment', async () => {
    const ran = await bare(line, { env: { ...(await profiles(stored)), SVC_BASE_URL: other } });
    expect(headerOf(ran.requests[0], 'private-token')).toBeUndefined();
  });
  test('to the same origin by another path', async () => {
    const ran = await bare(`${line} --base-url ${host}/api/v4/`, { env: await profiles(stored) });
    expect(headerOf(ran.requests[0], 'private-token')).toBe('stored-token');
  });
  test.each([
    ["not to a redirect's other host", `${other}/api/v4/x`],
    ["not to a redirect's other port", 'https://host.example:8443/api/v4/x'],
    ['not from https down to http', 'http://host.example/api/v4/x'],
  ])('%s', async (_, location) => {
    const ran = await ask('appearance get', (request) =>
      new URL(request.url).origin === host
        ? { status: 302, headers: [['location', location]] }
        : { body: '{"stolen":true}' },
    );
    for (const request of ran.requests)
      if (new URL(request.url).origin !== host) expect(headerOf(request, 'private-token')).toBeUndefined();
    expect(ran.code).not.toBe(0);
    expect(ran.out).toBe('');
  });
  test('not to a Link that leaves the origin', async () => {
    const ran = await ask(`${line} --all --json`, {
      body: '[{"id":1}]',
      headers: [['link', `<${other}/api/v4/projects/1/jobs?page=2>; rel="next"`]],
    });
    expect(ran.requests.map(({ url }) => new URL(url).origin)).toEqual([host]);
    expect(ran.code).toBe(8);
  });
  test("a pipeline's token is sent only to the pipeline's server", async () => {
    const env = { CI_JOB_TOKEN: 'of-pipeline', CI_SERVER_URL: host, SVC_BASE_URL: other };
    const ran = await bare('jobs current', { env }, { body: '{}' });
    expect(JSON.stringify(ran.requests)).not.toContain('of-pipeline');
    expect(ran.code).toBe(4);
  });
});

describe('profiles', () => {
  test('live in one JSON file in the config folder: XDG rules on Linux, mode 0600 in a 0700 folder', async () => {
    const home = await folderWith();
    const env = { SVC_CONFIG_DIR: '', XDG_CONFIG_HOME: join(home, 'xdg'), HOME: home };
    expect((await svc('profiles set project acme/rocket', { env })).code).toBe(0);
    const folder = join(home, 'xdg', 'svc');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'profiles.json'))).mode & 0o777).toBe(0o600);
    const data = JSON.parse(await readFile(join(folder, 'profiles.json'), 'utf8'));
    expect(Object.values(data.profiles)).toEqual([{ project: 'acme/rocket' }]);
    // Written atomically, without other files.
    expect(await readdir(folder)).toEqual(['profiles.json']);
  });
  test('profiles list reports that there are no profiles', async () => {
    const { code, out, err } = await svc('profiles list', { env: { SVC_CONFIG_DIR: await folderWith() } });
    expect([code, out, err]).toEqual([0, '', 'No profiles. Create one with: svc login\n']);
  });
  test.each(['{"profiles":', '[]', '{"profiles":{"a":{"retries":{}}}}', 'not json'])(
    'reports the path of an invalid file and does not change it: %s',
    async (text) => {
      const folder = await folderWith({ 'profiles.json': text });
      const path = join(folder, 'profiles.json');
      for (const argv of [line, 'profiles set project x', 'profiles list']) {
        const ran = await bare(argv, { env: { SVC_CONFIG_DIR: folder } });
        expect([ran.code, ran.out, ran.requests.length], argv).toEqual([2, '', 0]);
        expect(ran.err, argv).toContain(path);
      }
      expect(await readFile(path, 'utf8')).toBe(text);
      expect(await readdir(folder)).toEqual(['profiles.json']);
    },
  );
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

test('the current folder never configures svc', async () => {
  const evil = { current: 'x', profiles: { x: { base_url: other, token: 'planted', project: 'evil' } } };
  const cwd = await folderWith();
  const text = JSON.stringify(evil);
  for (const name of [
    'profiles.json',
    '.svc.json',
    'svc.json',
    '.svcrc',
    'package.json',
    '.env',
    'config.json',
  ])
    await writeFile(join(cwd, name), name === '.env' ? `SVC_BASE_URL=${other}\n` : text);
  for (const name of ['svc', '.svc', '.config']) {
    await mkdir(join(cwd, name, 'svc'), { recursive: true });
    await writeFile(join(cwd, name, 'profiles.json'), text);
    await writeFile(join(cwd, name, 'svc', 'profiles.json'), text);
    await chmod(join(cwd, name), 0o700);
  }
  const ran = await bare('config explain --json', { cwd });
  expect(ran.out).not.toMatch(/other\.example|evil|planted/);
  for (const relative of [
    { XDG_CONFIG_HOME: '.', SVC_CONFIG_DIR: '' },
    { XDG_CONFIG_HOME: 'svc', SVC_CONFIG_DIR: '' },
  ])
    expect((await bare('config explain --json', { cwd, env: relative })).out).not.toMatch(
      /other\.example|evil|planted/,
    );
});
