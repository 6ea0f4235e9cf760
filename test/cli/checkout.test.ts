/** The project of a Git checkout: `--project .`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { projectOfCheckout } from '../../src/cli/session/checkout.ts';
import { failureOf } from '../support/failures.ts';
import { folderWith } from '../support/folders.ts';

let folder: string;
beforeEach(async () => {
  folder = await folderWith();
  mkdirSync(join(folder, '.git', 'refs', 'heads'), { recursive: true });
  mkdirSync(join(folder, 'src', 'deep'), { recursive: true });
  writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
});

const configure = (config: string) => writeFileSync(join(folder, '.git', 'config'), config);
const origin = (url: string) => `[remote "origin"]\n\turl = ${url}\n`;
const projectOf = (root = 'https://host.example/api/v4') => projectOfCheckout(join(folder, 'src/deep'), root);

describe('the remote of a checkout', () => {
  test.each([
    ['https://host.example/acme/rocket.git', 'acme/rocket'],
    ['https://host.example:443/acme/rocket/', 'acme/rocket'],
    ['https://user:secret@host.example/acme/rocket', 'acme/rocket'],
    // Not a valid sequence, so the text is kept.
    ['https://host.example/acme/50%off', 'acme/50%off'],
    ['git@host.example:acme/labs/probe.git', 'acme/labs/probe'],
    ['HOST.example:acme/rocket', 'acme/rocket'],
    // The port of SSH is not that of the API.
    ['ssh://git@host.example:2222/acme/rocket.git', 'acme/rocket'],
  ])('%s is the project %s', async (url, project) => {
    configure(`${origin(url)}\turl = git@host.example:mirror/rocket.git\n[branch "main"]\n\tremote = .\n`);
    expect(await projectOf()).toBe(project);
  });

  test('is below the path of the base URL', async () => {
    configure(origin('https://host.example/git/acme/rocket.git'));
    expect(await projectOf('https://host.example/git/api/v4')).toBe('acme/rocket');
  });

  test('has the port of the base URL, unless it is that of SSH', async () => {
    const root = 'https://host.example:8443/api/v4';
    configure(origin('https://host.example/acme/rocket'));
    await expect(projectOf(root)).rejects.toThrow('is not on host.example:8443');
    configure(origin('ssh://git@host.example:2222/acme/rocket'));
    expect(await projectOf(root)).toBe('acme/rocket');
  });

  test('is that of the current branch', async () => {
    const fork = '[remote "fork"]\n\turl = git@host.example:devon/rocket.git\n';
    configure(`${origin('git@host.example:acme/rocket.git')}${fork}[branch "main"]\n\tremote = fork\n`);
    expect(await projectOf()).toBe('devon/rocket');
    const url = 'https://me:secret@host.example/mia/rocket.git';
    configure(`${origin('git@host.example:acme/rocket.git')}[branch "main"]\n\tremote = ${url}\n`);
    expect(await projectOf()).toBe('mia/rocket');
    await expect(projectOf('https://a.example/api/v4')).rejects.not.toThrow('secret');
  });

  test('is found from a worktree', async () => {
    configure(origin('git@host.example:acme/rocket.git'));
    const own = join(folder, '.git', 'worktrees', 'other');
    mkdirSync(own, { recursive: true });
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/other\n');
    writeFileSync(join(own, 'commondir'), '../..\n');
    writeFileSync(join(folder, 'other', '.git'), `gitdir: ${own}\n`);
    expect(await projectOfCheckout(join(folder, 'other'), 'https://host.example/api/v4')).toBe('acme/rocket');
  });
});

describe('an error, and nothing is run,', () => {
  test.each([
    'https://elsewhere.example/acme/rocket',
    'https://host.example.evil.example/acme/rocket',
    'https://host.example:8443/acme/rocket',
    'ext::sh -c "touch pwned"',
    'file:///srv/rocket.git',
    '/srv/rocket.git',
    'https://host.example/acme/rocket\u001b[31m',
  ])('for the remote %j', async (url) => {
    configure(origin(url));
    await expect(projectOf()).rejects.toThrow(/is not on host\.example; remotes: /);
  });

  test.each(['config', 'HEAD'])('for a device, a pipe or a huge file in place of %s', async (name) => {
    configure(origin('https://host.example/acme/rocket'));
    const path = join(folder, '.git', name);
    const put = [
      () => symlinkSync('/dev/zero', path),
      () => execFileSync('mkfifo', [path]),
      () => writeFileSync(path, Buffer.alloc(2 * 1024 * 1024)),
    ];
    for (const act of put) {
      rmSync(path, { force: true });
      act();
      await expect(projectOf()).rejects.toThrow(`${path} is not a file of Git`);
    }
  });

  test('for a remote of an included file, which is not read; without the user information of a remote', async () => {
    writeFileSync(join(folder, 'more'), origin('git@host.example:evil/x.git'));
    configure(`[include]\n\tpath = ${join(folder, 'more')}\n`);
    await expect(projectOf()).rejects.toThrow(/remotes: none/);
    configure(origin('https://user:secret@elsewhere.example/acme/rocket'));
    const error = await failureOf(projectOf());
    expect(error.message).toContain('origin elsewhere.example/acme/rocket');
    expect(error.message).not.toMatch(/secret|user/);
  });

  test('outside of a checkout', async () => {
    rmSync(join(folder, '.git'), { recursive: true });
    await expect(projectOf()).rejects.toThrow(/not in a Git checkout/);
  });
});
