/** The package of `npm run pack`, installed in empty folders: its content, `svc-cli/sandbox`, and the examples of docs/testing.md. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { command, node, sharedHome } from '../support/process.ts';
import { words } from '../support/svc.ts';

const root = resolve(import.meta.dirname, '../..');
const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;
const home = await sharedHome();
let tarball: string;
let installed: string;
let files: string[];

beforeAll(async () => {
  const pack = ['scripts/pack.mjs', home.path];
  tarball = execFileSync(process.execPath, pack, { cwd: root, encoding: 'utf8' }).trim();
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  files = listed.map((path) => path.replace(/^package\//, ''));
  execFileSync('tar', ['-xzf', tarball], { cwd: home.path });
  installed = join(home.path, 'node_modules', 'svc-cli');
  await mkdir(join(home.path, 'node_modules'));
  await rename(join(home.path, 'package'), installed);
  for (const name of ['vitest', '@types', 'undici-types'])
    if (existsSync(join(root, 'node_modules', name)))
      await symlink(join(root, 'node_modules', name), join(home.path, 'node_modules', name));
});

const manifest = () =>
  JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;

const run = (command: string, args: readonly string[]) =>
  execa(command, args, { cwd: home.path, env: home.env, extendEnv: false, reject: false, all: true });

function svc(...argv: readonly string[]) {
  const [file = '', ...before] = command;
  return run(file, [...before, ...argv]);
}

async function example(name: string): Promise<string> {
  const page = await readFile(join(root, 'docs/testing.md'), 'utf8');
  const [, code] = new RegExp(`<!-- test: ${name} -->\n\`\`\`[^\n]*\n(.*?)\`\`\``, 's').exec(page) ?? [];
  if (code === undefined) throw new Error(`docs/testing.md has no example for ${name}`);
  return code;
}

/** Run a script that prints JSON. */
async function evaluate(script: string): Promise<unknown> {
  await writeFile(join(home.path, 'script.mjs'), script);
  const { stdout, all, exitCode } = await run(node, ['script.mjs']);
  expect(exitCode, all).toBe(0);
  return JSON.parse(stdout);
}

describe('the package', () => {
  test('runs without dependencies, and installing it runs no script', () => {
    expect(Object.keys(manifest()).filter((key) => /dependencies|scripts|private/i.test(key))).toEqual([]);
    expect(existsSync(join(installed, 'node_modules'))).toBe(false);
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
  });

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
    const licenses = readFileSync(join(installed, 'dist/LICENSES.txt'), 'utf8');
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
    const { exitCode, stdout } = await run(node, [join(installed, 'bin/svc.js'), ...words(line)]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(says)]);
  });
});

describe('createSandbox', () => {
  test('ten sandboxes run side by side and share no state', async () => {
    const seen = await evaluate(`
      import { createSandbox } from 'svc-cli/sandbox';
      const all = await Promise.all(Array.from({ length: 10 }, () => createSandbox()));
      const call = (sandbox, path, method, body) =>
        fetch(sandbox.url + '/api/v4/projects/100' + path, {
          method, body, headers: { 'private-token': sandbox.tokens.admin, 'content-type': 'application/json' },
        });
      await Promise.all(all.map(async (sandbox, index) => {
        await call(sandbox, '/variables', 'POST', JSON.stringify({ key: 'OWN_' + index, value: 'x' }));
        const commit = { branch: 'main', commit_message: 'm', content: String(index) };
        await call(sandbox, '/repository/files/own.txt', 'POST', JSON.stringify(commit));
        await sandbox.clock.advance(index + 'd');
        if (index === 3) await sandbox.faults.add('GET /nothing', { status: 500 });
      }));
      const seen = await Promise.all(all.map(async (sandbox) => {
        const variables = await (await call(sandbox, '/variables?per_page=100')).json();
        return [
          variables.map(({ key }) => key).filter((key) => key.startsWith('OWN_')).join(),
          await (await call(sandbox, '/repository/files/own.txt/raw?ref=main')).text(),
          (await sandbox.clock.show()).offset / 86_400_000,
          (await sandbox.faults.list()).length,
          (await sandbox.requests.list()).length,
        ];
      }));
      await Promise.all(all.map((sandbox) => sandbox.close()));
      console.log(JSON.stringify([new Set(all.map(({ url }) => url)).size, seen]));
    `);
    const own = (at: number) => [`OWN_${at}`, String(at), at, at === 3 ? 1 : 0, 4];
    expect(seen).toEqual([10, Array.from({ length: 10 }, (_, at) => own(at))]);
  });

  test('lets the process end after close, and rejects invalid values', async () => {
    const messages = await evaluate(`
      import { createSandbox } from 'svc-cli/sandbox';
      const sandbox = await createSandbox();
      const messageOf = (call) => call().then(() => '', (error) => error.message);
      const messages = [
        await messageOf(() => sandbox.faults.add('nowhere', { status: 500 })),
        await messageOf(() => sandbox.clock.advance('soon')),
        await messageOf(() => sandbox.snapshots.load('none')),
        ...await Promise.all([{ now: 'x' }, { Tier: 'free' }, { port: 65536 }, { withoutFeatures: ['epics'] }]
          .map((options) => messageOf(() => createSandbox(options)))),
        await messageOf(() => sandbox.requests.list({ last: 3 })),
      ];
      await sandbox.close();
      console.log(JSON.stringify(messages));
    `);
    expect(messages).toEqual([
      expect.stringMatching(/^match must be /),
      expect.stringMatching(/^the duration must be /),
      expect.stringMatching(/^no snapshot has the name none/),
      expect.stringMatching(/^the time must be in ISO 8601/),
      expect.stringMatching(
        /^unknown member of the options of createSandbox: Tier; known members: now, port, /,
      ),
      expect.stringMatching(/^port must be between 0 and 65535/),
      expect.stringMatching(/^withoutFeatures\.0 must be one of .*epic_color/),
      expect.stringMatching(/^unknown member of the listing: last; /),
    ]);
  });

  test('starts its clock at a date, and lists the newest requests', async () => {
    const seen = await evaluate(`
      import { createSandbox } from 'svc-cli/sandbox';
      const sandbox = await createSandbox({ now: new Date('2031-02-03T04:05:06Z') });
      for (const path of ['a', 'b', 'c']) await fetch(sandbox.url + '/api/v4/' + path);
      const list = async (listing) => (await sandbox.requests.list(listing)).map(({ path }) => path.slice(-1)).join('');
      const seen = [(await sandbox.clock.show()).now.slice(0, 16), await list({ limit: 2 }), await list({ after: 2 })];
      await sandbox.close();
      console.log(JSON.stringify(seen));
    `);
    expect(seen).toEqual(['2031-02-03T04:05', 'bc', 'c']);
  });

  test('reads a seed file, with the variables of the process, and rejects an invalid one', async () => {
    const rows =
      'groups: [{ full_path: tools }]\nprojects: [{ path_with_namespace: tools/hammer, id: 900 }]\n';
    const state = 'svc: 1\nproject: 900\nvariables: [{ key: REGION, value: { env: REGION } }]\n';
    await writeFile(join(home.path, 'world.yaml'), `${rows}---\n${state}`);
    await writeFile(join(home.path, 'wrong.yaml'), 'svc: 1\nproject: nowhere\n');
    const seen = await evaluate(`
      import { createSandbox } from 'svc-cli/sandbox';
      process.env.REGION = 'north';
      const sandbox = await createSandbox({ seedFile: 'world.yaml' });
      const headers = { 'private-token': sandbox.tokens.admin };
      const response = await fetch(sandbox.url + '/api/v4/projects/900/variables', { headers });
      const [{ value }] = await response.json();
      await sandbox.close();
      const message = await createSandbox({ seedFile: 'wrong.yaml' }).then(() => '', (error) => error.message);
      console.log(JSON.stringify([value, message]));
    `);
    expect(seen).toEqual(['north', 'wrong.yaml:2:10: no project "nowhere"']);
  });

  test('loads only its own files', async () => {
    const loaded = (await evaluate(`
      import fs from 'node:fs';
      const read = [];
      const { readFileSync } = fs;
      fs.readFileSync = (path, ...rest) => {
        read.push(String(path));
        return readFileSync(path, ...rest);
      };
      const { createSandbox } = await import('svc-cli/sandbox');
      await (await createSandbox()).close();
      console.log(JSON.stringify(read.filter((path) => path.endsWith('.js'))));
    `)) as string[];
    const names = loaded.map((path) => path.replace(/^.*[\\/]/, '').replace(/-[\w-]{8}\.js$/, ''));
    const others = names.filter((name) => name !== 'sandbox.js').sort();
    expect(others).toEqual(['library', 'rolldown-runtime', 'sandbox-modules']);
  });

  test('has types', async () => {
    const options = { module: 'nodenext', strict: true, noEmit: true, types: ['node'], skipLibCheck: false };
    const config = { compilerOptions: options, files: ['a.ts'] };
    await writeFile(join(home.path, 'tsconfig.json'), JSON.stringify(config));
    const uses = `
      import { createSandbox, type TestSandbox } from 'svc-cli/sandbox';
      export const sandbox: TestSandbox = await createSandbox({ now: '2030-01-01T00:00:00Z' });
      const { status, times } = await sandbox.faults.add('/**', { status: 500, times: 1 });
      export const sum: number = (status ?? 0) + (times ?? 0);
      export const token: string = sandbox.tokens.maintainer;
      export const project: number = sandbox.ids.project;
      export const caller: string | null | undefined = (await sandbox.requests.list())[0]?.caller;
      // @ts-expect-error
      await sandbox.faults.add('/**', { stauts: 500 });
      // @ts-expect-error
      sandbox.tokens.unknown.length;
      await sandbox.clock.set(new Date());
      await sandbox.close();
    `;
    await writeFile(join(home.path, 'package.json'), '{"type":"module"}');
    await writeFile(join(home.path, 'a.ts'), uses);
    const { exitCode, all } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', '.']);
    expect(exitCode, all).toBe(0);
  });
});

describe('docs/testing.md', () => {
  test('node:test', async () => {
    await writeFile(join(home.path, 'example.test.mjs'), await example('node'));
    const { exitCode, all } = await run(node, ['--test', 'example.test.mjs']);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/pass 2\b/);
  });

  // Vitest has the globals of Jest, which would be a large dependency.
  test.each([
    ['vitest', 'vitest.test.mjs', 2],
    ['jest', 'jest.test.cjs', 1],
  ])('%s, in Vitest', async (name, file, count) => {
    await writeFile(join(home.path, file), await example(name));
    const config = "export default { test: { include: ['*.test.?js'] } };";
    await writeFile(join(home.path, 'vitest.config.mjs'), config);
    const { exitCode, all } = await run(node, ['node_modules/vitest/vitest.mjs', 'run', '--globals', file]);
    expect(exitCode, all).toBe(0);
    expect(all).toContain(`${count} passed`);
  });

  test('pytest', async ({ skip }) => {
    skip(!hasPytest, 'pytest is not installed');
    await writeFile(join(home.path, 'test_example.py'), await example('pytest'));
    const pytest = ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_example.py'];
    const { exitCode, all } = await svc('sandbox', 'exec', '--', ...pytest);
    expect(exitCode, all).toBe(0);
    expect(all).toContain('2 passed');
  });

  test('curl', async () => {
    await writeFile(join(home.path, 'test.sh'), await example('curl'));
    const { exitCode, all } = await svc('sandbox', 'exec', '--', 'sh', 'test.sh');
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/"offset":691200000\}.*503\n200\n.*"path":"\/api\/v4\/version"/s);
  });
});
