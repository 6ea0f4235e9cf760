/** The completion scripts in real shells, with a program that records its arguments and prints a prepared response. */
import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, execaSync } from 'execa';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sharedFolder } from '../support/folders.ts';

type Shell = 'bash' | 'zsh' | 'fish';

const installed = (['bash', 'zsh', 'fish'] as const).filter(
  (shell) => !execaSync(shell, ['-c', 'exit 0'], { reject: false }).failed,
);
const scripts = { bash: 'svc.bash', zsh: '_svc', fish: 'svc.fish', powershell: 'svc.ps1' };
const fromHere = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const scriptOf = (shell: keyof typeof scripts) => fromHere(`../../completions/${scripts[shell]}`);

const folder = sharedFolder();

beforeAll(async () => {
  const program = '#!/bin/sh\nprintf "[%s]" "$@" >> calls\ncat response\n';
  await writeFile(join(folder, 'svc'), program);
  await chmod(join(folder, 'svc'), 0o755);
  for (const shell of installed) await copyFile(scriptOf(shell), join(folder, `script.${shell}`));
  for (const name of ['notes-1.txt', 'notes-2.txt', 'no tes']) await writeFile(join(folder, name), '');
  console.log(`completion was exercised in: ${installed.join(', ')}`);
});
beforeEach(() => writeFile(join(folder, 'calls'), ''));

const drive: Record<Shell, (line: string) => Promise<string>> = {
  async bash(line) {
    const args = ['--norc', '--noprofile', fromHere('completion.bash'), join(folder, 'script.bash'), line];
    return (await execa('bash', args, options())).stdout;
  },
  async zsh(line) {
    const out = join(folder, 'out');
    await rm(out, { force: true });
    const args = ['-f', fromHere('completion.zsh'), join(folder, 'script.zsh'), out, line];
    await execa('zsh', args, options());
    return readFile(out, 'utf8');
  },
  async fish(line) {
    const script = 'source script.fish; echo "LINE $argv[1]"; complete -C "$argv[1]"';
    return (await execa('fish', ['--no-config', '-c', script, line], options())).stdout;
  },
};

function options() {
  const env = { PATH: `${folder}${delimiter}${process.env['PATH']}`, HOME: folder, TERM: 'xterm' };
  return { cwd: folder, env, timeout: 120_000 };
}

/** Complete a line. @returns the output of the shell, in which a value is followed by its description */
async function complete(shell: Shell, line: string, response: string): Promise<string> {
  await writeFile(join(folder, 'response'), response);
  return drive[shell](line);
}

/** The offered words, sorted, without descriptions. */
async function offered(shell: Shell, line: string, response: string): Promise<string[]> {
  const text = await complete(shell, line, response);
  const words = text.slice(text.indexOf('\n') + 1).split('\n');
  const plain = words.map((word) => word.replace(/\t.*$| {2}.*$/, '')).filter((word) => word !== '');
  return [...new Set(plain)].filter((word) => !/^(LINE|BUFFER|SHOWN|compopt) ?/.test(word)).sort();
}

const calls = () => readFile(join(folder, 'calls'), 'utf8');

describe.each(installed)('%s', (shell) => {
  test('passes the words of the line, of which the last may be empty', async () => {
    await complete(shell, 'svc --sandbox jobs list -pacme/rocket --scope=f', 'values\t\n');
    expect(await calls()).toContain('[__complete][--][--sandbox][jobs][list][-pacme/rocket][--scope=f]');
    await complete(shell, 'svc jobs ', 'values\t\n');
    expect(await calls()).toContain('[__complete][--][jobs][]');
  });

  test('passes words without their quotes', async () => {
    await complete(shell, `svc branches get --project 'acme/rocket' "a.b" feature/a\\&`, 'values\t\n');
    expect(await calls()).toContain('[branches][get][--project][acme/rocket][a.b][feature/a&]');
    await complete(shell, "svc branches get 'feat", 'values\t\n');
    expect(await calls()).toContain('[branches][get][feat]');
  });

  test.skipIf(shell !== 'bash')('offers no value within quotes that would end them or expand', async () => {
    const response = 'values\t\nfeat a\nfeat$(b)\nfeat`c`\nfeat\'d\nfeat"e\nfeat!f\nfeat\\g\n';
    for (const quote of ["'", '"'])
      expect(await offered(shell, `svc branches get ${quote}feat`, response)).toEqual(['feat a']);
    await writeFile(join(folder, 'bad$(x)'), '');
    await writeFile(join(folder, 'bad y'), '');
    const files = 'files\t@\n';
    expect(await offered(shell, 'svc variables set K "@bad', files)).toEqual(['@bad y']);
  });

  test('offers values and shows their descriptions', async () => {
    const response = 'values\t\nDEPLOY_USER\tfor every environment\nDATABASE_URL\n';
    const line = 'svc variables get D';
    expect(await offered(shell, line, response)).toEqual(['DATABASE_URL', 'DEPLOY_USER']);
    const described = /DEPLOY_USER(\t|:| {2,}| +-- )for every environment/;
    expect(await complete(shell, line, response)).toMatch(described);
  });

  test('keeps the part of the word before the values', async () => {
    const line = 'svc jobs list --scope=failed,';
    const response = 'values\t--scope=failed,\nrunning\n';
    // bash replaces only the part after the last =.
    const whole = shell === 'bash' ? 'failed,running' : '--scope=failed,running';
    expect(await offered(shell, line, response)).toEqual([whole]);
  });

  test('offers files, also after a part of the word', async () => {
    const files = ['notes-1.txt', 'notes-2.txt'];
    if (shell === 'bash')
      expect(await complete(shell, 'svc x notes', 'files\t\n')).toContain('compopt -o default');
    else expect(await offered(shell, 'svc x notes', 'files\t\n')).toEqual(files);
    const afterAt = await offered(shell, 'svc x @notes', 'files\t@\n');
    expect(afterAt).toEqual(files.map((file) => `@${file}`));
  });

  test('offers nothing if svc prints nothing', async () => {
    expect(await offered(shell, 'svc variables get ', '')).toEqual([]);
  });

  test('inserts hostile names as plain text', async () => {
    for (const [typed, name] of [
      ['\\$', '$(touch HARM)'],
      ['a', 'a;touch HARM'],
      ['\\`', '`touch HARM`'],
      ['it', "it's"],
      ['a', 'a b'],
      ['b', 'b\\c:d'],
      ['x', 'x\u2018;touch HARM'],
      ['x', 'x&touch HARM'],
      ['x', 'x|touch HARM>HARM'],
      ['x', 'x{a,b}'],
      ['', '~root'],
    ] as const) {
      const text = await complete(shell, `svc branches get -p 1 ${typed}`, `values\t\n${name}\tx\n`);
      const last = text.trimEnd().split('\n').at(-1) ?? '';
      // fish escapes the word on insertion; `complete -C` prints it unescaped.
      const word =
        shell === 'fish' ? last.replace(/\t.*$/, '') : last.replace(/^BUFFER svc \w+ get -p 1 /, '');
      if (shell === 'fish') expect(word).toBe(name);
      else expect((await execa(shell, ['-fc', `printf %s ${word}`], { cwd: folder })).stdout).toBe(name);
    }
    await expect(readFile(join(folder, 'HARM'))).rejects.toThrow(/ENOENT/);
  });
});

describe.runIf(installed.includes('fish'))('fish', () => {
  test('reports no error after words that its commands could read as operators', async () => {
    await writeFile(join(folder, 'response'), 'values\t\n');
    const words = ['-p', '-h', '-f', '-n', '-z', '-a', '-', '--', '=', "'('", "'!'", "'*'", "'?'"];
    for (const word of words) {
      const line = `svc jobs list ${word}`;
      const args = ['--no-config', '-c', 'source script.fish; complete -C "$argv[1]"', line];
      expect((await execa('fish', args, options())).stderr).toBe('');
    }
  });
});

test('PowerShell quotes a name with characters that are special to it', async () => {
  const [, plain = ''] = /-cmatch '([^']*)'\) /.exec(await readFile(scriptOf('powershell'), 'utf8')) ?? [];
  for (const name of ['main', 'release/1.x', '--scope=a,b', 'C:\\a']) expect(name).toMatch(new RegExp(plain));
  for (const name of ['$(x)', 'a;b', '`a', "it's", 'a b', 'x&y', '@a', '#a', '{a', '%', '~', '*'])
    expect(name).not.toMatch(new RegExp(plain));
});
