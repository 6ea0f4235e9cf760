/** The program without the other files of its package: everything that they contain is generated when it is needed. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { copyProgram, executable, sharedHome } from '../support/process.ts';
import { hasTerminals, onTerminal } from '../support/terminal.ts';

const root = resolve(import.meta.dirname, '../..');
const home = await sharedHome();
const command = await copyProgram(join(home.path, 'program'));

function run(...argv: readonly string[]) {
  const [file = '', ...before] = command;
  return execa(file, [...before, ...argv], { env: home.env, extendEnv: false, cwd: home.path });
}

test.each([
  ['bash', '.local/share/bash-completion/completions/svc', 'completions/svc.bash'],
  ['zsh', '.local/share/zsh/site-functions/_svc', 'completions/_svc'],
  ['fish', 'config/fish/completions/svc.fish', 'completions/svc.fish'],
  ['powershell', 'config/powershell/svc-completion.ps1', 'completions/svc.ps1'],
])('installs the completion of the package for %s', async (shell, installed, packaged) => {
  await run('completion', 'install', shell, '--yes');
  const expected = await readFile(join(root, packaged), 'utf8');
  expect(await readFile(join(home.path, installed), 'utf8')).toBe(expected);
});

test.each([
  [['help'], /First commands/],
  [['help', 'exit-codes'], /^Exit codes and JSON errors/],
  [['help', 'jobs', 'list', '--all'], /API request/],
  [['man', 'jobs'], /svc-jobs\(1\)/],
  [['schema', 'jobs', 'list'], /"svc"/],
])('runs svc %s', async (argv, says) => {
  expect((await run(...argv)).stdout).toMatch(says);
});

test.runIf(hasTerminals)('shows a page with man on a terminal', async () => {
  const screen = onTerminal(home, `${command.map((word) => `'${word}'`).join(' ')} man jobs`, {
    MANPAGER: 'cat',
    MANWIDTH: '80',
  });
  const { code, lines } = await screen.end();
  expect(code).toBe(0);
  // man prints bold letters twice, with a backspace between them.
  const text = lines.join('\n').replace(/.\u0008/g, '');
  // The header of man has the title on both sides; the text of svc has none.
  if (text.includes('SVC-JOBS(1)')) expect(text).toMatch(/SVC-JOBS\(1\) +Manual of svc +SVC-JOBS\(1\)/);
  expect(text).toMatch(/NAME/);
  const parts = executable ? [basename(executable)] : ['bin', 'dist'];
  expect(await readdir(join(home.path, 'program'))).toEqual(parts);
});
