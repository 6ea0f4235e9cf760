/** Tasks of users across several commands, with arguments, files and formats of the command line. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exampleFiles, type How, makeExampleFolder, openWorld, type World } from '../support/sandbox.ts';
import { seededShas } from '../support/seeded-shas.ts';
import { words } from '../support/svc.ts';

const rocket = '--project acme/rocket';
const acme = '--group acme';
const commit = `${rocket} --branch main --commit-message Change`;
const migration =
  '--configuration url=https://old.example.com --entity source_type=group_entity,source_full_path=tools,destination_slug=tools,destination_namespace=acme';
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

test('creates, reads, lists, updates and deletes variables', async () => {
  const world = await openWorld();
  const as = { as: 'maintainer' } as const;
  const created = await world.json(
    `variables create NEW_KEY one ${rocket} --protected --description "For tests"`,
    as,
  );
  expect(created).toEqual({
    key: 'NEW_KEY',
    value: '***',
    variable_type: 'env_var',
    protected: true,
    masked: false,
    hidden: false,
    raw: false,
    environment_scope: '*',
    description: 'For tests',
  });
  const stored = { ...created, value: 'one' };
  expect(await world.json(`variables get NEW_KEY ${rocket}`, as)).toEqual(stored);
  expect(await world.json(`variables list ${rocket}`, as)).toContainEqual(stored);
  const changed = await world.json(`variables update NEW_KEY two ${rocket} --no-protected`, as);
  expect(changed).toEqual({ ...created, protected: false });
  expect((await world.json(`variables get NEW_KEY ${rocket}`, as)).value).toBe('two');
  await complete(world, `variables delete NEW_KEY ${rocket} --yes`, as);
  expect((await world.run(`variables get NEW_KEY ${rocket}`, as)).code).toBe(5);
});

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

test('rejects an access token for jobs current', async () => {
  const world = await openWorld();
  const ran = await world.run('jobs current', { env: { SVC_JOB_TOKEN: '' } });
  expect([ran.code, ran.out]).toEqual([4, '']);
  expect(ran.err).toMatch(/job token/);
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
  await complete(world, `files delete docs/new.md ${commit} --yes`);
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

test('creates, reads and lists hooks without showing the token and header values', async () => {
  const world = await openWorld();
  const as = { as: 'owner' } as const;
  const hook = await world.json(
    `hooks create ${acme} --url https://x.example/in --name Chat --pipeline-events --no-push-events --token hook-secret --custom-header key=X-Team,value=header-secret`,
    as,
  );
  expect(hook).toMatchObject({
    url: 'https://x.example/in',
    name: 'Chat',
    pipeline_events: true,
    push_events: false,
    custom_headers: [{ key: 'X-Team' }],
  });
  expect(await world.json(`hooks get ${hook.id} ${acme}`, as)).toEqual(hook);
  expect(await world.json(`hooks list ${acme}`, as)).toContainEqual(hook);
  expect(JSON.stringify(hook)).not.toMatch(/hook-secret|header-secret/);
});

test('creates, reads, lists, updates, closes and reopens an epic', async () => {
  const world = await openWorld();
  const epic = await json(
    world,
    `epics create ${acme} --title Moon --labels a,b --due-date-is-fixed --due-date-fixed 2030-01-31`,
  );
  expect(epic).toMatchObject({ title: 'Moon', state: 'opened', due_date: '2030-01-31', closed_at: null });
  expect([...epic.labels].sort()).toEqual(['a', 'b']);
  expect(await json(world, `epics get ${epic.iid} ${acme}`)).toMatchObject({ id: epic.id, title: 'Moon' });
  const titles = (await json(world, `epics list ${acme} --search Moon`)).map(({ id }: { id: number }) => id);
  expect(titles).toEqual([epic.id]);
  const changed = await json(
    world,
    `epics update ${epic.iid} ${acme} --add-labels c --remove-labels a --title Mars`,
  );
  expect([changed.title, [...changed.labels].sort()]).toEqual(['Mars', ['b', 'c']]);
  const closed = await json(world, `epics update ${epic.iid} ${acme} --state-event close`);
  expect([closed.state, typeof closed.closed_at]).toEqual(['closed', 'string']);
  expect((await json(world, `epics update ${epic.iid} ${acme} --state-event reopen`)).state).toBe('opened');
  // An empty string removes all labels (section 4.20).
  expect((await json(world, `epics update ${epic.iid} ${acme} --labels=`)).labels).toEqual([]);
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

test('uploads a logo', async () => {
  const world = await openWorld();
  const cwd = await makeExampleFolder();
  expect(exampleFiles['logo.png']).toBeDefined();
  const { logo } = await world.json('appearance update --logo logo.png', { cwd });
  expect(logo).toMatch(/logo\.png$/);
  expect((await world.json('appearance get')).logo).toBe(logo);
});

test('creates, reads, lists and deletes branches', async () => {
  const world = await openWorld();
  const branch = await world.json(`branches create feature/x --ref main ${rocket}`);
  expect(branch).toMatchObject({ name: 'feature/x', default: false, protected: false });
  expect(branch.commit.id).toBe(seededShas.main);
  expect(await world.json(`branches get feature/x ${rocket}`)).toEqual(branch);
  const names = (await world.json(`branches list ${rocket}`)).map(({ name }: { name: string }) => name);
  expect(names).toContain('feature/x');
  expect(names).toEqual([...names].sort());
  await complete(world, `branches delete feature/x ${rocket} --yes`);
  expect((await world.run(`branches get feature/x ${rocket}`)).code).toBe(5);
});

test('creates an export, polls it and downloads a CycloneDX document', async () => {
  let now = Date.parse('2026-04-01T12:00:00Z');
  const world = await openWorld({ now: () => now });
  const created = await world.json('dependency-exports create 1010');
  expect(created.has_finished).toBe(false);
  expect((await world.run(`dependency-exports download ${created.id}`)).code).toBe(5);
  now += 60_000;
  expect((await world.json(`dependency-exports get ${created.id}`)).has_finished).toBe(true);
  const { out } = await world.run(`dependency-exports download ${created.id}`);
  expect(JSON.parse(out)).toMatchObject({ bomFormat: 'CycloneDX' });
  // An export expires after one hour (section 8).
  now += 3_600_000;
  expect((await world.run(`dependency-exports get ${created.id}`)).code).toBe(5);
});

test('sets events with level custom', async () => {
  const world = await openWorld();
  const place = '--project acme/rocket';
  const set = await world.json(
    `notifications update ${place} --level custom --failed-pipeline --no-new-note`,
  );
  expect(set).toMatchObject({ level: 'custom', events: { failed_pipeline: true, new_note: false } });
  expect(await world.json(`notifications get ${place}`)).toEqual(set);
});

test('creates, reads, lists, updates and deletes snippets', async () => {
  const world = await openWorld();
  const cwd = await makeExampleFolder();
  const created = await world.json(
    `snippets create ${rocket} --title Orbit --file file_path=main.py,content=@main.py --file file_path=notes.txt,content=@notes.txt`,
    { cwd },
  );
  expect(created).toMatchObject({ title: 'Orbit', file_name: 'main.py', project_id: 100, imported: false });
  expect(await world.json(`snippets get ${created.id} ${rocket}`)).toMatchObject({
    id: created.id,
    title: 'Orbit',
  });
  expect((await world.json(`snippets list ${rocket}`)).map(({ id }: { id: number }) => id)).toContain(
    created.id,
  );
  const main = await readFile(join(cwd, 'main.py'), 'utf8');
  expect((await world.run(`snippets raw ${created.id} ${rocket}`)).out).toBe(main);
  expect((await world.run(`snippets raw-file ${created.id} main notes.txt ${rocket}`)).out).toBe(
    await readFile(join(cwd, 'notes.txt'), 'utf8'),
  );
  await world.json(
    `snippets update ${created.id} ${rocket} --title Higher --file action=move,previous_path=notes.txt,file_path=read.txt --file action=update,file_path=main.py,content=new --file action=create,file_path=c.txt,content=c`,
  );
  expect((await world.json(`snippets get ${created.id} ${rocket}`)).title).toBe('Higher');
  expect((await world.run(`snippets raw-file ${created.id} main main.py ${rocket}`)).out).toBe('new');
  expect((await world.run(`snippets raw-file ${created.id} main read.txt ${rocket}`)).code).toBe(0);
  expect((await world.run(`snippets raw-file ${created.id} main notes.txt ${rocket}`)).code).toBe(5);
  await complete(world, `snippets delete ${created.id} ${rocket} --yes`);
  expect((await world.run(`snippets get ${created.id} ${rocket}`)).code).toBe(5);
});

test('creates, lists, downloads and deletes uploads', async () => {
  const world = await openWorld();
  const cwd = await makeExampleFolder();
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

test('uploads an attachment', async () => {
  const world = await openWorld();
  const cwd = await makeExampleFolder();
  const kept = await world.json(`wikis attach logo.png ${acme}`, { cwd });
  expect(kept.file_name).toBe('logo.png');
  expect(kept.link.markdown).toContain(kept.link.url);
});

test('lists each user once by keyset', async () => {
  const world = await openWorld();
  const ids = (await world.json('users list --all --per-page 7')).map(({ id }: { id: number }) => id);
  expect(ids.length).toBeGreaterThan(25);
  expect(new Set(ids).size).toBe(ids.length);
});

test('adds, lists and deletes context commits', async () => {
  const world = await openWorld();
  const ids = async () =>
    (await world.json(`context-commits list 7 --project acme/rocket`)).map(({ id }: { id: string }) => id);
  expect(await ids()).toEqual([seededShas['main~3']]);
  const added = await world.json(`context-commits add 7 --project acme/rocket --commits ${seededShas.main}`);
  expect(added.map(({ id }: { id: string }) => id)).toEqual([seededShas.main]);
  expect((await ids()).sort()).toEqual([seededShas.main, seededShas['main~3']].sort());
  await complete(
    world,
    `context-commits delete 7 --project acme/rocket --commits ${seededShas['main~3']} --yes`,
  );
  expect(await ids()).toEqual([seededShas.main]);
});

test('creates, reads and cancels a migration', async () => {
  const world = await openWorld();
  const env = { SVC_SOURCE_TOKEN: 'sourcetoken-1234' };
  const created = await world.json(`migrations create ${migration}`, { env });
  expect(created).toMatchObject({
    status: 'created',
    source_url: expect.stringMatching(/^https:\/\/old\.example\.com\/?$/),
    has_failures: false,
  });
  expect(JSON.stringify(created)).not.toContain('sourcetoken');
  expect(await world.json(`migrations get ${created.id}`)).toMatchObject({ id: created.id });
  const entities = await world.json(`migrations entities ${created.id}`);
  expect(entities).toMatchObject([
    {
      bulk_import_id: created.id,
      entity_type: 'group',
      source_full_path: 'tools',
      destination_slug: 'tools',
    },
  ]);
  const ran = await world.json(`migrations cancel ${created.id} --yes`);
  expect(ran.status).toBe('canceled');
  expect((await world.json(`migrations get ${created.id}`)).status).toBe('canceled');
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
