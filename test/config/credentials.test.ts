import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

/** Return the header of the token as text: `private-token: x`. */
async function sent(flags: Flags, env: Env, profile?: Profile, origin = home, only?: TokenRequest['only']) {
  const credential = await credentialFor(resolve(flags, env, profile), { origin, only });
  return credential?.header.join(': ');
}

const textOf = (found: Failure) => [found.message, ...found.hints, ...found.details, found.stack].join('\n');

describe('selects the token for', () => {
  const stored = { base_url: home, token: 'p' };
  const both = { SVC_TOKEN: 'a', SVC_JOB_TOKEN: 'j' };
  it.each<[string, Flags, Env, Profile | undefined, TokenRequest['only'], string | undefined]>([
    ['no token', {}, {}, undefined, undefined, undefined],
    ['an access token', {}, { SVC_TOKEN: 'a' }, undefined, undefined, 'private-token: a'],
    ['only a job token', {}, { SVC_JOB_TOKEN: 'j' }, undefined, undefined, 'job-token: j'],
    ['both tokens', {}, both, undefined, undefined, 'private-token: a'],
    ['both tokens, for an endpoint that requires a job token', {}, both, undefined, 'job', 'job-token: j'],
    [
      'only an access token, for an endpoint that requires a job token',
      {},
      { SVC_TOKEN: 'a' },
      undefined,
      'job',
      'private-token: a',
    ],
    ['--auth job', { auth: 'job' }, both, undefined, undefined, 'job-token: j'],
    [
      '--auth job, for an endpoint that does not accept a job token',
      { auth: 'job' },
      both,
      undefined,
      'access',
      'job-token: j',
    ],
    ['--auth job without a job token', { auth: 'job' }, { SVC_TOKEN: 'a' }, undefined, undefined, undefined],
    [
      '--auth access without an access token',
      { auth: 'access' },
      { SVC_JOB_TOKEN: 'j' },
      undefined,
      undefined,
      undefined,
    ],
    ['--auth bearer', { auth: 'bearer' }, both, undefined, undefined, 'authorization: Bearer a'],
    [
      '--auth bearer with only a job token',
      { auth: 'bearer' },
      { SVC_JOB_TOKEN: 'j' },
      undefined,
      undefined,
      'authorization: Bearer j',
    ],
    ['a profile', {}, {}, stored, undefined, 'private-token: p'],
    ['a profile instead of the pipeline', {}, { CI_JOB_TOKEN: 'd' }, stored, undefined, 'private-token: p'],
    ['a variable instead of a profile', {}, { SVC_TOKEN: 'a' }, stored, undefined, 'private-token: a'],
    [
      'a profile with auth bearer',
      {},
      {},
      { ...stored, auth: 'bearer' },
      undefined,
      'authorization: Bearer p',
    ],
    ['a profile with a job token', {}, {}, { ...stored, auth: 'job' }, undefined, 'job-token: p'],
    [
      'a profile with token_env',
      {},
      { MINE: 'm' },
      { base_url: home, token_env: 'MINE' },
      undefined,
      'private-token: m',
    ],
    [
      'a profile with token_command',
      {},
      {},
      { base_url: home, token_command: 'printf " k\\n\\n"' },
      undefined,
      'private-token: k',
    ],
  ])('%s', async (_, flags, env, profile, only, expected) => {
    const path = { PATH: process.env.PATH };
    expect(await sent(flags, { ...path, ...env }, profile, home, only)).toBe(expected);
  });

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
  it.each<[string, Env, Profile | undefined, string, string | undefined]>([
    ['the same origin', {}, { base_url: `${home}/prefix/api/v4`, token: 'p' }, home, 'private-token: p'],
    ['another host', {}, { base_url: home, token: 'p' }, elsewhere, undefined],
    ['another port', {}, { base_url: home, token: 'p' }, `${home}:8443`, undefined],
    ['http for https', {}, { base_url: home, token: 'p' }, 'http://c.example', undefined],
    [
      'a host name that starts with the stored one',
      {},
      { base_url: home, token: 'p' },
      'https://c.example.evil.example',
      undefined,
    ],
    [
      'the stored origin, not the new base URL',
      {},
      { base_url: elsewhere, origin: home, token: 'p' },
      elsewhere,
      undefined,
    ],
    ['the stored origin', {}, { base_url: elsewhere, origin: home, token: 'p' }, home, 'private-token: p'],
    ['an unknown origin', {}, { token: 'p' }, home, undefined],
    ['an invalid URL', {}, { base_url: 'c example', token: 'p' }, home, undefined],
    ['a host name, over https', {}, { base_url: 'c.example', token: 'p' }, home, 'private-token: p'],
    ['a host name, not over http', {}, { base_url: 'c.example', token: 'p' }, 'http://c.example', undefined],
    [
      'another origin, for token_env',
      { MINE: 'm' },
      { base_url: home, token_env: 'MINE' },
      elsewhere,
      undefined,
    ],
    ["the pipeline's API URL", ci, undefined, 'https://ci.example', 'job-token: d'],
    ["the pipeline's server URL if it has an API URL", ci, undefined, 'https://web.example', undefined],
    ['another origin than the pipeline', ci, undefined, elsewhere, undefined],
    [
      "the pipeline's server URL if it has no API URL",
      { CI_JOB_TOKEN: 'd', CI_SERVER_URL: 'https://web.example/x' },
      undefined,
      'https://web.example',
      'job-token: d',
    ],
    [
      'another origin, for SVC_TOKEN',
      { SVC_TOKEN: 'a' },
      { base_url: home, token: 'p' },
      elsewhere,
      'private-token: a',
    ],
  ])('%s', async (_, env, profile, origin, expected) => {
    expect(await sent({}, env, profile, origin)).toBe(expected);
  });

  it('does not run the token command for another origin', async () => {
    const mark = path.join(os.tmpdir(), `svc-mark-${process.pid}`);
    const profile = { base_url: home, token_command: `touch ${mark}; echo k` };
    expect(await sent({}, { PATH: process.env.PATH }, profile, elsewhere)).toBeUndefined();
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
    const found = await failureOf(() => read(file));
    expect(found.kind).toBe('usage');
    expect(found.message).toContain('--token-file');
    expect(textOf(found)).not.toContain('SECRET');
  });

  it('takes precedence over SVC_AUTH=job', async () => {
    const settings = resolve({ tokenFile: put('tok') }, { SVC_AUTH: 'job', SVC_JOB_TOKEN: 'j' });
    expect((await credentialFor(settings, { origin: home }))?.header).toEqual(['private-token', 'tok']);
  });

  it('is used with a warning if other users can read it', async () => {
    expect((await read(put('tok', 0o640)))?.warnings.join()).toContain('chmod 600');
    expect((await read(put('tok', 0o600)))?.warnings).toEqual([]);
  });

  it.each(['', '/no/such/file', os.tmpdir()])('reports that %j cannot be read', async (file) => {
    const found = await failureOf(() => read(file));
    expect(found.kind).toBe('usage');
    expect(found.message).toContain('--token-file');
  });

  it.skipIf(process.platform === 'win32')('is rejected if it never ends', async () => {
    expect((await failureOf(() => read('/dev/zero'))).kind).toBe('usage');
  });
});

describe('tokens that headers do not allow', () => {
  it.each<[string, Env, Profile | undefined]>([
    ['SVC_TOKEN', { SVC_TOKEN: 'tok-SECRET\n' }, undefined],
    ['SVC_JOB_TOKEN', { SVC_JOB_TOKEN: 'tok-SECRET\r\nx: y' }, undefined],
    ['profile "work"', {}, { base_url: home, token: 'tok-SECRET\u0000' }],
    ['MINE', { MINE: 'tok-SECRET\u2028' }, { base_url: home, token_env: 'MINE' }],
  ])('rejects a token from %s without printing it', async (from, env, profile) => {
    const found = await failureOf(() => sent({}, env, profile));
    expect(found.kind).toBe('usage');
    expect(found.message).toContain(from);
    expect(textOf(found)).not.toContain('SECRET');
  });

  it('rejects a token_env that is not set', async () => {
    const found = await failureOf(() => sent({}, {}, { base_url: home, token_env: 'MINE' }));
    expect(found.kind).toBe('usage');
    expect(found.message).toContain('MINE');
  });
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
  ])('reports why %j failed, without its output', async (command, reason) => {
    const found = await failureOf(() => runTokenCommand(command, env, from));
    expect(found.kind).toBe('usage');
    expect(found.message).toContain(from);
    expect(found.message).toContain(reason);
    expect(textOf(found)).not.toContain('SECRET');
  });

  describe('that takes too long', () => {
    // A command that writes the process id of its child to a file.
    const file = path.join(os.tmpdir(), `svc-child-${process.pid}`);
    const command = `sleep 20 & echo $! > ${file}; sleep 20; :`;
    const isChildAlive = () => isAlive(Number(fs.readFileSync(file, 'utf8')));
    afterEach(() => fs.rmSync(file, { force: true }));

    it('is ended after the limit with its children, which could keep the pipe open', async () => {
      const found = await failureOf(() => runTokenCommand(command, env, from, { limit: 300 }));
      expect([found.kind, found.message]).toEqual(['usage', `${from} took longer than 0.3 s`]);
      await vi.waitFor(() => expect(isChildAlive()).toBe(false));
    });

    it('is ended with its children when svc is interrupted', async () => {
      const interrupted = new AbortController();
      const running = runTokenCommand(command, env, from, { signal: interrupted.signal });
      await vi.waitFor(() => expect(fs.readFileSync(file, 'utf8')).toMatch(/\n/));
      const reason = new Failure('interrupted', 'interrupted');
      interrupted.abort(reason);
      await expect(running).rejects.toBe(reason);
      await vi.waitFor(() => expect(isChildAlive()).toBe(false));
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
      [
        'that is a link of another user',
        () => {
          fs.renameSync(file, path.join(base, 'real.json'));
          fs.symlinkSync('../real.json', file);
          fs.lchownSync(file, other, other);
        },
      ],
      [
        'that is a link to a file of another user',
        () => {
          fs.renameSync(file, path.join(base, 'real.json'));
          fs.symlinkSync('../real.json', file);
          fs.chownSync(path.join(base, 'real.json'), other, other);
        },
      ],
    ])('%s is not run', async (_what, change) => {
      change();
      const found = await failureOf(use);
      expect(found.kind).toBe('usage');
      expect(found.message).toContain(`${from} is not run: other users can change ${base}`);
      expect(fs.existsSync(mark)).toBe(false);
    });

    it.each([
      ['that another user owned when it was read', (read: fs.Stats) => Object.assign(read, { uid: other })],
      ['that others could write when it was read', (read: fs.Stats) => Object.assign(read, { mode: 0o666 })],
    ])('%s is not run', async (_what, change) => {
      const read = fs.statSync(file);
      change(read);
      expect((await failureOf(() => use(read))).message).toContain(
        `is not run: other users can change ${file}`,
      );
      fs.rmSync(file);
      expect((await failureOf(() => use(read))).message).toContain(
        `is not run: other users can change ${file}`,
      );
      expect(fs.existsSync(mark)).toBe(false);
    });

    it.each([
      ['of this user', () => {}],
      ['that others can read', () => fs.chmodSync(file, 0o644)],
      [
        'that is a link to a file of this user',
        () => {
          fs.renameSync(file, path.join(base, 'real.json'));
          fs.symlinkSync('../real.json', file);
        },
      ],
    ])('%s is run', async (_what, change) => {
      change();
      expect(await use()).toBe('private-token: k');
      expect(fs.existsSync(mark)).toBe(true);
    });
  });

  it('is rejected if it prints nothing', async () => {
    const found = await failureOf(() => sent({}, env, { base_url: home, token_command: 'true' }));
    expect(found.message).toMatch(/token_command\) is empty/);
  });
});
