/** `npm run package`: the formats of its files. The executable itself is built if its runtime was downloaded before. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedFolder } from '../support/folders.ts';

const load = (path: string) => import(pathToFileURL(resolve('scripts', path)).href);
const { buildExecutable } = await load('executable.mjs');
const { debianPackage } = await load('package/deb.mjs');
const { removeSignature } = await load('package/macho.mjs');
const { isCached, ownPlatform, platforms, runtime, runtimeNotices, withoutText } =
  await load('package/runtime.mjs');
const { packagesOf, union } = await load('notices.mjs');
const { billOfMaterials } = await load('package/sbom.mjs');
const { tarball } = await load('package/tar.mjs');

interface Component {
  readonly type: string;
  readonly name: string;
  readonly purl?: string;
  readonly licenses: readonly unknown[];
  readonly components?: readonly Component[];
  readonly hashes?: readonly { readonly content: string }[];
  readonly 'bom-ref': string;
}

const time = new Date('2026-03-01T00:00:00Z');
const folder = sharedFolder();

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const output = (program: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return stdout;
};

describe('archives', () => {
  const entries = [
    { name: 'svc-1/svc', content: Buffer.from('program'), executable: true },
    { name: 'svc-1/man/man1/svc.1', content: Buffer.from('page') },
  ];

  test('contain the same bytes at any time, and no name of a user', async () => {
    const first = await tarball(entries, { time });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await tarball(entries, { time })).toEqual(first);
    // RFC 1952, section 2.3: the time of the compressed file is not stored.
    expect(first.subarray(4, 8)).toEqual(Buffer.alloc(4));
  });

  test('are readable by tar', async () => {
    const file = join(folder, 'a.tar.gz');
    await writeFile(file, await tarball(entries, { time }));
    const lines = output('tar', '--numeric-owner', '-tvzf', file).trimEnd().split('\n');
    expect(lines.map((line) => line.split(/\s+/)[0])).toEqual(['-rwxr-xr-x', '-rw-r--r--']);
    for (const line of lines) expect(line).toMatch(/ 0\/0 /);
    expect(output('tar', '-xzOf', file, 'svc-1/man/man1/svc.1')).toBe('page');
  });
});

describe.skipIf(!has('dpkg-deb', '--version'))('Debian packages', () => {
  let file: string;
  beforeAll(async () => {
    file = join(folder, 'svc.deb');
    const deb = await debianPackage({
      version: '1.2.3-rc.1',
      architecture: 'amd64',
      description: 'a client',
      time,
      executable: Buffer.alloc(3000),
      man: new Map([
        ['svc.1', Buffer.from('one')],
        ['svc-config.5', Buffer.from('five')],
      ]),
      completions: new Map(
        ['svc.bash', '_svc', 'svc.fish', 'svc.ps1'].map((name) => [name, Buffer.from(name)]),
      ),
      copyright: 'MIT',
      changelog: '# Changelog\n',
    });
    await writeFile(file, deb);
  });

  test('name their architecture, and precede the release if they are a candidate', () => {
    const field = (name: string) => output('dpkg-deb', '--field', file, name).trim();
    expect(['Package', 'Version', 'Architecture'].map(field)).toEqual(['svc', '1.2.3~rc.1', 'amd64']);
    expect(has('dpkg', '--compare-versions', field('Version'), 'lt', '1.2.3')).toBe(true);
  });

  test('put files where man and the three shells look for them', () => {
    const lines = output('dpkg-deb', '--contents', file).trimEnd().split('\n');
    const modes = new Map(
      lines.map((line) => {
        const [mode = '', owner, , , , path = ''] = line.split(/\s+/);
        expect(owner).toBe('root/root');
        return [path, mode];
      }),
    );
    expect(modes.get('./usr/bin/svc')).toBe('-rwxr-xr-x');
    for (const path of [
      'man/man1/svc.1.gz',
      'man/man5/svc-config.5.gz',
      'bash-completion/completions/svc',
      'zsh/vendor-completions/_svc',
      'fish/vendor_completions.d/svc.fish',
      'doc/svc/copyright',
      'doc/svc/changelog.gz',
    ])
      expect(modes.get(`./usr/share/${path}`), path).toBe('-rw-r--r--');
  });
});

const npm = JSON.parse(readFileSync('dist/packages.json', 'utf8'));
const locked = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
const bomOf = (packages: unknown) =>
  billOfMaterials({ name: 'svc-cli', version: '1.2.3', license: 'MIT', time, packages, locked });

describe('the bill of materials', () => {
  const bom = bomOf(npm);
  const components: readonly Component[] = bom.components;

  test('lists every bundled package with its license, version and checksum', () => {
    const notices = readFileSync('dist/LICENSES.txt', 'utf8');
    const headings = [...notices.matchAll(/^(@?[\w./-]+) (\d+\.\d+\.\d\S*): \S/gm)].map(
      ([, name, version]) => `pkg:npm/${name?.replace('@', '%40')}@${version}`,
    );
    const bundled = components.filter((component) => component.purl && component.type === 'library');
    expect(bundled.map(({ purl }) => purl)).toEqual(headings);
    expect(headings).toContain(`pkg:npm/undici@${locked['node_modules/undici'].version}`);
    for (const { hashes, name } of bundled) expect(hashes?.[0]?.content, name).toMatch(/^[0-9a-f]{128}$/);
  });

  test('lists packages of the npm package and of the executables, each version once', () => {
    const one = { name: 'b', version: '1.0.0', license: 'MIT' };
    const other = { ...one, version: '2.0.0' };
    const kept = { ...one, name: 'a' };
    expect(union([one], [one, other], [kept])).toEqual([kept, one, other]);
  });

  test('names each component once, and depends on components only', () => {
    const refs = [bom.metadata.component as Component, ...components].map(
      (component) => component['bom-ref'],
    );
    expect(new Set(refs).size).toBe(refs.length);
    for (const { ref, dependsOn } of bom.dependencies)
      for (const one of [ref, ...dependsOn]) expect(refs).toContain(one);
    for (const { licenses, name } of components) expect(licenses, name).toHaveLength(1);
  });

  test('lists what the jq of a package is made of, as its license file does', () => {
    const text = readFileSync('scripts/licenses/jq-wasm.txt', 'utf8');
    const parts = components.find(({ name }) => name === 'jq-wasm')?.components ?? [];
    expect(parts.map(({ name }) => name)).toContain('Oniguruma');
    for (const { name } of parts) expect(text).toContain(name);
  });

  test('the notices contain the license of each library, or name the library as one without', () => {
    const text: string = runtimeNotices('full');
    const sections = text.split(`\n\n${'-'.repeat(80)}\n\n`).slice(1);
    const [, listed = ''] = /not included are in the repositories above:\n(.*)\.\n/.exec(`${text}\n`) ?? [];
    expect(listed.split(', ')).toEqual(withoutText);
    const grants = /Permission is hereby granted|Redistribution and use in source and binary forms/;
    for (const { name, license } of runtime.libraries) {
      const section = sections.find((one) => one.startsWith(`${name}\n`));
      if (section) expect(section, name).toMatch(grants);
      else if (!/^(LGPL-2\.1|Apache-2\.0)/.test(license)) expect(withoutText).toContain(name);
    }
    // Every text belongs to a library that is linked.
    const names = runtime.libraries.map(({ name }: { name: string }) => `${name}.txt`);
    expect(readdirSync('scripts/licenses/texts/runtime').filter((file) => !names.includes(file))).toEqual([]);
    // Neither Node.js nor Debian 12 has the texts of these.
    expect(withoutText.join(' ')).toBe(
      'bun lol-html ls-hpack ls-qpack lsquic picohttpparser zlib-ng base64 uucode',
    );
  });
});

test('the runtime of each platform is pinned by a checksum', () => {
  expect(platforms).toContain('linux-x64');
  for (const { integrity } of Object.values<{ integrity: string }>(runtime.platforms))
    expect(Buffer.from(integrity.replace('sha512-', ''), 'base64')).toHaveLength(64);
});

describe('the signature for macOS', () => {
  // The layout is that of <mach-o/loader.h>: two segments, a signature and another command.
  const commands = 72 + 72 + 16 + 16;
  const program = Buffer.alloc(4096 + 100 + 16, 7);
  const segment = (at: number, name: string, offset: number, size: number) => {
    program.fill(0, at, at + 72);
    program.writeUInt32LE(0x19, at);
    program.writeUInt32LE(72, at + 4);
    program.write(name, at + 8);
    program.writeBigUInt64LE(BigInt(offset), at + 40);
    program.writeBigUInt64LE(BigInt(size), at + 48);
  };
  const command = (at: number, kind: number, more: readonly number[]) => {
    for (const [index, value] of [kind, 16, ...more].entries()) program.writeUInt32LE(value, at + 4 * index);
  };
  program.writeUInt32LE(4, 16);
  program.writeUInt32LE(commands, 20);
  segment(32, '__TEXT', 0, 4096);
  segment(104, '__LINKEDIT', 4096, 116);
  command(176, 0x1d, [4196, 16]);
  command(192, 0x26, [1, 2]);

  test('is removed from the file, its commands and its last segment', async () => {
    const file = join(folder, 'program');
    await writeFile(file, program);
    expect(removeSignature(file)).toBe(true);
    const found = readFileSync(file);
    expect(found.length).toBe(4196);
    expect([found.readUInt32LE(16), found.readUInt32LE(20)]).toEqual([3, commands - 16]);
    expect(found.readBigUInt64LE(104 + 48)).toBe(100n);
    expect(found.subarray(176, 192)).toEqual(program.subarray(192, 208));
    expect(found.subarray(192, 208)).toEqual(Buffer.alloc(16));
    expect(found.subarray(208)).toEqual(program.subarray(208, 4196));
    expect(removeSignature(file)).toBe(false);
  });

  test.skipIf(!isCached('darwin-x64') || !ownPlatform())(
    'is not in the executable for darwin-x64',
    async () => {
      const file = join(folder, 'darwin', 'svc');
      await buildExecutable({ platform: 'darwin-x64', file });
      expect(removeSignature(file)).toBe(false);
    },
  );
});

const own = ownPlatform();

test.skipIf(!own || !isCached(own))(
  'the packages of the executable are known, with those that only its bundler keeps',
  async () => {
    const modules: string[] = await buildExecutable({ platform: own, file: join(folder, 'listed', 'svc') });
    const contained = packagesOf(modules);
    const packages: readonly { name: string; version: string }[] = union(npm, contained);
    // Both bundlers start from the same source.
    expect(union(contained, npm)).toHaveLength(contained.length);
    const purls = bomOf(packages).components.map(({ purl }: Component) => purl);
    for (const path of modules) {
      const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
      if (name === undefined) continue;
      const found = packages.find((one) => one.name === name);
      expect(purls, path).toContain(`pkg:npm/${name.replace('@', '%40')}@${found?.version}`);
    }
  },
);

test.skipIf(!own || !isCached(own))('the executable runs without PATH and files', async () => {
  const file = join(folder, 'bin', 'svc');
  await buildExecutable({ platform: own, file });
  const env = { PATH: '', HOME: folder };
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const run = (...args: string[]) => spawnSync(file, args, { env, cwd: folder, encoding: 'utf8' });
  expect(run('--version')).toMatchObject({ status: 0, stdout: `svc ${version}\n`, stderr: '' });
  const jobs = run('--sandbox', 'jobs', 'list', '--project', 'acme/rocket', '--json');
  expect([jobs.status, JSON.parse(jobs.stdout).length > 0]).toEqual([0, true]);
});
