/** `svc man`, and `svc completion install` beside it. */
import fs from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { areas } from '../../src/api/index.ts';
import { chosenFolder, userFolder } from '../../src/cli/builtin/man/folder.ts';
import { manPages } from '../../src/docs/man/man.ts';
import { pageNames } from '../../src/spec/manual.ts';
import { loadManual } from '../docs/catalogue.ts';
import { svc } from '../support/svc.ts';

const names = pageNames(areas);
const pages = manPages(await loadManual());

/** A home whose PATH has no programs. */
async function homeFolder() {
  const home = await mkdtemp(join(tmpdir(), 'svc-man-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const env = { HOME: home, PATH: join(home, 'bin') };
  return {
    home,
    folder: join(home, '.local/share/man'),
    run: (line: string, more = {}) => svc(line, { env: { ...env, ...more } }),
  };
}

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name));

/** A program named man that prints a text. */
async function fakeMan(home: string, script: string): Promise<void> {
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin/man'), `#!/bin/sh\n${script}\n`);
  await chmod(join(home, 'bin/man'), 0o755);
}

describe('svc man', () => {
  test('has a name for each page, and for nothing else', () => {
    const titles = names.map((name) => (name === 'svc' ? name : `svc-${name}`));
    expect(titles.sort()).toEqual([...pages.keys()].map((file) => file.replace(/\.\d$/, '')).sort());
  });

  test.each(['jobs', 'svc-jobs', 'svc-jobs(1)', 'svc-jobs.1'])('%s prints the page as text', async (name) => {
    const { code, out, err } = await svc(['man', name]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^NAME\n {2}svc-jobs\(1\) - /);
    for (const title of ['SYNOPSIS', 'DESCRIPTION', 'COMMANDS', 'EXIT STATUS', 'SEE ALSO'])
      expect(out).toContain(`\n${title}\n`);
    expect(out).not.toMatch(/\\f|\u001b|\u00a0/);
  });

  test.each([...names])('%s prints every flag of the page', async (name) => {
    const { code, out } = await svc(['man', name]);
    const source = [...pages].find(([file]) => file.replace(/\.\d$/, '').replace(/^svc-/, '') === name)?.[1];
    const plain = (source ?? '').replaceAll('\\\n', '').replaceAll('\\-', '-');
    expect(code).toBe(0);
    for (const flag of plain.match(/(?<=\n\\fB)--[a-z-]+/g) ?? []) expect(out).toContain(flag);
  });

  test('prints svc(1) by default, and accepts the alias of an area', async () => {
    expect((await svc('man')).out).toMatch(/^NAME\n {2}svc\(1\) - /);
    expect((await svc('man errors')).out).toMatch(/svc-error-tracking\(1\)/);
  });

  test.each([
    ['doctor', /svc\(1\) describes it: svc man/],
    ['jbos', /Did you mean jobs\?/],
    ['--dir=x', /unknown flag --dir/],
    ['jobs list', /too many arguments/],
  ])('%s is an error with advice', async (words, says) => {
    const { code, out, err } = await svc(`man ${words}`);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(says);
  });

  test('prints text on a terminal without the program man', async () => {
    const { home } = await homeFolder();
    const { code, out } = await svc('man exit-codes', { env: { HOME: home, PATH: home }, terminal: 60 });
    expect(code).toBe(0);
    expect(out).toContain('svc-exit-codes(7)');
    // Only commands are not wrapped.
    for (const line of out.replace(/\u001b\[\d+m/g, '').split('\n'))
      if (line.length > 60) expect(line).toMatch(/^ {4}/);
  });
});

describe('svc man install', () => {
  test('writes every page to the folder of its section, readable by all users', async () => {
    const { home, folder, run } = await homeFolder();
    const { code, out, err } = await run('man install --yes');
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain(`Wrote ${pages.size} manual pages to ${folder}`);
    const wanted = [...pages.keys()].map((name) => join(folder, `man${name.at(-1)}`, name));
    expect((await filesIn(home)).sort()).toEqual(wanted.sort());
    const text = await readFile(join(folder, 'man1/svc-jobs.1'), 'utf8');
    expect(text).toMatch(/^\.\\" Written by svc man install, version \S+\.\n\.TH "SVC/);
    const umask = process.umask();
    expect((await stat(join(folder, 'man1/svc.1'))).mode & 0o777).toBe(0o644 & ~umask);
    expect((await stat(join(folder, 'man1'))).mode & 0o777).toBe(0o755 & ~umask);
  });

  test('rejects an empty folder, which would be the current one', async () => {
    const { run, home } = await homeFolder();
    const { code, err } = await run('man install --dir "" --yes');
    expect([code, err]).toEqual([2, expect.stringContaining('--dir requires a path')]);
    expect(await filesIn(home)).toEqual([]);
  });

  test('changes nothing the second time, and needs no confirmation for that', async () => {
    const { folder, run } = await homeFolder();
    await run('man install --yes');
    const before = await stat(join(folder, 'man1/svc.1'));
    const { code, err } = await run('man install');
    expect(code).toBe(0);
    expect(err).toContain('are up to date');
    expect((await stat(join(folder, 'man1/svc.1'))).ino).toBe(before.ino);
  });

  test('replaces pages of another version and removes those that no longer exist', async () => {
    const { folder, run } = await homeFolder();
    const mark = '.\\" Written by svc man install, version 0.0.1.\n';
    await mkdir(join(folder, 'man1'), { recursive: true });
    for (const name of ['svc.1', 'svc-gone.1']) await writeFile(join(folder, 'man1', name), mark);
    await writeFile(join(folder, 'man1/svc-mine.1'), '.\\" mine\n');
    const dry = await run('man install --dry-run');
    expect(dry.out).toContain(`replace ${join(folder, 'man1/svc.1')}\n`);
    expect(dry.out).toContain(`remove ${join(folder, 'man1/svc-gone.1')}\n`);
    expect(dry.out).not.toContain('svc-mine');
    expect((await run('man install --yes')).err).toContain('and removed 1 of an earlier version');
    const names = await readdir(join(folder, 'man1'));
    expect(names).toContain('svc-mine.1');
    expect(names).not.toContain('svc-gone.1');
    expect(await readFile(join(folder, 'man1/svc.1'), 'utf8')).not.toContain('version 0.0.1.');
  });

  test('replaces no page of another program, and no link to one', async () => {
    const { home, folder, run } = await homeFolder();
    await mkdir(join(folder, 'man1'), { recursive: true });
    await writeFile(join(home, 'other.1'), '.\\" Generated for a package\n');
    await symlink(join(home, 'other.1'), join(folder, 'man1/svc-jobs.1'));
    const { code, err } = await run('man install --yes');
    expect(code).toBe(1);
    expect(err).toContain('man1/svc-jobs.1 already exists and is not from svc');
    expect(await readdir(join(folder, 'man1'))).toEqual(['svc-jobs.1']);
    expect(await readFile(join(home, 'other.1'), 'utf8')).toContain('for a package');
  });

  test('prints each file with --dry-run and writes none', async () => {
    const { home, folder, run } = await homeFolder();
    const { code, out } = await run('man install --dry-run');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toHaveLength(pages.size);
    expect(out).toContain(`write ${join(folder, 'man5/svc-config.5')}\n`);
    expect(await readdir(home)).toEqual([]);
  });

  test('requires --yes without a terminal and names the folder', async () => {
    const { home, folder, run } = await homeFolder();
    const { code, err } = await run('man install');
    expect(code).toBe(2);
    expect(err).toContain(folder);
    expect(await readdir(home)).toEqual([]);
  });

  test('writes to the folder of --dir, relative to the current one', async () => {
    const { home } = await homeFolder();
    const { code } = await svc('man install --dir pages --yes', { cwd: home, env: { PATH: home } });
    expect(code).toBe(0);
    expect((await readdir(join(home, 'pages'))).sort()).toEqual(['man1', 'man5', 'man7']);
  });

  test('reports a folder that cannot be written, with another way', async () => {
    const { home, run } = await homeFolder();
    await writeFile(join(home, 'file'), '');
    const { code, err } = await run(`man install --yes --dir ${join(home, 'file/man')}`);
    expect(code).toBe(1);
    expect(err).toMatch(/cannot use the folder of manual pages: .*not a directory/);
    expect(err).toContain('--dir');
  });

  test('tells how man finds the pages, as man itself reports', async () => {
    const none = await homeFolder();
    expect((await none.run('man install --yes')).err).toContain('The program man is not installed');
    const { home, folder, run } = await homeFolder();
    await fakeMan(home, `[ "$1 $2" = '-w svc' ] && echo "$FAKE"`);
    expect((await run('man install --yes')).err).toContain(
      `man does not search this folder\n  Next step: add to your shell profile: export MANPATH=${folder}:"$MANPATH"`,
    );
    const own = { FAKE: join(folder, 'man1/svc.1') };
    expect((await run('man install', own)).err).toContain('Try it: man svc');
    const other = { FAKE: '/usr/share/man/man1/svc.1.gz' };
    expect((await run('man install', other)).err).toContain(
      'man shows another page: /usr/share/man/man1/svc.1.gz',
    );
  });
});

describe('svc man uninstall', () => {
  test('removes the pages that svc wrote, and no others', async () => {
    const { home, folder, run } = await homeFolder();
    await run('man install --yes');
    await writeFile(join(folder, 'man1/svc-mine.1'), '.\\" mine\n');
    expect((await run('man uninstall --yes')).err).toContain(`Removed ${pages.size} manual pages`);
    expect(await filesIn(home)).toEqual([join(folder, 'man1/svc-mine.1')]);
    expect((await run('man uninstall')).err).toContain('svc installed no manual pages');
  });
});

describe('folders', () => {
  test('that are empty are removed with the last page and the last script', async () => {
    const { home, run } = await homeFolder();
    for (const shell of ['bash', 'zsh', 'fish', 'powershell']) await run(`completion install ${shell} --yes`);
    await run('man install --yes');
    await run('completion uninstall --yes');
    await run('man uninstall --yes');
    expect((await readdir(home, { recursive: true })).sort()).toEqual(['.config', '.local', '.local/share']);
  });

  test('that have files of others, and the folder of --dir, are kept', async () => {
    const { home, folder, run } = await homeFolder();
    await run('man install --yes');
    await writeFile(join(folder, 'man7/mine.7'), '');
    await run('man uninstall --yes');
    expect((await readdir(folder, { recursive: true })).sort()).toEqual(['man7', 'man7/mine.7']);
    const other = join(home, 'other');
    await run(`man install --yes --dir ${other}`);
    await run(`man uninstall --yes --dir ${other}`);
    expect(await readdir(other)).toEqual([]);
  });

  test('are removed again if no page can be written', async () => {
    const { home, run } = await homeFolder();
    vi.spyOn(fs.promises, 'open').mockRejectedValueOnce(
      Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }),
    );
    const { code, err } = await run('man install --yes');
    vi.restoreAllMocks();
    expect(code).toBe(1);
    expect(err).toContain('the disk is full');
    expect(await readdir(home)).toEqual([]);
  });
});

describe('the folder of manual pages', () => {
  const home = '/home/mia';
  test.each([
    [{ HOME: home }, '/home/mia/.local/share/man'],
    [{ HOME: home, XDG_DATA_HOME: '/data' }, '/data/man'],
    [{ HOME: home, XDG_DATA_HOME: 'relative' }, '/home/mia/.local/share/man'],
    [{ HOME: home, MANPATH: '/usr/share/man:/home/mia/man:' }, '/home/mia/man'],
    [{ HOME: home, MANPATH: '/home/mia/man:/home/mia/.local/share/man' }, '/home/mia/.local/share/man'],
    [{ HOME: home, MANPATH: '/home/miaow/man' }, '/home/mia/.local/share/man'],
  ])('for %j it is %s', (env, folder) => {
    expect(userFolder(env, 'linux')).toBe(folder);
  });

  test('does not exist on Windows, unless --dir names one', () => {
    const context = { env: { USERPROFILE: 'C:\\Users\\mia' }, cwd: '/' } as never;
    expect(() => chosenFolder(undefined, context, 'win32')).toThrow(
      /no program shows manual pages on Windows/,
    );
    expect(chosenFolder('x', context, 'win32')).toBe('/x');
  });
});

describe('svc completion', () => {
  test('install prints the file with --dry-run, and changes nothing the second time', async () => {
    const { home, run } = await homeFolder();
    const file = join(home, '.local/share/zsh/site-functions/_svc');
    expect((await run('completion install zsh --dry-run')).out).toBe(`write ${file}\n`);
    expect(await readdir(home)).toEqual([]);
    await run('completion install zsh --yes');
    const { code, err } = await run('completion install zsh');
    expect(code).toBe(0);
    expect(err).toMatch(/Up to date: the zsh completion in /);
    await writeFile(file, (await readFile(file, 'utf8')).replace(/version \S+/, 'version 0.0.1.'));
    expect((await run('completion install zsh --dry-run')).out).toBe(`replace ${file}\n`);
    expect((await run('completion install zsh --yes')).err).toMatch(/Replaced the zsh completion/);
  });

  test('uninstall removes the scripts of all shells, and prints each', async () => {
    const { home, run } = await homeFolder();
    const shells = ['bash', 'zsh', 'fish', 'powershell'];
    for (const shell of shells) await run(`completion install ${shell} --yes`);
    const files = await filesIn(home);
    expect(files).toHaveLength(shells.length);
    const dry = await run('completion uninstall --dry-run', { SHELL: '/bin/zsh' });
    expect(dry.out.trimEnd().split('\n').sort()).toEqual(files.map((file) => `remove ${file}`).sort());
    const { code, err } = await run('completion uninstall --yes', { SHELL: '/bin/zsh' });
    expect(code).toBe(0);
    for (const file of files) expect(err).toContain(`Removed ${file}\n`);
    expect(await filesIn(home)).toEqual([]);
    expect((await run('completion uninstall')).err).toBe('svc installed no completion\n');
  });

  test('uninstall with a shell keeps the scripts of the others', async () => {
    const { home, run } = await homeFolder();
    for (const shell of ['bash', 'zsh']) await run(`completion install ${shell} --yes`);
    await run('completion uninstall bash --yes');
    expect(await filesIn(home)).toEqual([join(home, '.local/share/zsh/site-functions/_svc')]);
  });

  test.each(['bash', 'zsh', 'fish', 'powershell'])(
    'uninstall %s removes only a file that svc wrote',
    async (shell) => {
      const { home, run } = await homeFolder();
      await run(`completion install ${shell} --yes`);
      const [file = ''] = await filesIn(home);
      expect((await run(`completion uninstall ${shell}`)).code).toBe(2);
      expect((await run(`completion uninstall ${shell} --yes`)).err).toContain(`Removed ${file}`);
      expect(await filesIn(home)).toEqual([]);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, '# mine\n');
      const { code, err } = await run(`completion uninstall ${shell} --yes`);
      expect([code, err]).toEqual([0, expect.stringContaining('svc installed no')]);
      expect(await filesIn(home)).toEqual([file]);
    },
  );
});
