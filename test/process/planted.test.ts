/** Links and folders that another user planted where svc keeps its state, and profiles in the current folder. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { replaceFileSync } from '../../src/support/atomic-write.ts';
import { checkOwnFolder, readOwn } from '../../src/support/own-files.ts';
import { type Home, svc, testHome } from '../support/process.ts';

let home: Home;
let victim: string;
beforeEach(async () => {
  home = await testHome();
  victim = join(home.path, 'victim');
  await writeFile(victim, 'untouched');
});

describe.skipIf(process.platform === 'win32')('a planted link', () => {
  test('next to a file is not written through', async () => {
    const file = join(home.path, 'seen.json');
    await symlink(victim, `${file}.${process.pid}`);
    replaceFileSync(file, 'content');
    expect(await readFile(victim, 'utf8')).toBe('untouched');
    expect(await readFile(file, 'utf8')).toBe('content');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('in place of a file is replaced and not read', async () => {
    const file = join(home.path, 'seen.json');
    await symlink(victim, file);
    expect(() => readOwn(file)).toThrow();
    replaceFileSync(file, 'content');
    expect(await readFile(victim, 'utf8')).toBe('untouched');
    expect(readOwn(file).toString()).toBe('content');
    await chmod(file, 0o622);
    expect(() => readOwn(file)).toThrow(`other users can change ${file}`);
  });

  test('is not written through by a sandbox in the background', async () => {
    const folder = join(home.path, 'state/svc/sandbox');
    await mkdir(folder, { recursive: true });
    for (const name of ['server.log', 'server.json']) await symlink(victim, join(folder, name));
    const started = await svc(home, ['sandbox', 'start', '--detach', '--memory']);
    const stopped = await svc(home, ['sandbox', 'stop']);
    expect([started.code, stopped.code]).toEqual([0, 0]);
    expect(await readFile(victim, 'utf8')).toBe('untouched');
  });
});

describe.skipIf(process.platform === 'win32')('a state folder that other users can change', () => {
  const jobs = ['--sandbox', 'jobs', 'list', '-p', 'acme/rocket', '--limit', '1', '--jq', '.[].id'];

  test('is rejected by the sandbox with exit code 1', async () => {
    const state = join(home.path, 'state');
    await mkdir(state);
    await chmod(state, 0o777);
    const { code, out, err } = await svc(home, jobs);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(
      `cannot use the sandbox folder ${state}/svc/sandbox: other users can change ${state}\n`,
    );
    expect(existsSync(join(state, 'svc'))).toBe(false);
  });

  test.each([
    ['a file', '', /: a part of the path is not a directory\n/],
    ['a link to itself', 'state', /: too many symbolic links/],
  ])('is reported with the cause if it is %s', async (_, target, says) => {
    const state = join(home.path, 'state');
    await (target ? symlink(target, state) : writeFile(state, ''));
    const { code, err } = await svc(home, jobs);
    expect([code, err]).toEqual([1, expect.stringMatching(says)]);
    expect(err).toMatch(/^error: cannot use the sandbox folder \S+\/state\/svc\/sandbox: /);
    expect(err).not.toContain('other users');
  });

  test('may be the target of a link, unless other users can change the target', async () => {
    const open = join(home.path, 'open');
    await mkdir(open);
    await symlink(open, join(home.path, 'link'));
    checkOwnFolder(join(home.path, 'link/svc'));
    await chmod(open, 0o777);
    expect(() => checkOwnFolder(join(home.path, 'link/svc'))).toThrow('other users can change');
    // Sticky, as /tmp: other users can add files but not replace ours.
    await chmod(open, 0o1777);
    checkOwnFolder(join(home.path, 'link/svc'));
  });
});

test('a profile file in the current folder is not read', async () => {
  const folder = join(home.path, 'work');
  await mkdir(join(folder, 'svc'), { recursive: true });
  const content = JSON.stringify({ current: 'x', profiles: { x: { base_url: 'http://127.0.0.1:1' } } });
  for (const name of ['profiles.json', '.svc.json', 'svc.json', '.env', 'svc/profiles.json'])
    await writeFile(join(folder, name), content, { mode: 0o600 });
  const env = { XDG_CONFIG_HOME: '.', SVC_TOKEN: 'x'.repeat(20) };
  const { code, err } = await svc(home, ['jobs', 'list', '-p', '1'], { cwd: folder, env });
  expect([code, err]).toEqual([2, expect.stringContaining('no base URL')]);
});
