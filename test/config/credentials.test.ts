import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TokenRequest } from '../../src/config/credentials.ts';
import { credentialFor, runTokenCommand, whyNoCredential } from '../../src/config/credentials.ts';
import type { Env } from '../../src/config/paths.ts';
import type { Profile } from '../../src/config/setting-table.ts';
import type { Flags } from '../../src/config/settings.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import { Failure } from '../../src/errors.ts';
import { isAlive } from '../../src/support/process.ts';
import { failureOf } from '../support/failures.ts';
import { folderWith } from '../support/folders.ts';

const home = 'https://c.example';
const elsewhere = 'https://evil.example';

function resolve(flags: Flags = {}, env: Env = {}, profile?: Profile, read?: fs.Stats) {
  const profiles = profile ? { current: 'work', profiles: { work: profile } } : { profiles: {} };
  return resolveSettings({
    flags,
    env,
    profiles: { ...profiles, warnings: [], ...(read && { read }) },
  });
}

/** The source of the token, and the request that it is for. */
interface Given {
  readonly auth?: string;
  readonly env?: Env;
  readonly profile?: Profile;
  readonly origin?: string;
  readonly only?: TokenRequest['only'];
}

/** Return the header of the token as text: `private-token: x`. */
async function sent({ auth, env = {}, profile, origin = home, only }: Given) {
  const settings = resolve(auth === undefined ? {} : { auth }, env, profile);
  return (await credentialFor(settings, { origin, only }))?.header.join(': ');
}

/** Expect a usage error with these texts, and without the token. */
async function rejects(act: () => Promise<unknown>, ...says: readonly string[]): Promise<void> {
  const found = await failureOf(act);
  expect(found.kind).toBe('usage');
  for (const text of says) expect(found.message).toContain(text);
  expect([found.message, ...found.hints, ...found.details, found.stack].join('\n')).not.toContain('SECRET');
}

describe('selects the token for', () => {
  const stored = { base_url: home, token: 'p' };
  const access = { SVC_TOKEN: 'a' };
  const job = { SVC_JOB_TOKEN: 'j' };
  const both = { ...access, ...job };
  const command = { base_url: home, token_command: 'printf " k\\n\\n"' };
  it.each<[string, Given, string | undefined]>([
    ['no token', {}, undefined],
    ['an access token', { env: access }, 'private-token: a'],
    ['only a job token', { env: job }, 'job-token: j'],
    ['both tokens', { env: both }, 'private-token: a'],
    ['both tokens, for an endpoint that requires a job token', { env: both, only: 'job' }, 'job-token: j'],
    ['an access token, where a job token is required', { env: access, only: 'job' }, 'private-token: a'],
    ['--auth job', { auth: 'job', env: both }, 'job-token: j'],
    ['--auth job, where none is accepted', { auth: 'job', env: both, only: 'access' }, 'job-token: j'],
    ['--auth job without a job token', { auth: 'job', env: access }, undefined],
    ['--auth access without an access token', { auth: 'access', env: job }, undefined],
    ['--auth bearer', { auth: 'bearer', env: both }, 'authorization: Bearer a'],
    ['--auth bearer with only a job token', { auth: 'bearer', env: job }, 'authorization: Bearer j'],
    ['a profile', { profile: stored }, 'private-token: p'],
    ['a profile, not the pipeline', { env: { CI_JOB_TOKEN: 'd' }, profile: stored }, 'private-token: p'],
    ['a variable instead of a profile', { env: access, profile: stored }, 'private-token: a'],
    ['a profile with auth bearer', { profile: { ...stored, auth: 'bearer' } }, 'authorization: Bearer p'],
    ['a profile with a job token', { profile: { ...stored, auth: 'job' } }, 'job-token: p'],
    ['token_env', { env: { MINE: 'm' }, profile: { base_url: home, token_env: 'MINE' } }, 'private-token: m'],
    ['token_command', { env: { PATH: process.env.PATH }, profile: command }, 'private-token: k'],
  ])('%s', async (_, given, expected) => expect(await sent(given)).toBe(expected));

  it('returns the kind and the source of the token', async () => {
    const settings = resolve({}, {}, { base_url: home, token: 'p' });
    expect(await credentialFor(settings, { origin: home })).toEqual({
      kind: 'access',
      header: ['private-token', 'p'],
      token: 'p',
      from: 'profile "work"',
      warnings: [],
    });
  });

  it('explains why there is no token', () => {
    const reasons = whyNoCredential(resolve(), { origin: home }).join('\n');
    expect(reasons).toMatch(/SVC_TOKEN/);
    expect(reasons).toMatch(/SVC_JOB_TOKEN/);
    expect(whyNoCredential(resolve({ auth: 'job' }), { origin: home }).join()).not.toMatch(/SVC_TOKEN/);
  });
});

describe('a token is bound to the origin that it was stored for', () => {
  const ci = {
    CI_JOB_TOKEN: 'd',
    CI_API_V4_URL: 'https://ci.example/api/v4',
    CI_SERVER_URL: 'https://web.example',
  };
  const stored = { base_url: home, token: 'p' };
  const moved = { base_url: elsewhere, origin: home, token: 'p' };
  const named = { base_url: 'c.example', token: 'p' };
  const ofVariable = { base_url: home, token_env: 'MINE' };
  const server = { CI_JOB_TOKEN: 'd', CI_SERVER_URL: 'https://web.example/x' };
  it.each<[string, Given, string | undefined]>([
    ['the same origin', { profile: { ...stored, base_url: `${home}/prefix/api/v4` } }, 'private-token: p'],
    ['another host', { profile: stored, origin: elsewhere }, undefined],
    ['another port', { profile: stored, origin: `${home}:8443` }, undefined],
    ['http for https', { profile: stored, origin: 'http://c.example' }, undefined],
    ['a longer host name', { profile: stored, origin: 'https://c.example.evil.example' }, undefined],
    ['the stored origin, not the new base URL', { profile: moved, origin: elsewhere }, undefined],
    ['the stored origin', { profile: moved }, 'private-token: p'],
    ['an unknown origin', { profile: { token: 'p' } }, undefined],
    ['an invalid URL', { profile: { base_url: 'c example', token: 'p' } }, undefined],
    ['a host name, over https', { profile: named }, 'private-token: p'],
    ['a host name, not over http', { profile: named, origin: 'http://c.example' }, undefined],
    [
      'another origin, for token_env',
      { env: { MINE: 'm' }, profile: ofVariable, origin: elsewhere },
      undefined,
    ],
    ["the pipeline's API URL", { env: ci, origin: 'https://ci.example' }, 'job-token: d'],
    ["the pipeline's server beside its API URL", { env: ci, origin: 'https://web.example' }, undefined],
    ['another origin than the pipeline', { env: ci, origin: elsewhere }, undefined],
    ['a pipeline without a server', { env: { CI_JOB_TOKEN: 'd' } }, undefined],
    ["the pipeline's server", { env: server, origin: 'https://web.example' }, 'job-token: d'],
    [
      'another origin, for SVC_TOKEN',
      { env: { SVC_TOKEN: 'a' }, profile: stored, origin: elsewhere },
      'private-token: a',
    ],
  ])('%s', async (_, given, expected) => expect(await sent(given)).toBe(expected));

  it('does not run the token command for another origin', async () => {
    const mark = path.join(os.tmpdir(), `svc-mark-${process.pid}`);
    const profile = { base_url: home, token_command: `touch ${mark}; echo k` };
    expect(await sent({ env: { PATH: process.env.PATH }, profile, origin: elsewhere })).toBeUndefined();
    expect(fs.existsSync(mark)).toBe(false);
  });

  it('reports both origins without the token', () => {
    const settings = resolve({}, ci, { base_url: home, token: 'tok-SECRET' });
    const reasons = whyNoCredential(settings, { origin: elsewhere }).join('\n');
    expect(reasons).toContain('profile "work"');
    expect(reasons).toContain(home);
    expect(reasons).toContain(elsewhere);
    expect(reasons).toContain('CI_JOB_TOKEN');
    expect(reasons).not.toContain('SECRET');
  });
});

describe('a token in a file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await folderWith();
  });
  function put(content: string, mode = 0o600): string {
    const file = path.join(folder, 'token');
    fs.writeFileSync(file, content);
    fs.chmodSync(file, mode);
    return file;
  }
  const read = (file: string) => credentialFor(resolve({ tokenFile: file }), { origin: home });

  it.each([
    ['tok', 'tok'],
    ['tok\n', 'tok'],
    ['tok\r\n', 'tok'],
    ['caf\u00e9\n', 'caf\u00e9'],
  ])('%j is the token %j', async (content, token) => expect((await read(put(content)))?.token).toBe(token));

  it.each([
    '',
    '\n',
    'tok-SECRET\n\n',
    'a\ntok-SECRET',
    'tok-SECRET\0',
    'tok-SECRET\x1b[2J',
    'tok-SECRET\x85',
    'tok-SECRET\u20ac',
    '\uFEFFtok-SECRET',
  ])('rejects %j without printing it', async (content) => {
    const file = put(content);
    await rejects(() => read(file), '--token-file');
  });

  it('takes precedence over SVC_AUTH=job; is used with a warning if other users can read it', async () => {
    const settings = resolve({ tokenFile: put('tok') }, { SVC_AUTH: 'job', SVC_JOB_TOKEN: 'j' });
    expect((await credentialFor(settings, { origin: home }))?.header).toEqual(['private-token', 'tok']);
    expect((await read(put('tok', 0o640)))?.warnings.join()).toContain('chmod 600');
    expect((await read(put('tok', 0o600)))?.warnings).toEqual([]);
  });

  it.each(['', '/no/such/file', os.tmpdir()])('reports that %j cannot be read', (file) =>
    rejects(() => read(file), '--token-file'),
  );

  it.skipIf(process.platform === 'win32')('is rejected if it never ends', () =>
    rejects(() => read('/dev/zero')),
  );
});

describe('tokens that headers do not allow', () => {
  const ofVariable = { base_url: home, token_env: 'MINE' };
  it.each<[string, Given]>([
    ['SVC_TOKEN', { env: { SVC_TOKEN: 'tok-SECRET\n' } }],
    ['SVC_JOB_TOKEN', { env: { SVC_JOB_TOKEN: 'tok-SECRET\r\nx: y' } }],
    ['profile "work"', { profile: { base_url: home, token: 'tok-SECRET\u0000' } }],
    ['MINE', { env: { MINE: 'tok-SECRET\u2028' }, profile: ofVariable }],
  ])('rejects a token from %s without printing it', (from, given) => rejects(() => sent(given), from));

  it('rejects a token_env that is not set', () =>
    rejects(() => sent({ profile: { ...ofVariable, token_env: 'constructor' } }), 'constructor'));
});

describe.skipIf(process.platform === 'win32')('a token command', () => {
  const env = { PATH: process.env.PATH };
  const from = 'profile "work" (token_command)';

  it('runs in a shell with the given environment', async () => {
    expect(await runTokenCommand('printf %s "$A$B" | tr a b', { ...env, A: 'a', B: 'c' }, from)).toBe('bc');
  });

  it.each([
    ['echo tok-SECRET; echo err-SECRET >&2; exit 3', 'exit code 3'],
    ['no-such-command-of-svc', 'exit code 127'],
    ['kill -9 $$', 'SIGKILL'],
    ['yes tok-SECRET', 'too much'],
  ])('reports why %j failed, without its output', (command, reason) =>
    rejects(() => runTokenCommand(command, env, from), from, reason),
  );

  describe('that takes too long', () => {
    // A command that writes the process id of its child to a file.
    const file = path.join(os.tmpdir(), `svc-child-${process.pid}`);
    const command = `sleep 600 & echo $! > ${file}; sleep 600; :`;
    const isChildAlive = () => isAlive(Number(fs.readFileSync(file, 'utf8')));
    afterEach(() => fs.rmSync(file, { force: true }));

    it('is ended after the limit with its children, which could keep the pipe open', async () => {
      const found = await failureOf(() => runTokenCommand(command, env, from, { limit: 300 }));
      expect([found.kind, found.message]).toEqual(['usage', `${from} took longer than 0.3 s`]);
      await expect.poll(isChildAlive).toBe(false);
    });

    it('is ended with its children when svc is interrupted', async () => {
      const interrupted = new AbortController();
      const running = runTokenCommand(command, env, from, { signal: interrupted.signal });
      await expect.poll(() => fs.readFileSync(file, 'utf8')).toMatch(/\n/);
      const reason = new Failure('interrupted', 'interrupted');
      interrupted.abort(reason);
      await expect(running).rejects.toBe(reason);
      await expect.poll(isChildAlive).toBe(false);
    });
  });

  describe.runIf(process.getuid?.() === 0)('of a profile file', () => {
    const other = 12_345;
    let base: string;
    let folder: string;
    let file: string;
    let mark: string;
    beforeEach(async () => {
      base = await folderWith();
      folder = path.join(base, 'svc');
      file = path.join(folder, 'profiles.json');
      mark = path.join(base, 'ran');
      fs.mkdirSync(folder, { mode: 0o700 });
      fs.writeFileSync(file, '{}', { mode: 0o600 });
    });
    /** Replace the file by a link to it. @returns the link */
    const linked = () => {
      fs.renameSync(file, path.join(base, 'real.json'));
      fs.symlinkSync('../real.json', file);
      return file;
    };
    const use = async (read = fs.statSync(file)) => {
      const settings = resolve(
        {},
        { ...env, SVC_CONFIG_DIR: folder },
        { base_url: home, token_command: `touch ${mark}; echo k` },
        read,
      );
      return (await credentialFor(settings, { origin: home }))?.header.join(': ');
    };

    it.each([
      ['that belongs to another user', () => fs.chownSync(file, other, other)],
      ['that its group can write', () => fs.chmodSync(file, 0o660)],
      ['that everyone can write', () => fs.chmodSync(file, 0o606)],
      ['in a folder of another user', () => fs.chownSync(folder, other, other)],
      ['below a folder of another user', () => fs.chownSync(base, other, other)],
      ['below a folder that everyone can write', () => fs.chmodSync(base, 0o777)],
      [
        'in a folder that another group can write',
        () => {
          fs.chownSync(folder, 0, other);
          fs.chmodSync(folder, 0o770);
        },
      ],
      ['below a folder that the group of root can write', () => fs.chmodSync(base, 0o770)],
      ['that is a link of another user', () => fs.lchownSync(linked(), other, other)],
      ['that is a link to a file of another user', () => fs.chownSync(linked(), other, other)],
    ])('%s is not run', async (_what, change) => {
      change();
      await rejects(use, `${from} is not run: other users can change ${base}`);
      expect(fs.existsSync(mark)).toBe(false);
    });

    it.each([
      ['that another user owned when it was read', (read: fs.Stats) => Object.assign(read, { uid: other })],
      ['that others could write when it was read', (read: fs.Stats) => Object.assign(read, { mode: 0o666 })],
    ])('%s is not run', async (_what, change) => {
      const read = fs.statSync(file);
      change(read);
      await rejects(() => use(read), `is not run: other users can change ${file}`);
      fs.rmSync(file);
      await rejects(() => use(read), `is not run: other users can change ${file}`);
      expect(fs.existsSync(mark)).toBe(false);
    });

    it.each([
      ['of this user', () => {}],
      ['that others can read', () => fs.chmodSync(file, 0o644)],
      ['that is a link to a file of this user', () => linked()],
    ])('%s is run', async (_what, change) => {
      change();
      expect(await use()).toBe('private-token: k');
      expect(fs.existsSync(mark)).toBe(true);
    });
  });

  it('is rejected if it prints nothing', async () => {
    const profile = { base_url: home, token_command: 'true' };
    await rejects(() => sent({ env, profile }), 'token_command) is empty');
  });
});
