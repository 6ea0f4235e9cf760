/** The Dockerfile: rules for images, and the step that verifies and unpacks a release. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../support/folders.ts';

const root = resolve(import.meta.dirname, '../..');
const { platforms } = JSON.parse(await readFile(join(root, 'scripts/package/runtime.json'), 'utf8'));
const text = await readFile(join(root, 'Dockerfile'), 'utf8');

interface Instruction {
  readonly name: string;
  readonly value: string;
  /** Counts the FROM instructions before it. */
  readonly stage: number;
}

/** Instructions with their continuation lines joined, without comments. */
function instructionsOf(source: string): Instruction[] {
  const lines = source
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  let stage = 0;
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', value = ''] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
      if (name === 'FROM') stage += 1;
      return { name, value, stage };
    });
}

const all = instructionsOf(text);
const last = Math.max(...all.map(({ stage }) => stage));
const named = (name: string, stage?: number) =>
  all
    .filter((one) => one.name === name && (stage === undefined || one.stage === stage))
    .map(({ value }) => value);

describe('the image', () => {
  test('uses known instructions only; ADD, which can load URLs, is not among them', () => {
    const known = ['ARG', 'FROM', 'RUN', 'WORKDIR', 'COPY', 'LABEL', 'ENV', 'USER', 'ENTRYPOINT', 'CMD'];
    expect(all.filter(({ name }) => !known.includes(name))).toEqual([]);
  });

  test('has base images with a tag that names a release, and arguments to replace them', () => {
    const defaults = new Map(named('ARG', 0).map((value) => value.split('=') as [string, string]));
    const bases = named('FROM').map((value) => /^\$\{(\w+)\}( AS \w+)?$/.exec(value)?.[1] ?? '');
    expect(bases).toHaveLength(2);
    for (const base of bases) expect(defaults.get(base)).toMatch(/^[\w./-]+:(?!latest)[\w.-]+$/);
  });

  test('runs as a user with a number, which is not root', () => {
    expect(named('USER')).toHaveLength(1);
    expect(named('USER', last)[0]).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  test('has only the files of the first stage, so that a base without a shell works', () => {
    expect(named('RUN', last)).toEqual([]);
    expect(named('COPY', last)).toEqual(['--from=unpack /image/ /']);
  });

  test('reads only the archives and their checksums from the build context', () => {
    const [copied = '', ...others] = named('COPY', 1);
    expect(others).toEqual([]);
    const [sums, pattern = '', target, ...more] = copied.replace('${VERSION}', '1.2.3').split(' ');
    expect([sums, target, more]).toEqual(['SHA256SUMS', './', []]);
    const [start = '', end = ''] = pattern.split('*');
    const copies = (name: string) => name.startsWith(start) && name.endsWith(end);
    const packed = Object.keys(platforms).filter((platform) => copies(`svc-1.2.3-${platform}.tar.gz`));
    expect(packed).toEqual(['linux-x64', 'linux-arm64']);
  });

  test('contains no secret and no URL', () => {
    const settable = [...named('ARG'), ...named('ENV')].map((value) => value.split('=')[0] ?? '');
    for (const name of settable) expect(name).not.toMatch(/token|secret|password|key|credential/i);
    expect(text).not.toMatch(/https?:/);
  });
});

describe('the step that unpacks a release', () => {
  const step = named('RUN', 1).find((value) => value.includes('SHA256SUMS')) ?? '';

  /** A build context with archives for two processors, and a folder in place of the image. */
  async function context(sums = (name: string, hash: string) => `${hash}  ${name}\n`, program = '') {
    const folder = await folderWith();
    const release = join(folder, 'release');
    await mkdir(release);
    let lines = '';
    for (const arch of ['x64', 'arm64']) {
      const name = `svc-1.2.3-linux-${arch}`;
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'svc'), `#!/bin/sh\necho ${arch} "$@"\n${program}`);
      for (const file of ['LICENSE', 'LICENSES.txt']) await writeFile(join(folder, name, file), '');
      execFileSync('tar', ['-C', folder, '-czf', join(release, `${name}.tar.gz`), name]);
      const hash = createHash('sha256').update(await readFile(join(release, `${name}.tar.gz`)));
      lines += sums(`${name}.tar.gz`, hash.digest('hex'));
    }
    await writeFile(join(release, 'SHA256SUMS'), lines);
    await writeFile(join(folder, 'roots.crt'), 'roots');
    // The architecture of the base image.
    const bin = join(folder, 'bin');
    await mkdir(bin);
    const dpkg = '#!/bin/sh\ntest "$*" = --print-architecture && echo arm64\n';
    await writeFile(join(bin, 'dpkg'), dpkg, { mode: 0o755 });
    const script = step
      .replaceAll('/image', join(folder, 'image'))
      .replaceAll(' /etc/ssl/certs/ca-certificates.crt ', ` ${join(folder, 'roots.crt')} `);
    const PATH = `${bin}${delimiter}${process.env['PATH']}`;
    const run = (env: Readonly<Record<string, string>> = {}) =>
      execa('sh', ['-c', script], {
        cwd: release,
        env: { PATH, VERSION: '1.2.3', TARGETARCH: 'amd64', ...env },
        extendEnv: false,
        reject: false,
      });
    return { folder, release, image: join(folder, 'image'), run };
  }

  test.each([
    ['amd64', 'x64'],
    ['arm64', 'arm64'],
  ])('installs the executable for %s, its licenses and the certificates', async (TARGETARCH, arch) => {
    const { image, run } = await context();
    const { exitCode, stderr } = await run({ TARGETARCH });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(execFileSync(join(image, 'usr/bin/svc'), { encoding: 'utf8' })).toBe(`${arch}\n`);
    expect((await readdir(join(image, 'usr/share/doc/svc'))).sort()).toEqual(['LICENSE', 'LICENSES.txt']);
    expect(await readFile(join(image, 'etc/ssl/certs/ca-certificates.crt'), 'utf8')).toBe('roots');
  });

  test.each([
    ['the processor of the base image without BuildKit', { TARGETARCH: '' }, 'arm64 --version'],
    ['that of the machine', { BUILDARCH: 'amd64' }, 'x64 --version'],
    ['another processor than that of the machine', { TARGETARCH: 'arm64', BUILDARCH: 'amd64' }, undefined],
    ['another processor than that of the base image', {}, undefined],
  ])('starts the executable once, unless it is emulated: %s', async (_, env, says) => {
    const { run } = await context();
    const { exitCode, stdout } = await run(env);
    expect([exitCode, stdout.split('\n').find((line) => line.includes('--version'))]).toEqual([0, says]);
  });

  test('stops if the executable fails', async () => {
    const { run } = await context(undefined, 'exit 3\n');
    expect((await run({ BUILDARCH: 'amd64' })).exitCode).toBe(3);
  });

  test('creates a home in which any user can write, and can only replace their own files', async () => {
    const { image, run } = await context();
    await run();
    expect((await stat(join(image, 'home/svc'))).mode & 0o7777).toBe(0o1777);
    expect((await stat(join(image, 'work'))).mode & 0o7777).toBe(0o755);
  });

  test.each([
    ['a wrong checksum', (name: string) => `${'0'.repeat(64)}  ${name}\n`, /FAILED/],
    ['no checksum', () => '', /does not list svc-1\.2\.3-linux-x64\.tar\.gz once/],
    ['two checksums', (name: string, hash: string) => `${hash}  ${name}\n${hash}  ${name}\n`, /once/],
    ['a checksum that is no line of sha256sum', (name: string) => `x  ${name}\n`, /no properly formatted/],
  ])('stops at %s', async (_, sums, says) => {
    const { image, run } = await context(sums);
    const { exitCode, stdout, stderr } = await run();
    expect(exitCode).not.toBe(0);
    expect(stdout + stderr).toMatch(says);
    await expect(access(image)).rejects.toThrow(/ENOENT/);
  });

  test('stops at a damaged archive and at an unknown processor', async () => {
    const { release, image, run } = await context();
    expect((await run({ TARGETARCH: 'riscv64' })).stderr).toBe('no executable for riscv64');
    await chmod(join(release, 'svc-1.2.3-linux-x64.tar.gz'), 0o644);
    await writeFile(join(release, 'svc-1.2.3-linux-x64.tar.gz'), 'x');
    expect((await run()).stdout).toContain('FAILED');
    await expect(access(image)).rejects.toThrow(/ENOENT/);
  });
});
