/** The package of `npm pack`, unpacked in an empty folder. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Home, makeHome, node } from '../support/process.ts';
import { words } from '../support/svc.ts';

const root = resolve(import.meta.dirname, '../..');
let home: Home;
let unpacked: string;
let files: string[];

beforeAll(async () => {
  home = await makeHome();
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', home.path];
  const shell = process.platform === 'win32';
  const [made] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', shell })) as [
    { filename: string; files: { path: string }[] },
  ];
  files = made.files.map(({ path }) => path);
  execFileSync('tar', ['-xzf', made.filename], { cwd: home.path });
  unpacked = join(home.path, 'package');
});
afterAll(() => home.remove());

const run = (line: string) =>
  execa(node, [join(unpacked, 'bin/svc.js'), ...words(line)], {
    env: home.env,
    extendEnv: false,
    cwd: home.path,
  });

describe('the package', () => {
  test('runs without dependencies', () => {
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as object;
    expect(Object.keys(manifest).filter((key) => /^(optional|peer)?dependencies$/i.test(key))).toEqual([]);
    expect(existsSync(join(unpacked, 'node_modules'))).toBe(false);
  });

  test('contains the program, man pages, completions and documentation', () => {
    const others = files.filter(
      (path) => !/^(dist\/[\w-]+\.js|man\/[\w-]+\.\d|completions\/[\w.]+)$/.test(path),
    );
    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/package.json',
      'bin/svc.js',
      'dist/LICENSES.txt',
      'dist/package.json',
      'package.json',
    ]);
  });

  test('lists its man pages, so that a global install links them', () => {
    const { man } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as { man: string[] };
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
    // The authors of the libraries that are compiled into jq-wasm.
    for (const author of ['Stephen Dolan', 'David M. Gay', 'International Business Machines', 'K.Kosako'])
      expect(licenses).toContain(author);
  });

  test.each([
    ['--version', /^svc \d/],
    ['--sandbox jobs list -p acme/rocket --color always', /5280/],
    ['--sandbox jobs list -p acme/rocket --jq .[0].id', /^5280$/],
    ['--sandbox jobs list -p acme/rocket -o yaml --limit 1', /^- id: 5280$/m],
    ['--sandbox files blame src/main.ts --ref main -p acme/rocket --csv', /^commit\.id,/],
    ['--sandbox files create x --branch main --commit-message m --content y -p acme/rocket', /x/],
    ['--sandbox snippets update 51 --title t -p acme/rocket', /t/],
    ['profiles set base_url http://127.0.0.1:9', /^/],
    ['profiles list --csv', /127\.0\.0\.1:9/],
    ['completion zsh', /^#/],
  ])('%s', async (line, says) => {
    const { stdout } = await run(line);
    expect(stdout).toMatch(says);
  });
});
