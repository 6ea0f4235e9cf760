/** `svc man`, and `svc completion install` beside it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pageNames as names } from '../../src/cli/builtin/man.ts';
import { manPages } from '../../src/docs/man/man.ts';
import { loadManual } from '../docs/catalogue.ts';
import { filesIn, folderWith } from '../support/folders.ts';
import { svc } from '../support/svc.ts';

const pages = manPages(await loadManual());

/** A home whose PATH has no programs. */
async function homeFolder() {
  const home = await folderWith();
  const env = { HOME: home, PATH: join(home, 'bin') };
  const run = (line: string, more = {}) => svc(line, { env: { ...env, ...more } });
  return { home, run, files: () => filesIn(home) };
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
    const plain = (source ?? '').replaceAll('\\-', '-');
    expect(code).toBe(0);
    for (const flag of plain.match(/(?<=\n\\fB)--[a-z-]+/g) ?? []) expect(out).toContain(flag);
  });

  test('prints svc(1) by default, and accepts the alias of an area', async () => {
    expect((await svc('man')).out).toMatch(/^NAME\n {2}svc\(1\) - /);
    expect((await svc('man errors')).out).toMatch(/svc-error-tracking\(1\)/);
  });

  test.each([
    ['doctor', /svc man lists all pages/],
    ['jbos', /Did you mean jobs\?/],
    ['--dir=x', /unknown flag --dir/],
    ['jobs list', /man takes \d arguments?, but got/],
  ])('%s is an error with advice', async (words, says) => {
    const { code, out, err } = await svc(`man ${words}`);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(says);
  });

  test('fits the width of a terminal', async () => {
    const { home } = await homeFolder();
    const { code, out } = await svc('man exit-codes', { env: { HOME: home, PATH: home }, terminal: 60 });
    expect(code).toBe(0);
    expect(out).toContain('svc-exit-codes(7)');
    // Only commands are not wrapped.
    for (const line of out.replace(/\u001b\[\d+m/g, '').split('\n'))
      if (line.length > 60) expect(line).toMatch(/^ {4}/);
  });
});

describe('svc completion', () => {
  test('install prints the file with --dry-run, and replaces one that has changed', async () => {
    const { home, run, files } = await homeFolder();
    const file = join(home, '.local/share/zsh/site-functions/_svc');
    expect((await run('completion install zsh --dry-run')).out).toBe(`write ${file}\n`);
    expect(await files()).toEqual([]);
    await run('completion install zsh --yes');
    await writeFile(file, (await readFile(file, 'utf8')).replace('local', 'typeset'));
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
