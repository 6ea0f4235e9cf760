/** Differences of Windows and macOS, as far as they show on this system. */
import { expect, test } from 'vitest';
import { fileOf, userShell } from '../../src/cli/builtin/completion/completion.ts';
import { runChild } from '../../src/cli/terminal/child.ts';
import { isOpenToOthers } from '../../src/config/profiles.ts';
import { journalName } from '../../src/tasks/each/journal.ts';

const context = { cwd: process.cwd(), signal: new AbortController().signal } as never;
const env = { PATH: process.env['PATH'] };

test('a program gets its arguments unchanged and gives its exit code', async () => {
  const args = ['a b', '"', "'", '\\', '%PATH%', '^&|<>', '', '$HOME', '*'];
  const script = `process.exit(JSON.stringify(process.argv.slice(1)) === ${JSON.stringify(JSON.stringify(args))} ? 7 : 1)`;
  expect(await runChild(process.execPath, ['-e', script, '--', ...args], env, context)).toBe(7);
});

test.each([
  ['bash', 'C:\\Users\\mia\\.local\\share\\bash-completion\\completions\\svc'],
  ['powershell', 'C:\\Users\\mia\\Documents\\PowerShell\\svc-completion.ps1'],
] as const)('on Windows, the completion of %s is in the profile of the user', (shell, file) => {
  expect(fileOf(shell, { USERPROFILE: 'C:\\Users\\mia', HOME: '/c/Users/mia' }, 'win32')).toBe(file);
});

test.each([
  [{}, 'win32', 'powershell'],
  [{ SHELL: 'C:\\Program Files\\Git\\usr\\bin\\bash.exe' }, 'win32', 'bash'],
  [{ SHELL: '/usr/bin/bash' }, 'win32', 'bash'],
  [{ SHELL: '/bin/zsh' }, 'darwin', 'zsh'],
  [{}, 'linux', ''],
] as const)('the shell of %j on %s is %j', (variables, platform, shell) => {
  expect(userShell(variables, platform)).toBe(shell);
});

test('modes of files mean nothing on Windows', () => {
  expect([0o644, 0o600].map((mode) => isOpenToOthers(mode, 'linux'))).toEqual([true, false]);
  expect(isOpenToOthers(0o666, 'win32')).toBe(false);
});

test('the name of a journal is valid on Windows', () => {
  expect(journalName(Date.parse('2026-03-01T12:34:56.789Z'), Buffer.from('00ff00ff', 'hex'))).not.toMatch(
    /[<>:"/\\|?*]/,
  );
});
