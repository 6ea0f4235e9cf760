import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeExampleFolder, openWorld } from '../support/sandbox.ts';
import { seededShas } from '../support/seeded-shas.ts';
import { words } from '../support/svc.ts';
import { done, forbidden, incomplete, missing, rejected, shows, unseen } from './scenario.ts';

const rocket = '--project acme/rocket';
const commit = `${rocket} --branch main --commit-message Change`;

shows(
  `files get README.md ${rocket}`,
  `files get README.md ${rocket} --ref main`,
  `files blame src/main.ts ${rocket} --ref main`,
  `files head README.md ${rocket} --ref main`,
);
missing(
  `files get nowhere.md ${rocket} --ref main`,
  `files get README.md ${rocket} --ref nowhere`,
  `files raw nowhere.md ${rocket}`,
  `files head nowhere.md ${rocket} --ref main`,
);
unseen('outsider', 'files get README.md --project acme/website --ref main');
unseen('none', 'files raw README.md --project acme/website');
forbidden('reporter', `files create x.md ${commit} --content x`, `files delete README.md ${commit} --yes`);
forbidden('none', `files create x.md ${commit} --content x`);
forbidden('readonly', `files create x.md ${commit} --content x`);
incomplete(
  `files create x.md ${rocket} --branch main --content x`,
  `files create x.md ${rocket} --commit-message x --content x`,
  `files create x.md ${commit}`,
  `files blame src/main.ts ${rocket} --ref main --range start=1`,
  `files delete README.md ${commit}`,
);
rejected(
  `files create README.md ${commit} --content x`,
  `files update nowhere.md ${commit} --content x`,
  `files update README.md ${commit} --content x --last-commit-id ${seededShas['v1.0.0']}`,
);

test('creates, reads, updates and deletes a file', async () => {
  const world = await openWorld();
  const cwd = await makeExampleFolder();
  expect(await world.json(`files create docs/new.md ${commit} --content @notes.txt`, { cwd })).toEqual({
    file_path: 'docs/new.md',
    branch: 'main',
  });
  const content = await readFile(join(cwd, 'notes.txt'), 'utf8');
  const file = await world.json(`files get docs/new.md ${rocket} --ref main`);
  expect(Buffer.from(file.content, 'base64').toString()).toBe(content);
  expect(file.content_sha256).toBe(createHash('sha256').update(content).digest('hex'));
  expect((await world.run(`files raw docs/new.md ${rocket}`)).out).toBe(content);
  await world.json(`files update docs/new.md ${commit} --content other`);
  expect((await world.run(`files raw docs/new.md ${rocket} --ref main`)).out).toBe('other');
  // Unchanged content would be an empty commit (section 4.4).
  expect((await world.run(`files update docs/new.md ${commit} --content other`)).code).toBe(6);
  await done(world, `files delete docs/new.md ${commit} --yes`);
  expect((await world.run(`files get docs/new.md ${rocket} --ref main`)).code).toBe(5);
});

test('accepts a path with a space and an accent, and a ref with a slash', async () => {
  const world = await openWorld();
  const file = await world.json(`files get "docs/café menu.md" ${rocket} --ref feature/login`);
  expect([file.file_path, file.ref]).toEqual(['docs/café menu.md', 'feature/login']);
});

test('prints the attributes of get without content for head', async () => {
  const world = await openWorld();
  for (const path of ['README.md', 'bin/launch.sh', '"docs/café menu.md"']) {
    const { content: _, ...facts } = await world.json(`files get ${path} ${rocket} --ref main`);
    expect(await world.json(`files head ${path} ${rocket} --ref main`)).toEqual(facts);
  }
});

test('prints the requested lines with blame --range', async () => {
  const world = await openWorld();
  const all = await world.json(`files blame src/main.ts ${rocket} --ref main`);
  const lines = all.flatMap((range: { lines: string[] }) => range.lines);
  const text = (await world.run(`files raw src/main.ts ${rocket} --ref main`)).out;
  expect(lines).toEqual(text.replace(/\n$/, '').split('\n'));
  const part = await world.json(`files blame src/main.ts ${rocket} --ref main --range start=2 --range end=3`);
  expect(part.flatMap((range: { lines: string[] }) => range.lines)).toEqual(lines.slice(1, 3));
});

test('prints the content of a Git LFS pointer with --lfs', async () => {
  const world = await openWorld();
  const pointer = (await world.run(`files raw models/nose.lfs ${rocket}`)).out;
  const content = (await world.run(`files raw models/nose.lfs ${rocket} --lfs`)).out;
  expect(pointer).toMatch(/^version https:\/\/git-lfs/);
  expect(content).not.toBe(pointer);
});

test('reads a public project without a token', async () => {
  const world = await openWorld();
  const ran = await world.run(words(`files raw README.md ${rocket}`), { as: 'none' });
  expect([ran.code, ran.out.length > 0]).toEqual([0, true]);
});
