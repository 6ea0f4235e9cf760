/** The checks of `npm run release`, in temporary git repositories. Slow steps are replaced. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const load = (path: string) => import(pathToFileURL(join(root, 'scripts/release', path)).href);
const { checks, createTag, runChecks } = await load('checks.mjs');
const { ownPlatform } = await load('../package/runtime.mjs');

const version = '1.3.0';
const changelog = `# Changelog\n\n## ${version} (2026-03-01)\n\n- A change\n  # and more\n\n## 1.2.0 (2026-01-01)\n\n- Old\n`;
const published = { version, publishConfig: { access: 'public', provenance: true } };
const packageJson = {
  name: 'x',
  version,
  repository: { type: 'git', url: 'git+ssh://git@host.example/x.git' },
};

/** Write the files of a release, with an executable that prints a text, and their checksums. */
function writeRelease(folder: string, printed = `svc ${version}`, manifest: object = published): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const name = `svc-${version}-${ownPlatform()}`;
  const place = mkdtempSync(join(tmpdir(), 'svc-archive-'));
  for (const part of [name, 'package']) mkdirSync(join(place, part));
  writeFileSync(join(place, name, 'svc'), `#!/bin/sh\necho "${printed}"\n`);
  chmodSync(join(place, name, 'svc'), 0o755);
  writeFileSync(join(place, 'package/package.json'), JSON.stringify(manifest));
  const packed = { [`${name}.tar.gz`]: name, [`x-${version}.tgz`]: 'package' };
  let sums = '';
  for (const [file, part] of Object.entries(packed)) {
    execFileSync('tar', ['-C', place, '--mtime=2026-01-01', '-czf', join(folder, file), part]);
    const hash = createHash('sha256').update(readFileSync(join(folder, file)));
    sums += `${hash.digest('hex')}  ${file}\n`;
  }
  rmSync(place, { recursive: true });
  writeFileSync(join(folder, 'SHA256SUMS'), sums);
}

/** A repository in which everything is true. */
function repository() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-release-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'Mia'],
        [`GIT_${who}_EMAIL`, 'mia@host.example'],
      ]),
    ),
  };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
  const write = (path: string, content: unknown) =>
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  const commit = (message = 'change') => {
    git('add', '-A');
    git('commit', '--quiet', '--message', message);
  };
  git('init', '--quiet', '--initial-branch', 'main');
  write('.gitignore', 'release/\n');
  write('CHANGELOG.md', changelog);
  write('package.json', packageJson);
  write('package-lock.json', { version, packages: { '': { version } } });
  commit('first');
  git('tag', 'v1.2.0');
  const ran: string[] = [];
  const steps: Record<string, () => void> = {
    package: () => writeRelease(join(folder, 'release')),
  };
  const release = {
    version,
    today: '2026-03-01',
    folder: join(folder, 'release'),
    read: (path: string) => readFileSync(resolve(folder, path), 'utf8'),
    git,
    npm(name: string) {
      ran.push(name);
      steps[name]?.();
    },
  };
  return { folder, git, write, commit, ran, steps, release };
}

type Repository = ReturnType<typeof repository>;

/** Run all checks. @returns the problem of each check that failed */
function problemsOf(release: Repository['release']): Map<string, string> {
  const found = new Map<string, string>();
  runChecks(checks, release, {
    all: true,
    report: (name: string, problem?: string) => problem !== undefined && found.set(name, problem),
  });
  return found;
}

test('every check passes in a repository that is ready', () => {
  const { release, ran } = repository();
  expect([...problemsOf(release)]).toEqual([]);
  expect(ran).toEqual(['check', 'cit', 'package', 'package']);
});

type Spoil = (own: Repository) => void;
const committed =
  (path: string, content: unknown): Spoil =>
  ({ write, commit }) => {
    write(path, content);
    commit();
  };
const given =
  (more: object): Spoil =>
  ({ release }) =>
    Object.assign(release, more);
/** Replace a script of npm. */
const script =
  (name: string, run: Spoil): Spoil =>
  (own) =>
    Object.assign(own.steps, { [name]: () => run(own) });
const failing = (name: string, message: string) =>
  script(name, () => {
    throw new Error(message);
  });
const releasing = (...more: [printed?: string, manifest?: object]) =>
  script('package', ({ release }) => writeRelease(release.folder, ...more));

const oldLock = { version, packages: { '': { version: '1.2.0' } } };
const forgotten = changelog.replace('## 1.2.0', '## Unreleased\n\n- Forgotten\n\n## 1.2.0');
let time = 0;
const differing = script('package', ({ release, write }) => {
  writeRelease(release.folder);
  time += 1;
  write('release/SHA256SUMS', `${String(time).repeat(64)}  x.tar.gz\n`);
});
const damaged = script('package', ({ release, write }) => {
  writeRelease(release.folder);
  write('release/svc_1.3.0_amd64.deb', '');
  const sums = release.read('release/SHA256SUMS').replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  write('release/SHA256SUMS', `${sums}${'0'.repeat(64)}  gone.zip\n`);
});

/** For each check, a cause of its failure, and its report. */
const refusals: readonly (readonly [name: string, spoil: Spoil, says: RegExp])[] = [
  [
    'the version is a semantic version, without a v',
    given({ version: 'v1.3.0' }),
    /not a semantic version: v1\.3\.0/,
  ],
  ['the branch is main', ({ git }) => git('switch', '--quiet', '--create', 'topic'), /the branch is topic/],
  ['every change is committed', ({ write }) => write('new.txt', ''), /\?\? new\.txt/],
  ['the tag does not exist', ({ git }) => git('tag', 'v1.3.0'), /the tag v1\.3\.0 exists/],
  [
    'the version is greater than that of every tag',
    ({ git }) => git('tag', 'v1.3.1-rc.1'),
    /the last tag is v1\.3\.1-rc\.1/,
  ],
  [
    'package.json and package-lock.json have the version',
    committed('package-lock.json', oldLock),
    /^package-lock\.json, packages: 1\.2\.0/,
  ],
  [
    'package.json has the address of the repository',
    committed('package.json', { name: 'x', version }),
    /npm rejects provenance/,
  ],
  [
    'CHANGELOG.md starts with the version and the date of today',
    given({ today: '2026-03-02' }),
    /"1\.3\.0 \(2026-03-01\)", not "1\.3\.0 \(2026-03-02\)"/,
  ],
  ['CHANGELOG.md has no unreleased changes', committed('CHANGELOG.md', forgotten), /"Unreleased" has chang/],
  ['npm run check passes', failing('check', 'differs: run npm run generate'), /npm run generate/],
  ['npm cit passes', failing('cit', '1 test failed'), /1 test failed/],
  ['npm run package passes', failing('package', 'no compiler'), /no compiler/],
  ['a second npm run package writes the same bytes', differing, /SHA256SUMS differs/],
  [
    'every file of the release matches SHA256SUMS',
    damaged,
    /gone\.zip is missing; .*tar\.gz differs from its checksum; svc_1\.3\.0_amd64\.deb has no checksum/,
  ],
  ['the executable for this machine prints the version', releasing('svc 1.2.0'), /it prints "svc 1\.2\.0"/],
  [
    'the npm package has the version, and asks for provenance',
    releasing(undefined, { version }),
    /provenance is not set/,
  ],
  ['the checks changed no file', script('cit', ({ write }) => write('left.txt', '')), /\?\? left\.txt/],
];

describe('a check that fails', () => {
  test('has a test for each check', () => {
    const names = checks.map(({ name }: { name: string }) => name);
    expect([...new Set(refusals.map(([name]) => name))]).toEqual(names);
  });

  test.each(refusals)('%s', (name, spoil, says) => {
    const own = repository();
    spoil(own);
    expect(problemsOf(own.release).get(name)).toMatch(says);
  });

  test('ends the run, unless all checks are requested, and nothing slow runs before it', () => {
    const { release, git, ran } = repository();
    git('tag', 'v1.3.0');
    const seen: string[] = [];
    const failed = runChecks(checks, release, { report: (name: string) => seen.push(name) });
    expect(failed).toEqual(['the tag does not exist']);
    expect(seen.at(-1)).toBe('the tag does not exist');
    expect(ran).toEqual([]);
    expect(problemsOf(release).size).toBe(2);
    expect(ran).not.toEqual([]);
  });
});

test('the tag is annotated with the changes of the version, and nothing is pushed', () => {
  const { release, git, folder } = repository();
  const remote = join(folder, 'release.git');
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
  git('remote', 'add', 'origin', remote);
  expect(createTag(release)).toBe('v1.3.0');
  expect(git('cat-file', '-t', 'v1.3.0').trim()).toBe('tag');
  expect(git('tag', '--list', '--format=%(contents)', 'v1.3.0').trim()).toBe(
    'svc 1.3.0\n\n- A change\n  # and more',
  );
  expect(execFileSync('git', ['-C', remote, 'for-each-ref'], { encoding: 'utf8' })).toBe('');
});

describe('npm run release', () => {
  /** A program in place of npm, which records its arguments and does what the scripts do. */
  const npm = `#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in
  'run package') mkdir -p release && cp -R "$READY"/. release ;;
esac
exit "\${FAIL:-0}"
`;
  async function run(words: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const own = repository();
    const { folder, write, commit } = own;
    const bin = mkdtempSync(join(tmpdir(), 'svc-bin-'));
    onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
    writeFileSync(join(bin, 'npm'), npm);
    chmodSync(join(bin, 'npm'), 0o755);
    writeRelease(join(bin, 'ready'));
    const now = new Date();
    const today = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
      .map((one) => String(one).padStart(2, '0'))
      .join('-');
    write('CHANGELOG.md', changelog.replace('2026-03-01', today));
    commit('release');
    const ended = await execa(process.execPath, [join(root, 'scripts/release.mjs'), ...words], {
      cwd: folder,
      reject: false,
      env: {
        PATH: `${bin}:${process.env['PATH']}`,
        HOME: folder,
        LOG: join(bin, 'log'),
        READY: join(bin, 'ready'),
        GIT_COMMITTER_NAME: 'Mia',
        GIT_COMMITTER_EMAIL: 'mia@host.example',
        ...more,
      },
    });
    const tags = own.git('tag', '--list').trim().split('\n');
    return { ...ended, tags, ran: readFileSync(join(bin, 'log'), { encoding: 'utf8', flag: 'a+' }) };
  }

  test('creates the tag after all checks, and prints the next commands', async () => {
    const { exitCode, stdout, tags, ran } = await run([version]);
    expect(stdout).not.toContain('FAIL');
    expect([exitCode, tags]).toEqual([0, ['v1.2.0', 'v1.3.0']]);
    const next = ['Nothing was pushed', 'git push --atomic', 'npm publish --provenance', 'docker build'];
    for (const text of next) expect(stdout).toContain(text);
    expect(ran).toMatch(/^run check\ncit\nrun package\nrun package\n$/);
  });

  test('creates no tag with --dry-run', async () => {
    const { exitCode, stdout, tags } = await run([version, '--dry-run']);
    expect([exitCode, tags]).toEqual([0, ['v1.2.0']]);
    expect(stdout.match(/^ok {4}/gm)).toHaveLength(checks.length);
  });

  test('stops at a script that fails, and lists all failures with --dry-run', async () => {
    const stopped = await run([version], { FAIL: '1' });
    expect([stopped.exitCode, stopped.tags, stopped.ran]).toEqual([1, ['v1.2.0'], 'run check\n']);
    expect(stopped.stderr).toContain('Nothing was tagged');
    const listed = await run([version, '--dry-run'], { FAIL: '1' });
    expect(listed.exitCode).toBe(1);
    for (const name of ['npm run check', 'npm cit', 'npm run package'])
      expect(listed.stdout).toContain(`FAIL  ${name} passes`);
  });
});

test.each(['1.0', 'v1.0.0', '01.0.0', '1.0.0-01', '1.0.0-', '1.0.0+a', '1.0.0-a..b', '1.0.0\n'])(
  '%j is no version',
  (text) => {
    const [isVersion] = checks;
    expect([isVersion.check({ version: text }), isVersion.check({ version: '1.0.0-rc.1' })]).toEqual([
      `not a semantic version: ${text}`,
      undefined,
    ]);
  },
);

test.each([[[]], [['1.0.0', '--push']]])('npm run release with %j is a usage error', async (words) => {
  const argv = [join(root, 'scripts/release.mjs'), ...words];
  const { exitCode, stderr } = await execa(process.execPath, argv, { reject: false });
  expect([exitCode, stderr]).toEqual([2, 'usage: npm run release -- <version> [--dry-run]']);
});
