/** The seeded history, compared with git if it is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { seedHistory } from '../../src/sandbox/git/history.ts';
import { Repository } from '../../src/sandbox/git/repository.ts';
import streams from '../../src/sandbox/seed/data/history.json' with { type: 'json' };
import logo from '../../src/sandbox/seed/data/logo.json' with { type: 'json' };
import { sharedFolder } from '../support/folders.ts';
import { seededShas } from '../support/seeded-shas.ts';
import { words } from '../support/svc.ts';

const folder = sharedFolder();
const storage = { fs, gitdir: `${folder}/repository.git` };
const repository = new Repository(storage);
const hasGit = spawnSync('git', ['--version']).status === 0;
/** Return the commits reachable from a ref, newest first. */
const logOf = async (ref: string) => (await repository.between('none', ref)).reverse();

const git = (...args: string[]): string =>
  execFileSync('git', ['--git-dir', `${folder}/repository.git`, ...args], {
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

beforeAll(async () => {
  await seedHistory(storage, {
    name: 'Rocket',
    description: '',
    default_branch: 'main',
    path_with_namespace: 'acme/rocket',
  });
});

describe('the seeded history', () => {
  it('has the published SHAs', async () => {
    for (const [ref, sha] of Object.entries(seededShas)) {
      const [branch = '', steps = 0] = ref.split('~');
      let found = await repository.commit(branch);
      for (let step = 0; step < Number(steps); step++)
        found = await repository.commit(found?.parent_ids[0] ?? '');
      expect(found?.id, ref).toBe(sha);
    }
  });

  it('has the seeded tags and files', async () => {
    expect((await repository.tags()).map(({ name }) => name)).toEqual(['v1.0.0', 'v1.1.0']);
    const paths = words(`
      .ci.yml CHANGELOG.md README.md assets/logo.png bin/launch.sh "docs/café menu.md" docs/guide.md models/nose.lfs
      package-lock.json package.json src/engine/thrust.ts src/main.ts`);
    const executable: string[] = [];
    for (const path of paths) {
      const file = await repository.readFile('main', path);
      expect(file, path).toBeDefined();
      if (file?.executable) executable.push(path);
    }
    expect(executable).toEqual(['bin/launch.sh']);
  });

  it('has at least four commits of three authors for src/main.ts; has trailers', async () => {
    const ranges = (await repository.blame('main', 'src/main.ts')) ?? [];
    expect(new Set(ranges.map(({ commit }) => commit.id)).size).toBeGreaterThanOrEqual(4);
    expect(new Set(ranges.map(({ commit }) => commit.author_name)).size).toBeGreaterThanOrEqual(3);
    const [parent = ''] = (await repository.commit('v1.0.0'))?.parent_ids ?? [];
    const commit = await repository.commit(parent);
    expect(commit?.trailers).toEqual({ 'Reviewed-by': 'Devon Developer <devon@example.com>' });
    expect(commit?.extended_trailers).toEqual({ 'Reviewed-by': ['Devon Developer <devon@example.com>'] });
  });
});

describe.runIf(hasGit)('git', () => {
  it('imports the same commits and tags', () => {
    const dir = `${folder}/imported.git`;
    const inDir = (args: readonly string[], input: string | Buffer = '') =>
      execFileSync('git', ['--git-dir', dir, ...args], { encoding: 'utf8', input });
    inDir(['init', '--quiet', '--bare']);
    inDir(['hash-object', '-w', '--stdin'], Buffer.from(logo, 'base64'));
    inDir(['fast-import', '--quiet'], `${streams['acme/rocket'].join('\n')}\n`);
    expect(inDir(['for-each-ref'])).toBe(git('for-each-ref'));
  });

  it('reports no errors', () => {
    const args = ['--git-dir', `${folder}/repository.git`, 'fsck', '--full', '--strict'];
    const checked = spawnSync('git', args, { encoding: 'utf8' });
    expect(checked.stderr.replace(/^Checking.*$/gm, '').trim()).toBe('');
    expect(checked.stdout.trim()).toBe('');
    expect(checked.status).toBe(0);
  });

  it.each(['main', 'feature/login', 'release/1.x', 'v1.1.0'])('prints the same log of %s', async (ref) => {
    const ours = (await logOf(ref)).map(({ id, parent_ids, title, author_email, committed_date }) =>
      [id, parent_ids.join(' '), title, author_email, Date.parse(committed_date) / 1000].join('\t'),
    );
    expect(ours).toEqual(git('log', '--format=%H%x09%P%x09%s%x09%ae%x09%ct', ref).trim().split('\n'));
  });

  it('prints the same blame', async () => {
    for (const ref of ['main', 'develop', 'v1.0.0']) {
      for (const path of git('ls-tree', '-r', '-z', '--name-only', ref).split('\0').filter(Boolean)) {
        if (path.endsWith('.png')) continue;
        const ours = (await repository.blame(ref, path))?.flatMap(({ commit, lines }) =>
          lines.map((line) => `${commit.id} ${line}`),
        );
        const theirs = [
          ...git('blame', '--line-porcelain', ref, '--', path).matchAll(
            /^([0-9a-f]{40}) .*\n(?:[a-z].*\n)*\t(.*)$/gm,
          ),
        ].map(([, sha, line]) => `${sha} ${line}`);
        expect(ours, `${ref}:${path}`).toEqual(theirs);
      }
    }
  });

  it('reports the same last commit and blob of each file', async () => {
    for (const line of git('ls-tree', '-r', '-z', 'main').split('\0').filter(Boolean)) {
      const [, mode, blob, path = ''] = /^(\d+) blob (\w+)\t(.*)$/.exec(line) ?? [];
      const file = await repository.readFile('main', path);
      expect(file?.blobId, path).toBe(blob);
      expect(file?.executable, path).toBe(mode === '100755');
      expect(file?.lastCommitId, path).toBe(git('log', '-1', '--format=%H', 'main', '--', path).trim());
    }
  });

  it('reports the same changes per commit, and the same commits of a range', async () => {
    for (const { id, parent_ids } of await logOf('main')) {
      const before = parent_ids[0] ?? '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
      const status = git('diff-tree', '-r', '-z', '--name-status', before, id).split('\0');
      const theirs = { added: [] as string[], modified: [] as string[], removed: [] as string[] };
      for (let i = 0; i + 1 < status.length; i += 2)
        theirs[status[i] === 'A' ? 'added' : status[i] === 'D' ? 'removed' : 'modified'].push(
          status[i + 1] as string,
        );
      expect(await repository.changedPaths(id)).toEqual(theirs);
    }
    const between = await repository.between('v1.0.0', 'develop');
    expect(between.map(({ id }) => id)).toEqual(
      git('rev-list', '--reverse', 'v1.0.0..develop').trim().split('\n'),
    );
  });

  it.each(['main', 'v1.1.0', 'HEAD', '72bc266c', 'refs/heads/develop'])(
    'resolves %s to the same commit',
    async (ref) => {
      expect(await repository.resolve(ref)).toBe(git('rev-parse', '--verify', `${ref}^{commit}`).trim());
    },
  );
});
