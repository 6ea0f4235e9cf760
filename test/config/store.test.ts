import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pathsOf } from '../../src/config/paths.ts';
import { readProfiles } from '../../src/config/profiles.ts';
import { removeProfile, saveProfile, useProfile } from '../../src/config/store.ts';
import type { Failure } from '../../src/errors.ts';
import { processNamespace } from '../../src/support/process.ts';
import { acquireLock } from '../../src/support/waiting/lock.ts';
import { failureOf } from '../support/failures.ts';
import { folderWith, sharedFolder } from '../support/folders.ts';

let home: string;
beforeEach(async () => {
  home = await folderWith();
});

const paths = () => pathsOf({ HOME: home }, 'linux');
const folder = () => paths().config as string;
const file = () => paths().profiles as string;
const modeOf = (path: string) => (fs.statSync(path).mode & 0o777).toString(8);
const content = () => JSON.parse(fs.readFileSync(file(), 'utf8'));
function put(text: string): void {
  fs.mkdirSync(folder(), { recursive: true });
  fs.writeFileSync(file(), text, { mode: 0o600 });
}
const a = { base_url: 'https://a.example' };

/** Expect a failure of this kind with these texts in its message. */
async function rejects(act: Promise<unknown>, kind = 'usage', ...says: readonly string[]): Promise<Failure> {
  const found = await failureOf(act);
  expect(found.kind).toBe(kind);
  for (const text of says) expect(found.message).toContain(text);
  return found;
}

describe('writing profiles', () => {
  it('creates a file with mode 0600 in a folder with mode 0700', async () => {
    await saveProfile(paths(), 'work', { ...a, token: 't' });
    expect(modeOf(file())).toBe('600');
    expect(modeOf(folder())).toBe('700');
    expect(fs.readFileSync(file(), 'utf8')).toMatch(/^{\n {2}"/);
    expect(fs.readdirSync(folder())).toEqual(['profiles.json']);
  });

  it('fixes modes that are too wide, except of a folder that the user chose', async () => {
    put('{"profiles":{}}');
    fs.chmodSync(file(), 0o644);
    fs.chmodSync(folder(), 0o755);
    await saveProfile({ ...paths(), own: false }, 'work', a);
    expect([modeOf(file()), modeOf(folder())]).toEqual(['600', '755']);
    await saveProfile(paths(), 'work', a);
    expect([modeOf(file()), modeOf(folder())]).toEqual(['600', '700']);
  });

  it('keeps unknown keys', async () => {
    put(
      '\uFEFF{"$schema":"s","folder":"f","profiles":{"work":{"base_url":"https://a","color":"red"},"x":{"n":[1]}}}',
    );
    await saveProfile(paths(), 'work', { project: 'p' });
    expect(content()).toMatchObject({
      $schema: 's',
      folder: 'f',
      profiles: { work: { base_url: 'https://a', color: 'red', project: 'p' }, x: { n: [1] } },
    });
  });

  it('keeps files of the user with similar names', async () => {
    put('{"profiles":{}}');
    const names = ['newer', 'new', 'new-backup', 'new-2026', 'new-1.json', 'bak'].map(
      (end) => `${file()}.${end}`,
    );
    for (const name of names) fs.writeFileSync(name, 'mine');
    await saveProfile(paths(), 'work', a);
    expect(fs.readdirSync(folder()).sort()).toEqual(
      [file(), ...names].map((name) => path.basename(name)).sort(),
    );
  });

  it('makes only the first profile current; removing it leaves no current profile', async () => {
    await saveProfile(paths(), 'one', a);
    await saveProfile(paths(), 'two', a);
    expect(content().current).toBe('one');
    await useProfile(paths(), 'two');
    expect(content().current).toBe('two');
    await saveProfile(paths(), 'three', a, { use: true });
    expect(content().current).toBe('three');
    await removeProfile(paths(), 'three');
    expect(content()).toEqual({ profiles: { one: a, two: a } });
  });

  it('rejects invalid and unknown names', async () => {
    await saveProfile(paths(), 'work', a);
    await rejects(saveProfile(paths(), '__proto__', a));
    await rejects(saveProfile(paths(), 'a/b', a));
    await rejects(useProfile(paths(), 'wrok'));
    await rejects(removeProfile(paths(), 'toString'));
    expect(content().profiles).toEqual({ work: a });
  });

  it('binds a token to the origin of its base URL, also if the base URL changes later', async () => {
    await saveProfile(paths(), 'work', { base_url: 'https://A.example:443/x/api/v4', token: 't' });
    expect(content().profiles.work.origin).toBe('https://a.example');
    await saveProfile(paths(), 'work', { base_url: 'https://b.example' });
    expect(content().profiles.work).toMatchObject({
      base_url: 'https://b.example',
      origin: 'https://a.example',
    });
    await saveProfile(paths(), 'work', { token: 'u' });
    expect(content().profiles.work.origin).toBe('https://b.example');
    // A file that was edited may lack the origin.
    put('{"profiles":{"work":{"base_url":"https://a.example","token":"t"}}}');
    await saveProfile(paths(), 'work', { base_url: 'https://b.example' });
    expect(content().profiles.work.origin).toBe('https://a.example');
  });

  it('keeps one source of the token, and no origin without a token', async () => {
    await saveProfile(paths(), 'work', { ...a, token: 't' });
    await saveProfile(paths(), 'work', { token_command: 'pass svc' });
    expect(content().profiles.work).toEqual({ ...a, token_command: 'pass svc', origin: 'https://a.example' });
    await saveProfile(paths(), 'work', { token_command: undefined });
    expect(content().profiles.work).toEqual(a);
  });

  it('rejects a token without a base URL', async () => {
    await rejects(saveProfile(paths(), 'work', { token: 't' }));
    expect(fs.existsSync(file())).toBe(false);
  });

  it('writes the target of a link and keeps the link', async () => {
    const real = path.join(home, 'dotfiles', 'svc.json');
    fs.mkdirSync(path.dirname(real));
    fs.mkdirSync(folder(), { recursive: true });
    fs.symlinkSync('../../dotfiles/svc.json', file());
    // At first the target of the link does not exist.
    for (const name of ['one', 'two']) {
      await saveProfile(paths(), name, a);
      expect(fs.readlinkSync(file())).toBe('../../dotfiles/svc.json');
      expect(fs.lstatSync(real).isFile()).toBe(true);
      expect(modeOf(real)).toBe('600');
      expect(Object.keys(content().profiles)).toContain(name);
    }
    expect(fs.readdirSync(path.dirname(real))).toEqual(['svc.json']);
  });

  it.each([
    ['empty', ''],
    ['truncated', '{"current":"work","profiles":{"wo'],
    ['of another program', '{"editor.fontSize": 12}'],
  ])('does not change a file that is %s', async (_, text) => {
    put(text);
    await rejects(saveProfile(paths(), 'work', a), 'usage', file());
    expect(fs.readFileSync(file(), 'utf8')).toBe(text);
    expect(fs.readdirSync(folder())).toEqual(['profiles.json']);
  });

  it('names the variable to set without a home', async () => {
    const none = pathsOf({}, 'linux', () => '');
    const found = await rejects(saveProfile(none, 'work', a));
    expect(found.hints.join()).toContain('HOME');
  });

  it('reports a folder that cannot be created with path and reason', async () => {
    fs.writeFileSync(path.join(home, '.config'), '');
    await rejects(saveProfile(paths(), 'work', a), 'internal', file(), 'not a directory');
  });

  it.skipIf(process.getuid?.() === 0)('reports a folder that may not be written', async () => {
    put('{"profiles":{}}');
    fs.chmodSync(folder(), 0o500);
    await rejects(saveProfile(paths(), 'work', a), 'internal', 'permission denied');
    fs.chmodSync(folder(), 0o700);
  });

  it.runIf(process.getuid?.() === 0)('keeps the owner of the file when root writes', async () => {
    put('{"profiles":{}}');
    fs.chownSync(file(), 1234, 1235);
    await saveProfile(paths(), 'work', a);
    expect(fs.statSync(file())).toMatchObject({ uid: 1234, gid: 1235 });
    expect(modeOf(file())).toBe('600');
  });
});

describe('the lock', () => {
  const takeOver = async (file: string) => {
    const lock = await acquireLock(file, 30);
    expect(lock.isHeld()).toBe(true);
    lock.release();
  };

  it('blocks a second writer and reports its owner', async () => {
    const lock = path.join(home, 'f.lock');
    fs.writeFileSync(lock, `${process.pid} other ${os.hostname()}`);
    const found = acquireLock(lock, 30);
    await expect(found).rejects.toMatchObject({ path: lock, owner: String(process.pid) });
    expect(fs.existsSync(lock)).toBe(true);
  });

  const ended = () => spawnSync(process.execPath, ['--version']).pid;

  it('is removed at once if its process has ended', async () => {
    fs.writeFileSync(path.join(home, 'f.lock'), `${ended()} other ${processNamespace()}`);
    await takeOver(path.join(home, 'f.lock'));
  });

  it('of another container is kept while it is updated, whatever its process id', async () => {
    const lock = path.join(home, 'f.lock');
    const [boot = ''] = (processNamespace() ?? '').split('/');
    const names = [os.hostname(), `${boot}/pid:[1]`, 'other/pid:[1]', ''];
    for (const namespace of names.filter((name) => name !== processNamespace())) {
      fs.writeFileSync(lock, `${ended()} other ${namespace}`);
      const old = Date.now() / 1000 - 5;
      fs.utimesSync(lock, old, old);
      await expect(acquireLock(lock, 30)).rejects.toMatchObject({ path: lock });
      const stale = Date.now() / 1000 - 11;
      fs.utimesSync(lock, stale, stale);
      await takeOver(lock);
    }
  });

  it('is updated while it is held', async () => {
    const lock = path.join(home, 'f.lock');
    const held = await acquireLock(lock);
    const old = Date.now() / 1000 - 8;
    fs.utimesSync(lock, old, old);
    await expect.poll(() => fs.lstatSync(lock).mtimeMs / 1000).toBeGreaterThan(old + 7);
    held.release();
  });

  it('is removed if it is stale', async () => {
    const lock = path.join(home, 'f.lock');
    for (const text of ['', `${process.pid} other ${os.hostname()}`, '1 other elsewhere']) {
      fs.writeFileSync(lock, text);
      fs.utimesSync(lock, 0, Date.now() / 1000 - 60);
      await takeOver(lock);
      expect(fs.readdirSync(home)).toEqual([]);
    }
  });
});

describe('many processes', () => {
  const built = sharedFolder();
  beforeAll(async () => {
    const input = path.join(import.meta.dirname, 'writer.ts');
    const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' });
    await bundle.write({
      dir: built,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name].mjs',
    });
    await bundle.close();
  });

  function start(name: string, task: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
    const args = [path.join(built, 'writer.mjs'), folder(), name, task];
    return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  }
  const end = async (child: ChildProcess) => (await once(child, 'exit')) as [number | null, string | null];

  it('twenty processes lose no change, also after one was killed with the lock', async () => {
    expect(await end(start('dead', 'die with the lock'))).toEqual([null, 'SIGKILL']);
    expect(fs.readdirSync(folder())).toEqual(['profiles.json.lock']);
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    const codes = await Promise.all(names.map((name) => end(start(name, 'save'))));
    expect(codes).toEqual(names.map(() => [0, null]));
    const { profiles } = readProfiles(paths());
    expect(Object.keys(profiles).sort()).toEqual([...names].sort());
    for (const name of names)
      expect(profiles[name]).toEqual({ base_url: `https://${name}.example`, timeout: 3 });
    expect(fs.readdirSync(folder())).toEqual(['profiles.json']);
  });

  // In a Snap terminal, `conf` alone would write in place.
  it.each([
    ['', {}],
    [' in a Snap terminal', { SNAP: '/snap/x' }],
  ])(
    'keeps the old file if killed before the rename%s, and cleans up at the next write',
    async (_, env) => {
      await saveProfile(paths(), 'work', { ...a, token: 't' });
      const before = fs.readFileSync(file(), 'utf8');
      expect(await end(start('dead', 'die before the rename', env))).toEqual([null, 'SIGKILL']);
      expect(fs.readFileSync(file(), 'utf8')).toBe(before);
      const draft = path.join(folder(), '.profiles.json.svc-draft');
      expect(fs.readdirSync(draft).map((name) => modeOf(path.join(draft, name)))).toEqual(['600']);
      await saveProfile(paths(), 'next', a);
      expect(Object.keys(content().profiles)).toEqual(['work', 'next']);
      expect(fs.readdirSync(folder())).toEqual(['profiles.json']);
    },
    30_000,
  );

  it('a process that is killed leaves a valid file', async () => {
    await saveProfile(paths(), 'x', a);
    for (let round = 0; round < 8; round++) {
      const child = start('x', 'write until killed');
      let dots = 0;
      const ended = end(child);
      // Its output stays open until it has ended: a closed pipe would end it in another way.
      for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
        dots += chunk.length;
        if (dots > round * 3) child.kill('SIGKILL');
      }
      expect(await ended).toEqual([null, 'SIGKILL']);
      const { x } = readProfiles(paths()).profiles;
      expect(x?.output).toHaveLength(20_000);
      expect(x?.output).toBe(x?.group);
    }
    await saveProfile(paths(), 'next', a);
    expect(fs.readdirSync(folder())).toEqual(['profiles.json']);
  });
});
