/** The package of `npm run pack`, unpacked and installed in empty folders. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { node, sharedHome } from '../support/process.ts';
import { words } from '../support/svc.ts';

const root = resolve(import.meta.dirname, '../..');
const home = await sharedHome();
let tarball: string;
let unpacked: string;
let files: string[];

beforeAll(async () => {
  const pack = ['scripts/pack.mjs', home.path];
  tarball = execFileSync(process.execPath, pack, { cwd: root, encoding: 'utf8' }).trim();
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  files = listed.map((path) => path.replace(/^package\//, ''));
  execFileSync('tar', ['-xzf', tarball], { cwd: home.path });
  unpacked = join(home.path, 'package');
}, 120_000);

const manifest = () =>
  JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Record<string, unknown>;

const run = (line: string) =>
  execa(node, [join(unpacked, 'bin/svc.js'), ...words(line)], {
    env: home.env,
    extendEnv: false,
    cwd: home.path,
  });

describe('the package', () => {
  test('runs without dependencies, and installing it runs no script', () => {
    expect(Object.keys(manifest()).filter((key) => /dependencies|scripts|private/i.test(key))).toEqual([]);
    expect(existsSync(join(unpacked, 'node_modules'))).toBe(false);
  });

  test('has the same identity as the checkout', () => {
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
    for (const key of ['name', 'version', 'description', 'keywords', 'license', 'bin', 'engines']) {
      expect(own[key]).toBeDefined();
      expect(manifest()[key]).toEqual(own[key]);
    }
    // npm publish refuses the checkout.
    expect(own['private']).toBe(true);
  });

  test('installs offline into an empty folder and links the command', async () => {
    const folder = join(home.path, 'installed');
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), '{}');
    const flags = ['--offline', '--no-audit', '--no-fund', '--cache', join(home.path, 'empty-cache')];
    execFileSync('npm', ['install', ...flags, tarball], { cwd: folder, shell: process.platform === 'win32' });
    const { stdout } = await execa(join(folder, 'node_modules/.bin/svc'), ['--version'], { cwd: folder });
    expect(stdout).toMatch(/^svc \d/);
  }, 120_000);

  test('contains the program, man pages, completions and documentation', () => {
    const others = files.filter(
      (path) => !/^(dist\/[\w-]+\.js|man\/[\w-]+\.\d|completions\/[\w.]+)$/.test(path),
    );
    const program = 'bin/package.json bin/svc.js dist/LICENSES.txt dist/package.json dist/sandbox.d.ts';
    expect(others.sort()).toEqual(words(`CHANGELOG.md LICENSE README.md ${program} package.json`));
  });

  test('is smaller than 3 MB', () => {
    expect(statSync(tarball).size).toBeLessThan(3_000_000);
  });

  test('names files of the program by a hash of their content, because V8 does not notice that cached code is for other content', () => {
    const loadedByNode = ['start', 'jq-worker', 'sandbox'];
    const program = files.filter((path) => /^dist\/.*\.js$/.test(path));
    expect(program.filter((path) => !/-[\w-]{8}\.js$/.test(path)).sort()).toEqual(
      loadedByNode.map((name) => `dist/${name}.js`).sort(),
    );
  });

  test('lists its man pages, so that a global install links them', () => {
    const { man } = manifest();
    expect(man).toEqual(files.filter((path) => path.startsWith('man/')).sort());
    expect(man).toEqual(expect.arrayContaining(['man/svc.1', 'man/svc-variables.1', 'man/svc-config.5']));
  });

  test('contains the licenses of bundled packages', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const licenses = readFileSync(join(unpacked, 'dist/LICENSES.txt'), 'utf8');
    // Packages that src/ imports (test/architecture/imports.test.ts). They depend on others.
    for (const name of ['chalk', 'commander', 'conf', 'isomorphic-git', 'jq-wasm', 'undici', 'zod'])
      expect(licenses).toContain(`\n${name} ${devDependencies[name]}: `);
    expect(licenses).toContain('THE SOFTWARE IS PROVIDED "AS IS"');
    // A name, a copyright and a text, also for packages without a license file.
    const sections = licenses.split(`\n${'-'.repeat(80)}\n`);
    expect(
      sections.filter((section) => !/copyright|licen[cs]e/i.test(section.trim().split('\n').slice(1).join())),
    ).toEqual([]);
    // The authors of the libraries that are compiled into jq-wasm.
    for (const author of ['Stephen Dolan', 'David M. Gay', 'International Business Machines', 'K.Kosako'])
      expect(licenses).toContain(author);
  });

  test.each([
    ['--version', /^svc \d/],
    ['--sandbox jobs list -p acme/rocket --jq .[0].id', /^5280$/],
    ['--sandbox jobs list -p acme/rocket -o yaml --limit 1', /^- id: 5280$/m],
    ['--sandbox files blame src/main.ts --ref main -p acme/rocket --csv', /^commit\.id,/],
    ['profiles set base_url http://127.0.0.1:9', /^/],
    ['profiles list --csv', /127\.0\.0\.1:9/],
  ])('%s', async (line, says) => {
    const { stdout } = await run(line);
    expect(stdout).toMatch(says);
  });
});
