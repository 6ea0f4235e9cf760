import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/folders.ts';
import { exampleFiles, type How, openWorld, type World } from '../support/sandbox.ts';
import { words } from '../support/svc.ts';

const rocket = '--project acme/rocket';
const acme = '--group acme';
const jobToken = { env: { SVC_TOKEN: '' } };

/** Run a command that must succeed without output. */
async function complete(world: World, line: string, how: How = {}): Promise<void> {
  const ran = await world.run(words(line), how);
  expect([ran.code, ran.out], `${line}\n${ran.err}`).toEqual([0, '']);
}

/** Run a command, which prints that epics are deprecated, and parse its output. */
async function json(world: World, line: string) {
  const ran = await world.run(`${line} --json`);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.err).toMatch(/deprecated/);
  return JSON.parse(ran.out);
}

test('creates, then updates a variable with set', async () => {
  const world = await openWorld();
  const set = (value: string, scope = '*') =>
    world.json(`variables set LOG_LEVEL ${value} ${rocket} --environment-scope ${scope}`);
  const stored = async () =>
    (await world.json(`variables list ${rocket}`))
      .filter(({ key }: { key: string }) => key === 'LOG_LEVEL')
      .map((one: Record<string, string>) => [one['environment_scope'], one['value']])
      .sort();
  expect(await set('debug')).toMatchObject({ value: '***', environment_scope: '*' });
  expect(await stored()).toEqual([['*', 'debug']]);
  expect(await set('info')).toMatchObject({ value: '***', environment_scope: '*' });
  expect(await stored()).toEqual([['*', 'info']]);
  expect(await set('warn', 'production')).toMatchObject({ environment_scope: 'production' });
  expect(await stored()).toEqual([
    ['*', 'info'],
    ['production', 'warn'],
  ]);
});

test('never prints a hidden value', async () => {
  const world = await openWorld();
  const created = await world.json(`variables create SECRET hunter22hunter22 ${rocket} --masked-and-hidden`);
  expect([created.hidden, created.masked, created.value]).toEqual([true, true, null]);
  expect((await world.run(`variables list ${rocket} --json`)).out).not.toContain('hunter22');
});

test('prints no values in a table', async () => {
  const world = await openWorld();
  await world.json(`variables create PLAIN visible-value ${rocket}`);
  expect((await world.run(`variables list ${rocket}`)).out).not.toContain('visible-value');
});

test('prints the job of the token with current and allowed-agents', async () => {
  const world = await openWorld();
  expect((await world.json('jobs current', jobToken)).id).toBe(5280);
  expect(await world.json('jobs allowed-agents', jobToken)).toMatchObject({
    job: { id: 5280 },
    pipeline: { id: 1012 },
    project: { id: 100 },
    user: { id: 4 },
  });
});

test('prints the attributes of get without content for head', async () => {
  const world = await openWorld();
  for (const path of ['README.md', 'bin/launch.sh', '"docs/café menu.md"']) {
    const { content: _, ...facts } = await world.json(`files get ${path} ${rocket} --ref main`);
    expect(await world.json(`files head ${path} ${rocket} --ref main`)).toEqual(facts);
  }
});

test('removes the parent with --parent-id null', async () => {
  const world = await openWorld();
  const { iid, parent_id } = await json(world, `epics create ${acme} --title Lander --parent-id 601`);
  expect(parent_id).toBe(601);
  expect(await json(world, `epics update ${iid} ${acme} --parent-id null`)).toMatchObject({
    parent_id: null,
  });
});

test('distinguishes epics of subgroups with the same number in a narrow table', async () => {
  const world = await openWorld();
  const { out } = await world.run(`epics list ${acme}`, { terminal: 40, env: { NO_COLOR: '1' } });
  const rows = out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ +/).slice(0, 2).join(' '));
  // A number is unique only in its group, and the list includes subgroups (sections 2.19 and 4.20).
  expect(rows.filter((row) => row.startsWith('1 ')).sort()).toEqual(['1 10', '1 11']);
});

test('names the approvers in the table', async () => {
  const world = await openWorld();
  for (const how of [{}, { terminal: 80, env: { NO_COLOR: '1' } }]) {
    const { out } = await world.run('approval-rules list --project acme/rocket', how);
    const [header = '', engines] = out.split('\n');
    expect(header).toMatch(/USERS +GROUPS/);
    expect(engines).toMatch(/Engines.* mia, devon +acme\b/);
  }
});

test('creates, lists, downloads and deletes uploads', async () => {
  const world = await openWorld();
  const cwd = await folderWith(exampleFiles);
  const created = await world.json(`uploads create logo.png ${rocket}`, { cwd });
  expect(created).toMatchObject({ alt: expect.any(String), full_path: expect.any(String) });
  const [, secret = ''] = /\/uploads\/([0-9a-f]{32})\/logo\.png$/.exec(created.url) ?? [];
  expect(secret).toHaveLength(32);
  expect(created.markdown).toContain(created.url);
  const [first] = await world.json(`uploads list ${rocket}`);
  expect(first).toMatchObject({
    id: created.id,
    filename: 'logo.png',
    size: exampleFiles['logo.png']?.length,
  });
  for (const which of [`get ${created.id}`, `get-by-secret ${secret} logo.png`]) {
    await complete(world, `uploads ${which} ${rocket} --output-file out.png --force`, { cwd });
    expect(await readFile(join(cwd, 'out.png'))).toEqual(exampleFiles['logo.png']);
  }
  await complete(world, `uploads delete-by-secret ${secret} logo.png ${rocket} --yes`);
  expect((await world.run(`uploads get ${created.id} ${rocket}`)).code).toBe(5);
});

/** Errors of each area by exit code: rejected input (2), permissions (4), not found (5) and rejected by the service (6). */
test.each([
  [2, 'admin', 'variables create MY-KEY v --project acme/rocket'],
  [2, 'admin', 'badges create --project acme/rocket --link-url https://x.example'],
  [2, 'admin', 'broadcasts create --message x --target-access-levels 15'],
  [2, 'admin', 'files blame src/main.ts --project acme/rocket --ref main --range start=1'],
  [2, 'admin', 'approval-rules get 31 --group acme'],
  [2, 'admin', 'notifications get --project 1 --group 2'],
  [2, 'admin', 'uploads create nowhere.png --project acme/rocket'],
  [2, 'admin', 'uploads get-by-secret short rocket.png --project acme/rocket'],
  [2, 'admin', 'migrations create --configuration url=https://old.example.com --entity source_type=group'],
  [2, 'admin', 'users list --created-after someday'],
  [4, 'none', 'jobs current'],
  [4, 'none', 'epics list --group acme'],
  [4, 'developer', 'client-keys list --project acme/rocket'],
  [4, 'maintainer', 'hooks list --group acme'],
  [4, 'owner', 'license usage'],
  [4, 'readonly', 'appearance update --title Mine'],
  [5, 'outsider', 'releases list --group umbrella'],
  [5, 'admin', 'badges get 81 --group acme'],
  [5, 'admin', 'snippets raw-file 52 nowhere main.py --project acme/rocket'],
  [5, 'admin', 'migrations failures 22 999'],
  [6, 'admin', 'variables create DEPLOY_USER again --project acme/rocket'],
  [6, 'admin', 'files create README.md --project acme/rocket --branch main --commit-message x --content x'],
  [6, 'admin', `context-commits add 7 --project acme/rocket --commits ${'0'.repeat(40)}`],
  [6, 'admin', 'license add --license invalid'],
] as const)('exit code %i as %s: svc %s', async (code, as, line) => {
  const ran = await (await openWorld()).run(words(line), { as });
  expect([ran.code, ran.out], ran.err).toEqual([code, '']);
  expect(ran.err).toMatch(/^error: /m);
});

test('the newest pipeline stays the newest after jobs of an older one run again', async () => {
  const world = await openWorld();
  const newest = async () => (await world.json(`pipelines latest ${rocket}`)).id;
  expect(await newest()).toBe(1012);
  await world.json(`jobs retry 5234 ${rocket}`);
  await world.json(`pipelines retry 1011 ${rocket}`);
  expect(await newest()).toBe(1012);
});
