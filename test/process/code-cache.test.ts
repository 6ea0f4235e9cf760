/** Compiled code is executed, so svc uses it only from folders that no other user can change. */
import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sharedFolder } from '../support/folders.ts';
import { node } from '../support/process.ts';

const root = resolve(import.meta.dirname, '../..');
const isRoot = process.geteuid?.() === 0;
/** Return a program of a given length that reveals that it ran. V8 accepts its code if the lengths agree. */
const poison = `
const { readFileSync, writeFileSync } = require('node:fs');
const [source, target] = process.argv.slice(1);
const text = '(function () { console.log("POISONED"); })';
const { length } = require('node:module').wrap(readFileSync(source, 'utf8'));
const script = new (require('node:vm').Script)(text.padEnd(length));
const code = Buffer.concat([script.createCachedData(), Buffer.from('end of code')]);
writeFileSync(target, code, { mode: 0o600 });`;

const base = sharedFolder();
let program: string;
/** Malicious code for `main`, with its name and folder in a cache. */
let poisoned: string;
let name: string;
let version: string;
/** A home with its cache and code folders, new for each test. */
let home: string;
let cache: string;
let folder: string;

const run = (env: Record<string, string> = {}, flag = '--version') =>
  execa(node, [program, flag], {
    env: { HOME: home, XDG_CACHE_HOME: cache, ...env },
    extendEnv: false,
    reject: false,
  });

beforeAll(async () => {
  await cp(join(root, 'dist'), join(base, 'dist'), { recursive: true });
  await cp(join(root, 'bin'), join(base, 'bin'), { recursive: true });
  program = join(base, 'bin/svc.js');
  home = join(base, 'first');
  cache = join(home, '.cache');
  await mkdir(home);
  await run();
  const code = join(cache, 'svc/code');
  [version = ''] = await readdir(code);
  name = (await readdir(join(code, version))).find((one) => one.startsWith('main-')) as string;
  poisoned = join(base, 'poisoned');
  const source = (await readdir(join(base, 'dist'))).find((one) => one.startsWith('main-')) as string;
  execFileSync(node, ['-e', poison, join(base, 'dist', source), poisoned]);
});

beforeEach(async () => {
  home = await mkdtemp(join(base, 'home-'));
  cache = join(home, 'some/cache');
  folder = join(cache, 'svc/code', version);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let path = folder; path !== home; path = dirname(path)) await chmod(path, 0o700);
  await cp(poisoned, join(folder, name));
  await chmod(join(folder, name), 0o600);
});

/** Move a file or folder, and replace it by a link. */
async function link(path: string): Promise<void> {
  await rename(path, `${path}.moved`);
  await symlink(`${path}.moved`, path);
}

test('the name of a file changes with one letter of its content, since V8 does not notice the difference', async () => {
  const build = `
import { bundle } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/bundle.mjs')).href)};
const output = await bundle({ main: 'main.js' }, 'dist', {}, { entryFileNames: '[name]-[hash].js' });
console.log(output.map(({ fileName }) => fileName).join());`;
  const names = ['a', 'b'].map(async (letter) => {
    const cwd = join(base, letter);
    await mkdir(cwd);
    await writeFile(join(cwd, 'main.js'), `export const letter = '${letter}';\n`);
    return (await execa(node, ['--input-type=module', '-e', build], { cwd })).stdout;
  });
  const [first, second] = await Promise.all(names);
  expect(first).toMatch(/^main-[\w-]{8}\.js$/);
  expect(second).toMatch(/^main-[\w-]{8}\.js$/);
  expect(second).not.toBe(first);
});

test('the stack trace of a bug names source files and lines in a checkout', async () => {
  const inject = join(base, 'inject.cjs');
  const fails = "Object.defineProperty(process, 'stdout', { get() { throw new TypeError('x'); } });";
  await writeFile(inject, fails);
  const argv = ['-r', inject, join(root, 'bin/svc.js'), '--version'];
  const { stderr } = await execa(node, argv, { reject: false });
  const [, file = '', line] = /^ +in get stdout.* \((.*):(\d+)\)$/m.exec(stderr) ?? [];
  const text = (await readFile(file, 'utf8')).split('\n')[Number(line) - 1];
  expect([file, text]).toEqual([join(root, 'src/main.ts'), expect.stringContaining('process.stdout')]);
  expect(stderr).toContain(join(root, 'src/cli/run.ts:'));
});

describe.skipIf(process.platform === 'win32')('code in the cache of a user', () => {
  test('is used if only this user can write it', async () => {
    expect((await run()).stdout).toContain('POISONED');
  });

  test('is replaced if it cannot be used', async () => {
    const [file, invalid] = [join(folder, name), Buffer.alloc(1000)];
    await writeFile(file, invalid);
    expect((await run()).stdout).toMatch(/^svc \d/);
    expect((await readFile(file)).equals(invalid)).toBe(false);
    const saved = await readFile(file);
    await run();
    expect((await readFile(file)).equals(saved)).toBe(true);
    // After a power failure, the end of a file can be zeros.
    await writeFile(file, Buffer.from(saved).fill(0, 1000));
    expect((await run()).stdout).toMatch(/^svc \d/);
  });

  test('is saved again by a command that loads more files, with the functions of both commands', async () => {
    const file = join(folder, name);
    await rm(file);
    await run();
    const { size } = await stat(file);
    const [unused, olderNode] = [join(folder, 'main-12345678.js.bin'), join(dirname(folder), '9.9.999-x64')];
    await writeFile(unused, '');
    await mkdir(olderNode);
    const long = Date.now() / 1000 - 61 * 24 * 60 * 60;
    for (const one of [unused, olderNode]) await utimes(one, long, long);
    await run({}, '--help');
    expect((await stat(file)).size).toBeGreaterThan(size);
    expect(await readdir(folder)).not.toContain(basename(unused));
    expect(await readdir(dirname(folder))).toEqual([version]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['in a file that its group can write', () => chmod(join(folder, name), 0o660)],
    ['in a file that is a link', () => link(join(folder, name))],
    ['in a folder that everybody can write', () => chmod(folder, 0o777)],
    ['in a folder that is a link', () => link(folder)],
    ['below a folder that its group can write', () => chmod(join(cache, 'svc'), 0o770)],
    ['below a folder that everybody can write', () => chmod(join(home, 'some'), 0o777)],
    ['below a folder that is a link', () => link(join(home, 'some'))],
    ['in a checkout', () => mkdir(join(home, 'some/.git'))],
    ['in a worktree of a checkout', () => writeFile(join(home, '.git'), 'gitdir: /elsewhere\n')],
  ])('is not used %s', async (_, change) => {
    await change();
    const { stdout, exitCode } = await run();
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^svc \d[\d.]*$/)]);
  });

  test.runIf(isRoot)('is neither used nor written below a folder of another user', async () => {
    await chown(join(home, 'some'), 65_534, 65_534);
    expect((await run()).stdout).toMatch(/^svc \d/);
    await rm(folder, { recursive: true });
    await run();
    expect(await readdir(dirname(folder))).toEqual([]);
  });

  test('is never loaded from a folder given in the environment', async () => {
    const env = { SVC_BUILD_CODE: join(cache, 'svc/code') };
    cache = join(home, 'empty');
    expect((await run(env)).stdout).toMatch(/^svc \d/);
  });
});
