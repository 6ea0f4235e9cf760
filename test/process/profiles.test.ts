import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, describe, expect, it } from 'vitest';
import { command, type Home, stackTrace, start, svc, testHome, until } from '../support/process.ts';
import { json, sharedService, testService } from '../support/service.ts';

const secret = 'svcpat-5bXq0ZrT';
const service = await sharedService((_, res) => json(res, [{ id: 1 }]));
let home: Home;

beforeEach(async () => {
  home = await testHome();
});

async function keep(content: string | Uint8Array, mode = 0o600): Promise<void> {
  await mkdir(dirname(home.profiles), { recursive: true, mode: 0o700 });
  await writeFile(home.profiles, content, { mode });
  await chmod(home.profiles, mode);
}

const read = async () =>
  JSON.parse(await readFile(home.profiles, 'utf8')) as { profiles: Record<string, object> };
const oneProfile = () =>
  JSON.stringify({ current: 'work', profiles: { work: { base_url: service.origin, token: secret } } });

describe('concurrent writes', () => {
  it('keep all of twenty profiles', async () => {
    await keep(oneProfile());
    const names = Array.from({ length: 20 }, (_, at) => `p${at}`);
    const ended = await Promise.all(
      names.map((name) => svc(home, ['profiles', 'set', 'project', `group/${name}`, '--profile', name])),
    );
    for (const [at, { code, err }] of ended.entries())
      expect({ code, err }).toEqual({ code: 0, err: `Set project in profile ${names[at]}\n` });
    const { profiles } = await read();
    expect(Object.keys(profiles).sort()).toEqual(['work', ...names].sort());
    for (const name of names) expect(profiles[name]).toEqual({ project: `group/${name}` });
    expect(profiles['work']).toEqual({ base_url: service.origin, token: secret });
    expect(await readdir(dirname(home.profiles))).toEqual(['profiles.json']);
    expect((await stat(home.profiles)).mode & 0o777).toBe(0o600);
  });

  it('lose no earlier profile and leave a valid file if some are killed', async () => {
    await keep(oneProfile());
    for (let round = 0; round < 12; round++) {
      const started = start(home, ['profiles', 'set', 'project', `p/${round}`, '--profile', `r${round}`]);
      // At any time while it runs.
      setTimeout(() => started.child.kill('SIGKILL'), 15 + 7 * round);
      await started.ended;
      expect((await read()).profiles['work']).toEqual({ base_url: service.origin, token: secret });
    }
    const { code } = await svc(home, ['profiles', 'set', 'project', 'last/one', '--profile', 'last']);
    expect(code).toBe(0);
    const { profiles } = await read();
    expect(profiles['last']).toEqual({ project: 'last/one' });
    // Files of killed processes contain tokens. They and their locks must be removed.
    expect(await readdir(dirname(home.profiles))).toEqual(['profiles.json']);
  });
});

describe('invalid content', () => {
  it.each([
    ['cut in half', () => oneProfile().slice(0, 60)],
    ['bytes', () => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0xff, 0xfe])],
    ['nested without end', () => '['.repeat(100_000)],
  ])('%s: exit 2 with its path, and the file is unchanged', async (_, content) => {
    const bytes = Buffer.from(content() as string);
    await keep(bytes);
    const before = service.arrived.length;
    for (const argv of [
      ['jobs', 'list', '-p', '1', '--base-url', service.origin],
      ['profiles', 'set', 'project', 'a/b', '--profile', 'work'],
      ['config', 'explain'],
    ]) {
      const { code, out, err } = await svc(home, argv);
      expect({ argv, code, out }).toEqual({ argv, code: 2, out: '' });
      expect(err).toMatch(/^error: /);
      expect(err.split('\n')[0]).toContain(home.profiles);
      expect(err).not.toContain(secret);
      expect(err).not.toMatch(stackTrace);
    }
    expect(service.arrived.length).toBe(before);
    expect(bytes.equals(await readFile(home.profiles))).toBe(true);
    const helps = [['--version'], ['jobs', 'list', '--help']];
    const codes = await Promise.all(helps.map(async (argv) => (await svc(home, argv)).code));
    expect(codes).toEqual([0, 0]);
  });
});

describe('the file itself', () => {
  it('that other users can read causes a warning, and the next write fixes its mode', async () => {
    await keep(oneProfile(), 0o644);
    const { code, err } = await svc(home, ['jobs', 'list', '-p', '1']);
    expect(code).toBe(0);
    expect(err).toMatch(/other users can access .*chmod 600/);
    expect(err).not.toContain(secret);
    await svc(home, ['profiles', 'set', 'project', 'a/b']);
    expect((await stat(home.profiles)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(home.profiles))).mode & 0o777).toBe(0o700);
  });

  it('is created with mode 0600 in a folder with mode 0700, with any umask', async () => {
    expect((await svc(home, ['profiles', 'set', 'project', 'a/b', '--profile', 'x'])).code).toBe(0);
    expect((await stat(home.profiles)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(home.profiles))).mode & 0o777).toBe(0o700);
  });
});

it('a working folder may be deleted', async () => {
  const gone = join(home.path, 'gone');
  await mkdir(gone);
  const line = `cd '${gone}' && rmdir '${gone}' && exec "$@"`;
  for (const argv of [['--version'], ['jobs', 'list', '-p', '1', '--csv', '--fields', 'id']]) {
    await mkdir(gone, { recursive: true });
    const { exitCode, stderr } = await execa('sh', ['-c', line, 'sh', ...command, ...argv], {
      env: { ...home.env, SVC_BASE_URL: service.origin, SVC_TOKEN: secret },
      extendEnv: false,
      reject: false,
    });
    expect({ argv, exitCode, stderr }).toEqual({ argv, exitCode: 0, stderr: '' });
  }
});

describe('files that are never configuration', () => {
  it('a profile file in the current folder', async () => {
    const folder = join(home.path, 'work');
    await mkdir(join(folder, 'svc'), { recursive: true });
    for (const name of ['profiles.json', '.svc.json', 'svc.json', '.env', 'svc/profiles.json']) {
      await writeFile(join(folder, name), oneProfile());
    }
    const before = service.arrived.length;
    const env = { XDG_CONFIG_HOME: 'svc', SVC_TOKEN: secret };
    const { code, err } = await svc(home, ['jobs', 'list', '-p', '1'], { cwd: folder, env });
    expect(code).toBe(2);
    expect(err).toMatch(/no base URL/);
    expect(service.arrived.length).toBe(before);
  });
});

describe('the token of a profile', () => {
  it('is sent only to its own origin, with any base URL', async () => {
    await keep(oneProfile());
    const other = await testService((_, res) => json(res, [{ id: 1 }]));
    await svc(home, ['jobs', 'list', '-p', '1', '--base-url', other.origin]);
    await svc(home, ['variables', 'list', '-p', '1'], { env: { SVC_BASE_URL: other.origin } });
    await svc(home, ['profiles', 'set', 'base_url', other.origin]);
    await svc(home, ['jobs', 'list', '-p', '1']);
    await until('the requests', () => other.requests.length >= 3);
    for (const { headers } of other.requests) {
      expect(headers['private-token']).toBeUndefined();
      expect(JSON.stringify(headers)).not.toContain(secret);
    }
  });
});
