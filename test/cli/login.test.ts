// svc login and svc whoami: prompts, what is saved where, and which profile is current afterwards.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Sink } from '../../src/cli/context.ts';
import { run } from '../../src/cli/run.ts';
import { Failure } from '../../src/errors.ts';
import { folderWith, headerOf, host, profileFile, Screen, workProfile } from '../interface/service.ts';
import { openWorld, transportTo } from '../support/sandbox.ts';
import { canned, contextWith, type Setting, svc } from '../support/svc.ts';

interface Talk {
  readonly code: number;
  /** The text on the terminal, without the escape sequences of readline. */
  readonly shown: string;
}

/** Run a command on a terminal with a new sandbox. Each answer is typed when a prompt waits for it. */
async function talk(
  argv: readonly string[],
  answers: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Talk> {
  const world = await openWorld();
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const left = [...answers];
  let seen = 0;
  const screen = new Screen(80, () => {
    const { text } = screen;
    const prompts = text.split(/\): /).length - 1 + (text.match(/of the service: /g)?.length ?? 0);
    if (prompts <= seen) return;
    seen = prompts;
    const next = left.shift();
    setImmediate(() => stdin.write(next === undefined ? '\u0003' : `${next}\n`));
  });
  const streams = { stdin, stdout: screen as unknown as Sink, stderr: screen as unknown as Sink };
  const transport = transportTo(world.sandbox);
  const code = await run(argv, contextWith({ ...streams, transport, env: { NO_COLOR: '1', ...env } }));
  expect(left, screen.text).toEqual([]);
  return { code, shown: screen.text.replace(/\u001b\[\d*[A-Za-z]/g, '').replaceAll('\r\n', '\n') };
}

const saved = async (folder: string) => JSON.parse(await readFile(join(folder, 'profiles.json'), 'utf8'));

describe('svc login on a terminal', () => {
  test('asks for the service and the token, and saves both', async () => {
    const folder = await folderWith();
    const { code, shown } = await talk(['login'], ['host.example', 'sandbox-maintainer'], {
      SVC_CONFIG_DIR: folder,
    });
    expect(code).toBe(0);
    expect(await saved(folder)).toEqual({
      current: 'default',
      profiles: {
        default: {
          base_url: host,
          token: 'sandbox-maintainer',
          origin: host,
          user: 'mia (user 3)',
          scopes: 'api',
        },
      },
    });
    expect((await stat(join(folder, 'profiles.json'))).mode & 0o777).toBe(0o600);
    expect(shown).toContain(`\n  ${host}/-/user_settings/personal_access_tokens?name=svc&scopes=api\n`);
    expect(shown).toContain('Logged in to host.example as mia (user 3), with profile default\n');
    expect(shown).toContain(`Saved the token in ${join(folder, 'profiles.json')}\n`);
    expect(shown).toMatch(/To save a default project: svc profiles set project <path>\n$/);
    expect(shown).not.toContain('sandbox-maintainer');
  });

  test('the page of the token keeps the path of the base URL', async () => {
    const env = { SVC_CONFIG_DIR: await folderWith() };
    const { shown } = await talk(['login', 'host.example/code/'], [], env);
    expect(shown).toContain(`${host}/code/-/user_settings/personal_access_tokens?name=svc&scopes=api\n`);
  });

  test('asks again after a rejected token, with the cause in one line', async () => {
    const folder = await folderWith();
    const answers = ['wrong-token-1', 'with space', 'sandbox-maintainer'];
    const { code, shown } = await talk(['login', 'host.example'], answers, { SVC_CONFIG_DIR: folder });
    expect(code).toBe(0);
    expect(shown).toContain('\nToken rejected: 401 Unauthorized. Try again, or press Ctrl-C to stop.\n');
    expect(shown).toContain(
      '\nThe token contains a space or a line break. Try again, or press Ctrl-C to stop.\n',
    );
    expect(shown).not.toContain('wrong-token');
    expect((await saved(folder)).profiles.default.token).toBe('sandbox-maintainer');
  });

  test('gives up after three rejected tokens and saves nothing', async () => {
    const folder = await folderWith();
    const { code, shown } = await talk(['login', 'host.example'], ['bad-1', 'bad-2', 'bad-3'], {
      SVC_CONFIG_DIR: folder,
    });
    expect(code).toBe(4);
    expect(shown).toContain('hint: nothing was saved');
    await expect(saved(folder)).rejects.toThrow(/ENOENT/);
  });

  test('asks again for a service that is neither a host nor a URL', async () => {
    const env = { SVC_CONFIG_DIR: await folderWith() };
    const answers = ['svcpat-9f8e7d', 'ftp://host.example', 'host.example'];
    const { shown } = await talk(['login'], answers, env);
    expect(shown).toContain('The answer is not a host name such as host.example. Try again.\n');
    expect(shown).toContain('Logging in to host.example\n');
  });

  test('Ctrl-C saves nothing', async () => {
    const folder = await folderWith();
    const ran = await talk(['login', 'host.example'], [], { SVC_CONFIG_DIR: folder });
    expect(ran.code).toBe(130);
    await expect(saved(folder)).rejects.toThrow(/ENOENT/);
  });

  test('a signal while the token is verified ends the command without another prompt', async () => {
    const folder = await folderWith();
    const stop = new AbortController();
    const screen = new Screen(80, () => {});
    const sink = screen as unknown as Sink;
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.write('a-token\n');
    const transport = canned(() => {
      stop.abort(new Failure('terminated', 'terminated'));
      return { status: 401, body: '{}' };
    });
    const own = { stdin, stdout: sink, stderr: sink, transport, signal: stop.signal };
    const context = contextWith({ ...own, env: { SVC_CONFIG_DIR: folder } });
    expect(await run(['login', 'host.example'], context)).toBe(143);
    expect(screen.text.split('Token for').length - 1, screen.text).toBe(1);
    expect(screen.text).not.toMatch(/try again/i);
    await expect(saved(folder)).rejects.toThrow(/ENOENT/);
  });

  test('mentions variables that take precedence over the profile', async () => {
    const env = { SVC_CONFIG_DIR: await folderWith(), SVC_TOKEN: 'of-variable' };
    const { shown } = await talk(['login', host], ['sandbox-maintainer'], env);
    expect(shown).toContain('SVC_TOKEN is set and takes precedence over the profile\n');
  });
});

/** Run a command line that reads a new token, which the service accepts, from standard input. */
const logIn = (argv: string, folder: string, more: Setting = {}) =>
  svc(argv, {
    stdin: 'new-token\n',
    transport: canned(() => ({ body: '{"id":1,"username":"root"}' })),
    ...more,
    env: { SVC_CONFIG_DIR: folder, ...more.env },
  });

describe('svc login without prompts', () => {
  test.each(['--token-stdin', '--token-file -'])('names %s if the token is too large', async (flag) => {
    const { code, err } = await logIn(`login ${host} ${flag}`, await folderWith(), {
      stdin: 'x'.repeat(64 * 1024 + 1),
    });
    expect([code, err.includes(flag.split(' ')[0] ?? '')]).toEqual([2, true]);
  });

  test.each(['--token-stdin', '--token-file -'])('reads the token with %s', async (flag) => {
    for (const path of ['login', 'auth login']) {
      const folder = await folderWith();
      const ran = await logIn(`${path} host.example ${flag}`, folder);
      expect([ran.code, ran.out], ran.err).toEqual([0, '']);
      expect(headerOf(ran.requests[0], 'private-token')).toBe('new-token');
      expect((await saved(folder)).profiles.default).toMatchObject({ base_url: host, token: 'new-token' });
      expect(ran.err).not.toContain('new-token');
    }
  });

  test('reads the token from a file', async () => {
    const folder = await folderWith({ token: 'of-file\n' });
    const ran = await logIn(`login host.example --token-file ${join(folder, 'token')}`, folder);
    expect([ran.code, (await saved(folder)).profiles.default.token]).toEqual([0, 'of-file']);
  });

  test.each([
    [403, '{"error":"insufficient_scope"}', 'the token is valid but may not read its owner'],
    [404, '{"message":"404 Not Found"}', 'the service does not report the owner of the token'],
  ])('saves a token without its owner after a %i with %s', async (status, body, note) => {
    const folder = await folderWith();
    const transport = canned(({ url }) => (url.endsWith('/user') ? { status, body } : { body: '{}' }));
    const ran = await logIn(`login ${host} --token-stdin`, folder, { transport });
    expect([ran.code, (await saved(folder)).profiles.default.token]).toEqual([0, 'new-token']);
    expect(ran.err).toContain(note);
  });

  test('saves a project that exists, and nothing if it does not', async () => {
    const world = await openWorld();
    const folder = await folderWith();
    const how = { transport: transportTo(world.sandbox), stdin: 'sandbox-maintainer\n' };
    const bad = await logIn(`login ${host} --token-stdin -p acme/nope`, folder, how);
    expect(bad.code).toBe(5);
    expect(bad.err).toContain('project "acme/nope" not found');
    await expect(saved(folder)).rejects.toThrow(/ENOENT/);
    const good = await logIn(`login ${host} --token-stdin -p ${host}/acme/rocket`, folder, how);
    expect([good.code, (await saved(folder)).profiles.default.project]).toEqual([0, 'acme/rocket']);
  });

  test.each([
    ['login', /no base URL is set/],
    ['login host.example', /no token given and prompts are disabled/],
    ['login host.example --base-url https://host.example --token-stdin', /cannot be used together/],
    ['login host.example --profile a/b --token-stdin', /invalid profile name/],
    ['login host.example --token-stdin', /a space or a line break\nhint: profile not changed/, 'a\nb'],
  ])('svc %s is a usage error', async (line, says, stdin = 'new-token') => {
    const folder = await folderWith();
    const ran = await logIn(line, folder, { stdin });
    expect([ran.code, ran.requests.length, await readdir(folder)]).toEqual([2, 0, []]);
    expect(ran.err).toMatch(says);
  });

  test('an argument that may be a token is not repeated', async () => {
    const ran = await logIn('login svcpat-9f8e7d --token-stdin', await folderWith());
    expect([ran.code, ran.requests.length]).toEqual([2, 0]);
    expect(ran.err).not.toContain('svcpat');
  });
});

describe('the profile of a login', () => {
  const of = (url: string) => ({ base_url: url, token: 'old-token' });
  const data = { current: 'a', profiles: { a: of('https://a.example'), b: of('https://b.example') } };

  async function loginWith(line: string, before: object, more: Setting = {}) {
    const file = await profileFile(before);
    const ran = await logIn(`${line} --token-stdin`, file.SVC_CONFIG_DIR, {
      ...more,
      env: { NO_COLOR: '1', ...more.env },
    });
    expect(ran.code, ran.err).toBe(0);
    const { current, profiles } = await saved(file.SVC_CONFIG_DIR);
    const changed = Object.keys(profiles).filter((name) => profiles[name].token === 'new-token');
    return { current, changed, err: ran.err };
  }

  test.each([
    ['the current one, for its service', 'login', data, 'a', 'a'],
    ['the current one, given its service', 'login a.example', data, 'a', 'a'],
    ['the one for the service', 'login b.example', data, 'b', 'b'],
    ['a new one for another service', 'login c.example', data, 'c.example', 'c.example'],
    ['a new one for a port', 'login a.example:8443', data, 'a.example-8443', 'a.example-8443'],
    ['a new one without encryption', 'login http://a.example', data, 'http-a.example', 'http-a.example'],
    ['the one that --profile names', 'login b.example --profile b', data, 'b', 'a'],
    ['a new one that --profile names', 'login c.example --profile c', data, 'c', 'a'],
    ['the first one', 'login c.example', { profiles: {} }, 'default', 'default'],
    ['the first one that --profile names', 'login c.example --profile c', { profiles: {} }, 'c', 'c'],
    ['one without a service yet', 'login c.example', { current: 'x', profiles: { x: {} } }, 'x', 'x'],
  ])('is %s', async (_, line, before, changed, current) => {
    expect(await loginWith(line, before)).toMatchObject({ changed: [changed], current });
  });

  test('SVC_PROFILE counts as --profile', async () => {
    const ran = await loginWith('login b.example', data, { env: { SVC_PROFILE: 'b' } });
    expect(ran).toMatchObject({ changed: ['b'], current: 'a' });
  });

  test('reports whether the current profile changes', async () => {
    const kept = await loginWith('login b.example --profile b', data);
    expect(kept.err).toContain('The current profile is still a. To use the new one: svc profiles use b\n');
    const changed = await loginWith('login b.example', data);
    expect(changed.err).toContain('The current profile is now b. To go back: svc profiles use a\n');
    const same = await loginWith('login a.example', data);
    expect(same.err).not.toContain('current profile');
  });

  test('confirms with a mark on a terminal only', async () => {
    const sentence = 'Logged in to a.example as root (user 1), with profile a\n';
    expect((await loginWith('login', data)).err).toBe(sentence);
    expect((await loginWith('login', data, { terminal: 80 })).err).toContain(`✓ ${sentence}`);
    expect((await loginWith('login --quiet', data, { terminal: 80 })).err).toBe('');
  });

  test('uses the network settings of that profile, not of the current one', async () => {
    const insecure = { a: { ...of('https://a.example'), insecure: true }, b: of('https://b.example') };
    const ran = await loginWith('login c.example', { current: 'a', profiles: insecure });
    expect(ran.err).not.toContain('certificate verification');
    const own = await loginWith('login a.example', { current: 'a', profiles: insecure });
    expect(own.err).toContain('certificate verification');
  });
});

describe('a removed current profile', () => {
  const data = { profiles: { work: { base_url: host }, home: { base_url: host } } };

  test.each(['jobs list -p 1', 'jobs list', 'whoami', 'profiles show', 'auth logout'])(
    'svc %s explains how to choose one',
    async (line) => {
      const { code, err } = await svc(line, { env: await profileFile(data) });
      expect(code).toBe(2);
      expect(err).toMatch(/no profile is current[;\s]/);
      expect(err).toContain('choose one of work, home: svc profiles use <name>\n');
    },
  );

  test('profiles set and show use the profile that SVC_PROFILE names', async () => {
    const env = { ...(await profileFile(data)), SVC_PROFILE: 'home' };
    expect((await svc('profiles set project a/b', { env })).err).toBe('Set project in profile home\n');
    expect((await svc('profiles show --jq .project -r', { env })).out).toBe('a/b\n');
  });

  test('profiles remove says so at once', async () => {
    const env = await profileFile({ ...data, current: 'work' });
    const { err } = await svc('profiles remove work --yes', { env, terminal: 80 });
    expect(err).toContain('no profile is current; choose one of home: svc profiles use <name>\n');
  });

  test('svc doctor warns', async () => {
    const env = await profileFile(data);
    const rows = JSON.parse((await svc('doctor --json', { env })).out);
    expect(rows).toContainEqual(expect.objectContaining({ check: 'profile', status: 'warn' }));
  });
});

describe('svc whoami', () => {
  const answer = { transport: canned(() => ({ body: '{"id":3,"username":"mia"}' })) };
  const env = { SVC_BASE_URL: host, SVC_TOKEN: 'token-123' };

  test('prints one line', async () => {
    expect(await svc('whoami', { ...answer, env })).toMatchObject({
      code: 0,
      out: 'mia (user 3) on host.example (access token from SVC_TOKEN)\n',
      err: '',
    });
  });
  test.each(['--json', '-o table', '--fields user', '--jq .'])('%s prints the details', async (flags) => {
    const ran = await svc(`whoami ${flags}`, { ...answer, env });
    expect(ran.out).toBe((await svc(`auth status ${flags}`, { ...answer, env })).out);
    expect(ran.out).toContain('mia (user 3)');
  });
  test('tells how to replace a token that the service rejects', async () => {
    const rejected = { transport: canned(() => ({ status: 401, body: '{"message":"401 Unauthorized"}' })) };
    const { code, err } = await svc('whoami', { ...rejected, env });
    expect([code, err.includes('the token from SVC_TOKEN')]).toEqual([4, true]);
    expect(err).toMatch(/^hint: .*replace it, or remove it and use svc login$/m);
  });
  test('exits with 4 without a token', async () => {
    expect((await svc('whoami', { env: { SVC_BASE_URL: host } })).code).toBe(4);
  });
});

test('auth logout confirms', async () => {
  const env = await workProfile({ base_url: host, token: 'old-token' });
  const first = await svc('auth logout', { env, terminal: 80 });
  expect([first.code, first.err.includes('Removed the token from profile work')]).toEqual([0, true]);
  expect((await saved(env.SVC_CONFIG_DIR)).profiles.work).toEqual({ base_url: host });
  const second = await svc('auth logout', { env: { ...env, SVC_TOKEN: 'other' }, terminal: 80 });
  expect(second.err).toBe('Profile work has no token\nSVC_TOKEN is set and remains in effect\n');
  expect((await svc('profiles set token_env OTHER', { env })).code).toBe(0);
  expect((await svc('auth logout', { env })).err).toBe('Removed token_env from profile work\n');
});

test('the hint for a default project names the profile that is not the current one', async () => {
  const data = { current: 'a', profiles: { a: { base_url: host }, b: { base_url: host } } };
  const env = { SVC_CONFIG_DIR: await folderWith({ 'profiles.json': JSON.stringify(data) }) };
  expect((await svc('jobs list --profile b', { env })).err).toContain(
    'svc profiles set project <id|path> --profile b\n',
  );
  const { shown } = await talk(['login', host, '--profile', 'b'], ['sandbox-maintainer'], env);
  expect(shown).toMatch(/svc profiles set project <path> --profile b\n$/);
});

test('config explain says that a token is not sent to the base URL', async () => {
  const profile = { base_url: 'https://other.example', origin: host, token: 'old-token' };
  const env = await workProfile(profile);
  const { code, err } = await svc('config explain', { env });
  expect([code, err]).toEqual([
    0,
    `the token from profile "work" is for ${host} and is not sent to https://other.example\n`,
  ]);
  expect((await svc(['profiles', 'set', 'origin', 'a b'], { env })).err).toContain(
    'must be the URL of a server',
  );
});
