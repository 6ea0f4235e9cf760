/** Reads and writes of a repository (section 4.4). */
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type GitFile, gitFiles } from '../../src/sandbox/git/files.ts';
import { openRepository } from '../../src/sandbox/git/history.ts';
import { GitError, isRefName, isSafePath } from '../../src/sandbox/git/names.ts';
import type { RepositoryStorage } from '../../src/sandbox/git/objects.ts';
import { Repository } from '../../src/sandbox/git/repository.ts';
import type { Action, FileCommit } from '../../src/sandbox/git/writing.ts';
import { memoryStorage, State } from '../../src/sandbox/store/state.ts';
import { folderWith } from '../support/folders.ts';

const ann = { name: 'Ann', email: 'ann@example.com' };
const bytes = (text: string) => Buffer.from(text, 'utf8');
let clock = Date.UTC(2026, 0, 1);

const hasGit = spawnSync('git', ['--version']).status === 0;

async function commit(repository: Repository, actions: readonly Action[], more: Partial<FileCommit> = {}) {
  const common = { branch: 'main', message: 'Change', committer: ann };
  let sha = '';
  for (const change of actions) {
    clock += 60_000;
    sha = await repository.commitFile({ ...common, time: new Date(clock), change, ...more });
  }
  return sha;
}

const create = (path: string, text: string): Action => ({ action: 'create', path, bytes: bytes(text) });
const remove = (path: string): Action => ({ action: 'delete', path });
const update = (path: string, text: string): Action => ({ action: 'update', path, bytes: bytes(text) });

async function storage(): Promise<RepositoryStorage> {
  const { store, files } = await State.open(memoryStorage(), Date.now);
  return { fs: gitFiles(store.table<GitFile>('git_files'), files), gitdir: '/repository' };
}

async function small(): Promise<Repository> {
  const repository = new Repository(await storage());
  await commit(repository, [create('a.txt', 'one\n'), create('dir/b.txt', 'two\n')]);
  return repository;
}

describe('a commit of files', () => {
  it('can have a trailer of any name', async () => {
    const repository = await small();
    const message = 'Change\n\nconstructor: Ann\nconstructor: Bob\n';
    const sha = await commit(repository, [update('a.txt', 'eins\n')], { message });
    const { trailers, extended_trailers } = (await repository.commit(sha)) ?? {};
    expect(JSON.parse(JSON.stringify([trailers, extended_trailers]))).toEqual([
      { constructor: 'Bob' },
      { constructor: ['Ann', 'Bob'] },
    ]);
  });

  it.each(['Change', 'Change\n', 'Change\n\n\n', 'Change\r\n\r\nBecause'])(
    'keeps the message %j',
    async (message) => {
      const repository = await small();
      const sha = await commit(repository, [update('a.txt', 'eins\n')], { message });
      expect(await repository.commit(sha)).toMatchObject({ message, title: 'Change' });
    },
  );

  it('keeps binary content and empty files', async () => {
    const repository = await small();
    const every = Uint8Array.from({ length: 256 }, (_, index) => index);
    await commit(repository, [{ action: 'create', path: 'all.bin', bytes: every }, create('empty', '')]);
    expect([...((await repository.readFile('main', 'all.bin'))?.bytes ?? [])]).toEqual([...every]);
    expect((await repository.readFile('main', 'empty'))?.size).toBe(0);
    expect(await repository.blame('main', 'empty')).toEqual([]);
  });

  it('sets, keeps and clears the executable mode', async () => {
    const repository = await small();
    const executable = async () => (await repository.readFile('main', 'a.txt'))?.executable;
    await commit(repository, [{ ...update('a.txt', 'one\n'), executable: true }]);
    expect(await executable()).toBe(true);
    await commit(repository, [update('a.txt', 'two\n')]);
    expect(await executable()).toBe(true);
    await commit(repository, [{ ...update('a.txt', 'two\n'), executable: false }]);
    expect(await executable()).toBe(false);
  });

  it('removes a folder with its last file, and the last file of all', async () => {
    const repository = await small();
    await commit(repository, [remove('dir/b.txt')]);
    await commit(repository, [create('dir', 'a file now')]);
    await commit(repository, [remove('dir'), remove('a.txt')]);
    expect(await repository.readFile('main', 'a.txt')).toBeUndefined();
    await commit(repository, [create('a.txt', 'again')]);
    expect((await repository.readFile('main', 'a.txt'))?.size).toBe(5);
  });

  const edit = [update('a.txt', 'x')];
  it.each<[string, Action[], Partial<FileCommit>, string]>([
    ['a path with ..', [create('x/../../y', '')], {}, 'invalid file path'],
    ['a path into .git', [create('.git/config', '')], {}, 'invalid file path'],
    ['a new file with an existing path', [create('a.txt', 'x')], {}, 'a file with this name exists'],
    ['a new file with the path of a folder', [create('dir', 'x')], {}, 'a file with this name exists'],
    ['a new file below a file', [create('a.txt/x', 'x')], {}, 'a file with this name exists'],
    ['an update of a missing file', [update('none', 'x')], {}, 'no file with this name exists'],
    ['an update of a folder', [update('dir', 'x')], {}, 'no file with this name exists'],
    ['a deletion of a missing file', [remove('none')], {}, 'no file with this name exists'],
    ['unchanged content', [update('a.txt', 'one\n')], {}, 'the commit changes nothing'],
    ['an unknown branch', edit, { branch: 'none' }, 'no branch'],
    ['an unknown start branch', edit, { branch: 'new', startBranch: 'none' }, 'no branch'],
    ['a start branch for an existing branch', edit, { startBranch: 'other' }, 'the branch exists'],
    ['an invalid branch name', edit, { branch: 'a..b', startBranch: 'main' }, 'Branch name is invalid'],
    ['a branch below another one', edit, { branch: 'main/x', startBranch: 'main' }, 'Branch name is invalid'],
  ])('rejects %s, and keeps the branch', async (_, actions, more, code) => {
    const repository = await small();
    const before = await repository.branches();
    const error = await commit(repository, actions, more).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GitError);
    expect(error).toMatchObject({ message: expect.stringContaining(code) });
    expect(await repository.branches()).toEqual(before);
  });

  it('removes characters from names and addresses that would corrupt the commit', async () => {
    const repository = await small();
    const sha = await commit(repository, [update('a.txt', 'x')], {
      authorName: 'Eve <eve>\nparent 0000',
      authorEmail: 'eve@example.com>\ncommitter x',
    });
    expect(await repository.commit(sha)).toMatchObject({
      author_name: 'Eve eveparent 0000',
      author_email: 'eve@example.comcommitter x',
      committer_name: 'Ann',
      committed_date: new Date(clock).toISOString(),
    });
  });
});

describe('branches and refs', () => {
  it('resolve only if they exist', async () => {
    const repository = await small();
    const tip = (await repository.resolve('main')) as string;
    const tag = await repository.writeTag('v1', tip, 'One', ann, new Date(clock));
    await repository.writeRef('tags', 'v1', tag);
    await repository.createTag('plain', tip);
    const blob = (await repository.readFile('main', 'a.txt'))?.blobId as string;
    for (const ref of ['HEAD', 'v1', 'plain', tip, tip.slice(0, 8), 'refs/tags/v1', 'refs/heads/main'])
      expect(await repository.resolve(ref), ref).toBe(tip);
    const unknown = 'none main~1 main^2 ../config refs/tags/main dead ~'.split(' ');
    for (const ref of [...unknown, '', 'x y', 'a'.repeat(40), blob])
      expect(await repository.resolve(ref), ref).toBeUndefined();
    expect(await repository.tags()).toEqual([
      { name: 'plain', sha: tip },
      { name: 'v1', sha: tip },
    ]);
  });

  it.each(['main', 'feature/login', 'a.b', 'ä', 'v1@2', 'a-', '#7'])('can have the name %s', (name) => {
    expect(isRefName(name)).toBe(true);
  });

  const badNames = ['', 'a b', ...'/a a/ a//b a..b .a a/.b a. a.lock a~1 a^ a:b a? a* a[ a\\b'.split(' ')];
  it.each([...badNames, '@', 'a@{b', '-a', 'HEAD', 'a\x7f', 'f'.repeat(40)])(
    'cannot have the name %j',
    (name) => {
      expect(isRefName(name)).toBe(false);
    },
  );

  it.runIf(hasGit).each(badNames)('cannot have the name %j in git', (name) => {
    expect(spawnSync('git', ['check-ref-format', '--branch', name]).status).not.toBe(0);
  });
});

it.each(['a', 'a/b c', 'ä/ö', '..a', 'a../b', '.gitignore', '-'])('a file can have the path %s', (path) => {
  expect(isSafePath(path)).toBe(true);
});

it.each(['', 'a\0', ...'/a a/ a//b . .. ../a a/../b a/.. ./a .git .GIT/x a\\b'.split(' ')])(
  'a file cannot have the path %j',
  (path) => {
    expect(isSafePath(path)).toBe(false);
  },
);

describe('blame', () => {
  it('returns ranges, and restricts them to lines', async () => {
    const repository = new Repository(await storage());
    const first = await commit(repository, [create('f', 'a\nb\nc\nd\n')]);
    const second = await commit(repository, [update('f', 'a\nb\nX\nc\nd')]);
    const shape = (ranges: Awaited<ReturnType<Repository['blame']>>) =>
      ranges?.map(({ commit: { id }, lines }) => [id, lines]);
    expect(shape(await repository.blame('main', 'f'))).toEqual([
      [first, ['a', 'b']],
      [second, ['X']],
      [first, ['c']],
      // Without its line feed it is a different line.
      [second, ['d']],
    ]);
    expect(shape(await repository.blame('main', 'f', { start: 2, end: 3 }))).toEqual([
      [first, ['b']],
      [second, ['X']],
    ]);
    expect(shape(await repository.blame('main', 'f', { start: 5, end: 99 }))).toEqual([[second, ['d']]]);
    expect(await repository.blame('main', 'f', { start: 6, end: 9 })).toEqual([]);
    expect(await repository.blame('main', 'none')).toBeUndefined();
    expect(await repository.blame('none', 'f')).toBeUndefined();
  });

  it.runIf(hasGit)('agrees with git on forty random changes with merges', async () => {
    const folder = await folderWith();
    const repository = new Repository({ fs, gitdir: folder });
    let state = 7;
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    // All lines differ, so that there is only one way to match two versions.
    let serial = 0;
    const fresh = () => `line ${serial++} é`;
    let lines = Array.from({ length: 30 }, fresh);
    await commit(repository, [create('f', `${lines.join('\n')}\n`)]);
    for (let round = 0; round < 40; round++) {
      const at = random(lines.length);
      const changed = lines.toSpliced(at, random(4), ...Array.from({ length: 1 + random(3) }, fresh));
      if (round % 5 === 4) {
        // A side branch changes the end, main the beginning, and the merge contains both.
        const side = [...lines, fresh()];
        await commit(repository, [update('f', `${side.join('\n')}\n`)], {
          branch: `side-${round}`,
          startBranch: 'main',
        });
        lines = [fresh(), ...lines];
        await commit(repository, [update('f', `${lines.join('\n')}\n`)]);
        lines.push(side.at(-1) as string);
        const merged = (await repository.resolve(`side-${round}`)) as string;
        const plain = await commit(repository, [update('f', `${lines.join('\n')}\n`)]);
        const { tree, parent, message, author, committer } = await repository.commitObject(plain);
        const parents = [...parent, merged];
        const time = new Date(committer.timestamp * 1000);
        const sha = await repository.writeCommit({ tree, parents, message, author, committer, time });
        await repository.writeRef('heads', 'main', sha);
      } else {
        lines = changed;
        await commit(repository, [update('f', `${lines.join('\n')}\n`)]);
      }
    }
    const blame = ['--git-dir', folder, 'blame', '--line-porcelain', 'main', '--', 'f'];
    const porcelain = execFileSync('git', blame, { encoding: 'utf8' });
    const theirs = [...porcelain.matchAll(/^([0-9a-f]{40}) .*\n(?:[a-z].*\n)*\t(.*)$/gm)].map(
      ([, sha, line]) => [sha, line],
    );
    const ours = (await repository.blame('main', 'f'))?.flatMap(({ commit: { id }, lines: part }) =>
      part.map((line) => [id, line]),
    );
    expect(theirs).toHaveLength(lines.length);
    expect(ours).toEqual(theirs);
  });
});

describe('the repository of a project', () => {
  const project = {
    id: 101,
    name: 'Website',
    path_with_namespace: 'acme/website',
    description: 'The public website of Acme',
    default_branch: 'trunk',
  };

  it('is created once with its history, and keeps commits', async () => {
    const { store, files } = await State.open(memoryStorage(), Date.now);
    const table = store.table<GitFile>('git_files');
    const repository = await openRepository(project, table, files);
    expect(await repository.resolve('HEAD')).toBe(await repository.resolve('trunk'));
    expect(Buffer.from((await repository.readFile('HEAD', 'README.md'))?.bytes ?? []).toString()).toBe(
      '# Website\n\nThe public website of Acme\n',
    );
    const sha = await commit(repository, [create('x', 'x')], { branch: 'trunk' });
    expect(await (await openRepository(project, table, files)).resolve('trunk')).toBe(sha);
  });

  it('appears in the rows at once', async () => {
    const { store, files } = await State.open(memoryStorage(), Date.now);
    const table = store.table<GitFile>('git_files');
    let opened = false;
    const opening = openRepository(project, table, files).then(() => {
      opened = true;
    });
    while (!opened) {
      expect(table.all().length).toBe(0);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await opening;
    expect(table.all().length).toBeGreaterThan(5);
  });
});
