/** `svc copy` against the sandbox. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../support/folders.ts';
import { exited, expectCode, stateWorldPerTest, withStatus, writes, wroteNothing } from './engine/world.ts';

const world = stateWorldPerTest();
const line = 'copy --from acme/rocket --to acme/website --yes';

describe('a project', () => {
  test('lists what cannot be copied once, exit 11; the rest is equal, so that a second run sends no write', async () => {
    const ran = await exited(11, world.run(line));
    expect(ran.err).toContain('not copied, because its value is hidden: variable HIDDEN_KEY (scope *)\n');
    const missing = 'not copied, because the kind is not available there: error_tracking (acme/website)\n';
    expect(ran.err).toContain(missing);
    await wroteNothing(11, world.run(line));
    const get = 'variables get DEPLOY_USER --fields value -o tsv --no-header';
    const { out } = await exited(0, world.run(`${get} -p acme/website`));
    expect(out).toBe((await world.run(`${get} -p acme/rocket`)).out);
  });

  test.each([
    ['badges variables --from 100 --to 101', '100/variables', 403, 11, 'be read: variables ('],
    ['badges variables --from 100 --to 101', '100/badges', 404, 11, 'be read: badges ('],
    ['badges variables --from 101 --to 100 --prune', '100/badges', 403, 11, 'be read there: badges (100)'],
    ['badges protected_branches --from 100 --to 101', '100/prot', 403, 11, 'be read: protected_branches ('],
    ['snippets --from 100 --to 101', '/files/', 403, 11, 'because its files cannot be read: snippet'],
    ['--from 101 --to 100', '101/badges', 404, 0, 'not found in the source: badges'],
  ])('copy %s names a kind that cannot be read: %s, %i', async (words, path, status, code, note) => {
    const intercept = withStatus(({ url }) => url.includes(path), status);
    const ran = await exited(code, world.state(`copy ${words} --yes`, '', intercept));
    expect(ran.err).toContain(note);
  });

  test('copies only the kinds that are named, each once; --dry-run prints the requests and sends no write', async () => {
    const plan = await wroteNothing(0, world.run(`copy badges --dry-run ${line.slice(5)}`));
    expect(plan.out.trim().split('\n')).toHaveLength(2);
    const ran = await exited(0, world.run(`copy badges badges protected_branches ${line.slice(5)}`));
    const kinds = writes(ran).map((one) => one.replace(/.*\//, ''));
    expect(kinds.sort()).toEqual(['badges', 'badges', 'protected_branches']);
  });

  test('copies a description, and removes one that the source does not have', async () => {
    for (const words of ['A v --description new -p acme/rocket', 'B v -p acme/rocket'])
      await exited(0, world.run(`variables set ${words}`));
    await exited(0, world.run('variables set B v --description old -p acme/website'));
    await world.run('copy variables --from acme/rocket --to acme/website --yes');
    const { out } = await world.run('variables list --fields key,description -o tsv -p acme/website');
    expect(out.split('\n')).toEqual(expect.arrayContaining(['A\tnew', 'B\t']));
  });

  test('--prune deletes what the source does not have', async () => {
    const badge = 'badges create --link-url https://a.example --image-url https://a.example/b.svg --name own';
    await world.run(`${badge} -p acme/website`);
    const ran = await exited(0, world.run('copy badges --from acme/rocket --to acme/website --prune --yes'));
    expect(ran.out).toContain('- badge own');
  });

  test('--to-file reads one target per line, and --to-group the projects of a group without the source', async () => {
    const cwd = await folderWith();
    await writeFile(join(cwd, 'teams.txt'), 'acme/website # the site\n\n101\n');
    const listed = await world.run('copy badges --from acme/rocket --to-file teams.txt --yes', { cwd });
    expectCode(listed, 0);
    expect(listed.err).toContain('--to-file names a project more than once; it is copied once');
    expect(writes(listed)).toHaveLength(2);
    const group = await world.run('copy badges --from acme/rocket --to-group acme --recursive --dry-run');
    expectCode(group, 0);
    expect(group.out).not.toMatch(/rocket|website/);
    expect(group.out).toMatch(/labs/);
  });
});

test('a group is copied to its subgroups', async () => {
  const ran = await exited(0, world.run('copy badges --from acme --to-group acme --yes'));
  expect(writes(ran)).not.toEqual([]);
  expect(writes(ran).every((one) => one.startsWith('POST /groups/acme%2F'))).toBe(true);
});

test.each([
  'copy --from acme/rocket --to-file - --yes',
  'copy badges --from acme/rocket --to-file - --yes',
  'find x --projects - --in variables',
  'dependency-exports find x --projects -',
])('%s: a list without targets is a warning', async (words) => {
  const ran = await wroteNothing(0, world.run(words, { stdin: '# none\n' }));
  expect(ran.err).toContain('warning: there are no targets\n');
  expect(ran.err).not.toContain('not copied');
});

test.each([
  'copy --from acme/none --to acme/website --yes',
  'copy --from acme/rocket --to acme/website --to acme/none --yes',
  'variables copy --from acme/none --to acme/website --yes',
  'variables copy --from acme --to acme/website --yes',
  'variables copy --from acme/rocket --to acme/none --yes',
])('%s: a project that cannot be found is an error, exit 5', async (words) => {
  await wroteNothing(5, world.run(words));
});

test.each([
  ['copy --from acme/rocket --yes', 'one of --to, --to-file and --to-group'],
  ['copy --from acme/rocket --to a --to-group b --yes', 'one of --to, --to-file and --to-group'],
  ['copy --from acme/rocket --to a --recursive --yes', '--recursive requires --to-group'],
  ['copy --from "" --to acme/website --yes', '--from cannot be empty'],
  ['copy --from acme/rocket --to . --yes', '--to cannot be "."'],
  ['copy --to acme/website --yes', '--from acme/rocket'],
  ['copy badge --from acme/rocket --to acme/website --yes', 'unknown kind "badge"'],
  ['copy broadcasts --from acme/rocket --to acme/website --yes', 'a project has no broadcasts'],
  ['copy --from acme/rocket --to 100 --yes', '--from and --to name the same project'],
  ['variables copy --from acme/rocket --to 100 --prune --yes', '--from and --to name the same project'],
  ['variables copy --from acme/rocket --to Acme/rocket --yes', '--from and --to name the same project'],
])('%s is a usage error', async (words, message) => {
  const ran = await wroteNothing(2, world.run(words));
  expect(ran.err).toContain(message);
});
