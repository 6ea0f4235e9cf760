import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { seededShas } from '../support/seeded-shas.ts';
import { done, forbidden, incomplete, missing, rejected, shows, unseen } from './scenario.ts';

const rocket = '--project acme/rocket';

shows(
  `branches list ${rocket}`,
  `branches get main ${rocket}`,
  `branches protections ${rocket}`,
  `branches protection main ${rocket}`,
);
missing(
  `branches get nowhere ${rocket}`,
  `branches protection nowhere ${rocket}`,
  `branches delete nowhere ${rocket} --yes`,
  'branches list --project 999',
);
unseen('outsider', 'branches list --project acme/website');
unseen('none', 'branches list --project acme/website');
forbidden('reporter', `branches create x --ref main ${rocket}`, `branches delete develop ${rocket} --yes`);
forbidden('developer', `branches protect develop ${rocket}`);
forbidden('none', `branches create x --ref main ${rocket}`);
incomplete(`branches create x ${rocket}`, `branches get ${rocket}`, `branches delete develop ${rocket}`);
rejected(`branches create x --ref nowhere ${rocket}`, `branches create main --ref develop ${rocket}`);

test('creates, reads, lists and deletes branches', async () => {
  const world = await openWorld();
  const branch = await world.json(`branches create feature/x --ref main ${rocket}`);
  expect(branch).toMatchObject({ name: 'feature/x', default: false, protected: false });
  expect(branch.commit.id).toBe(seededShas.main);
  expect(await world.json(`branches get feature/x ${rocket}`)).toEqual(branch);
  const names = (await world.json(`branches list ${rocket}`)).map(({ name }: { name: string }) => name);
  expect(names).toContain('feature/x');
  expect(names).toEqual([...names].sort());
  await done(world, `branches delete feature/x ${rocket} --yes`);
  expect((await world.run(`branches get feature/x ${rocket}`)).code).toBe(5);
});

test('searches for a part, with ^ and $, and by regex', async () => {
  const world = await openWorld();
  const names = async (flags: string) =>
    (await world.json(`branches list ${rocket} ${flags}`)).map(({ name }: { name: string }) => name);
  expect(await names('--search feature/')).toEqual(['feature/login', 'feature/search']);
  expect(await names('--search ^dev')).toEqual(['develop']);
  expect(await names('--search typo$')).toEqual(['hotfix/typo']);
  expect(await names("--regex '^(hotfix|release)/'")).toEqual(['hotfix/typo', 'release/1.x']);
});

test('keeps protected and unmerged branches with delete-merged', async () => {
  const world = await openWorld();
  await done(world, `branches delete-merged ${rocket} --yes`);
  const names = (await world.json(`branches list ${rocket}`)).map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['main', 'release/1.x', 'feature/login']));
  expect(names).not.toEqual(expect.arrayContaining(['feature/search']));
  expect(names).not.toContain('hotfix/typo');
});

test('protects and unprotects a branch', async () => {
  const world = await openWorld();
  await world.json(`branches protect develop ${rocket}`);
  expect((await world.json(`branches get develop ${rocket}`)).protected).toBe(true);
  expect((await world.run(`branches protect develop ${rocket}`)).code).toBe(6);
  await done(world, `branches unprotect develop ${rocket} --yes`);
  expect((await world.json(`branches get develop ${rocket}`)).protected).toBe(false);
});
