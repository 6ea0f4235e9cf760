import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { pathsOf } from '../../src/config/paths.ts';
import { findProfile, isProfileName, readProfiles } from '../../src/config/profiles.ts';
import { ask, refusal } from '../interface/service.ts';
import { failureOf } from '../support/failures.ts';
import { folderWith } from '../support/folders.ts';
import { svc } from '../support/svc.ts';

let home: string;
beforeEach(async () => {
  home = await folderWith();
});

const paths = () => pathsOf({ HOME: home }, 'linux');
function put(content: string | Uint8Array, mode = 0o600): string {
  const file = paths().profiles as string;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content, { mode });
  return file;
}
const good = { current: 'work', profiles: { work: { base_url: 'https://a.example', token: 'tok-SECRET' } } };

describe('reading profiles', () => {
  it('reads the file', () => {
    put(JSON.stringify(good));
    const folder = path.join(home, '.config/svc');
    expect(readProfiles(paths())).toMatchObject({ ...good, warnings: [], folder });
  });

  it('finds no profiles without a file, a folder or a home', () => {
    expect(readProfiles(paths()).profiles).toEqual({});
    const nowhere = { config: '/dev/null', profiles: '/dev/null/profiles.json', own: true, remedy: '' };
    expect(readProfiles(nowhere).profiles).toEqual({});
    expect(readProfiles({ own: true, remedy: '' }).profiles).toEqual({});
  });

  it('reads a file that starts with a byte order mark', () => {
    put(`\uFEFF${JSON.stringify(good)}`);
    expect(readProfiles(paths()).current).toBe('work');
  });

  it('warns about an unknown setting', () => {
    put('{"profiles":{"x":{"readonly":true}}}');
    expect(readProfiles(paths()).warnings.at(-1)).toContain(
      'unknown setting "readonly". Did you mean read_only?',
    );
  });

  const text = JSON.stringify(good, null, 2);
  it.each<[string, string | Uint8Array]>([
    ['truncated', text.slice(0, text.length / 2)],
    ['truncated within the token', text.slice(0, text.indexOf('SECRET') + 3)],
    ['with a stray word beside the token', text.replace('"tok-SECRET"', 'tok-SECRET')],
    ['bytes that are not text', new Uint8Array([0, 255, 254, 3, 7])],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['profiles as a list', '{"profiles": [{"token": "tok-SECRET"}]}'],
    ['a profile as a string', '{"profiles": {"work": "tok-SECRET"}}'],
    ['a profile with an invalid name', '{"profiles": {"a/b": {}}}'],
    ['a profile named __proto__', '{"profiles": {"__proto__": {"token": "tok-SECRET"}}}'],
    ['a token that is a number', '{"profiles": {"work": {"token": 12345}}}'],
    ['current as a number', '{"current": 1, "profiles": {}}'],
  ])('%s: reports the path without the content and keeps the file', async (_, content) => {
    const file = put(content);
    const before = fs.readFileSync(file);
    const found = await failureOf(() => readProfiles(paths()));
    expect(found.kind).toBe('usage');
    expect(found.message).toContain(file);
    const { message, hints, details, cause, stack } = found;
    expect([message, ...hints, ...details, String(cause), stack].join('\n')).not.toMatch(/SECRET|tok-|SEC/);
    expect(fs.readFileSync(file).equals(before)).toBe(true);
  });

  it('reports the line of invalid JSON', async () => {
    put('{\n  "profiles": {\n    "work": {} "home"\n');
    expect((await failureOf(() => readProfiles(paths()))).message).toContain('line 3');
  });

  it('rejects a folder in place of the file', async () => {
    fs.mkdirSync(paths().profiles as string, { recursive: true });
    expect((await failureOf(() => readProfiles(paths()))).kind).toBe('usage');
  });

  it('reports a loop of links as internal', async () => {
    const file = paths().profiles as string;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.symlinkSync(file, file);
    const found = await failureOf(() => readProfiles(paths()));
    expect(found.kind).toBe('internal');
    expect(found.message).toContain(file);
  });
});

describe('commands', () => {
  const own = () => ({ HOME: home, SVC_CONFIG_DIR: '', XDG_CONFIG_HOME: path.join(home, '.config') });

  it.each(['jobs list -p 1', 'profiles set project a/b --profile work', 'config explain'])(
    'svc %s reports an invalid file by its path, sends nothing and keeps it',
    async (line) => {
      const file = put('['.repeat(100_000));
      const err = await refusal(line, [/^error: /], { env: own() });
      expect(err.split('\n')[0]).toContain(file);
      expect(fs.readFileSync(file, 'utf8')).toHaveLength(100_000);
      expect(fs.readdirSync(path.dirname(file))).toEqual(['profiles.json']);
    },
  );

  it.each(['--version', 'jobs list --help'])('svc %s works with an invalid file', async (line) => {
    put('{');
    expect((await svc(line, { env: own() })).code).toBe(0);
  });

  it('warn about a file that other users can read, and the next write fixes its mode', async () => {
    const file = put(JSON.stringify(good));
    fs.chmodSync(file, 0o644);
    const { code, err } = await ask('jobs list -p 1', { body: '[]' }, { env: own() });
    expect(code).toBe(0);
    expect(err).toMatch(/other users can access .*chmod 600/);
    expect(err).not.toContain('SECRET');
    await svc('profiles set project a/b', { env: own() });
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('profile names', () => {
  it.each(['a', 'work', 'Work-2', 'a.b_c', 'constructor', 'x'.repeat(64)])('%s is valid', (name) =>
    expect(isProfileName(name)).toBe(true),
  );
  it.each(['', '__proto__', 'a b', 'a/b', 'é', 'a\n', 'x'.repeat(65)])('%j is invalid', (name) =>
    expect(isProfileName(name)).toBe(false),
  );

  it('are looked up in the profiles, with similar names for an unknown one', async () => {
    const data = { profiles: { work: {}, home: {} } };
    expect((await failureOf(() => findProfile(data, 'constructor', '--profile'))).kind).toBe('usage');
    const found = await failureOf(() => findProfile(data, 'wrok', '--profile'));
    expect(found.message).toContain('--profile');
    expect(found.hints.join()).toMatch(/Did you mean work/);
    expect(found.hints.join()).not.toMatch(/home/);
    expect((await failureOf(() => findProfile(data, 'zzzzzz'))).hints.join()).toMatch(/work, home/);
  });
});
